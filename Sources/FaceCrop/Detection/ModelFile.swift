import Glibc
import SystemPackage

/// A model file of a detector.
struct ModelFile: Sendable {
  let name: String
  /// The SHA-256 of the file in hexadecimal digits, as in `models/README.md`. Another file is refused, because it could
  /// find fewer faces, or attack the parser.
  let digest: String

  static let frontalFace = ModelFile(
    name: "haarcascade_frontalface_alt2.xml",
    digest: "7b0c967d9abbdfbde025eb9c786947d151b6426040d07a8f9562ed8fd90724b4")
  static let frontalFaceStumps = ModelFile(
    name: "haarcascade_frontalface_alt.xml",
    digest: "6281df13459cc218ff047d02b2ae3859b12ff14a93ffe8952f7b33fad7b9697b")
  static let eyes = ModelFile(
    name: "haarcascade_eye_tree_eyeglasses.xml",
    digest: "e32f9c67935c33e9d1331eb14fa58554ff17835c03742663bcb97a892e936a57")
  static let profileFace = ModelFile(
    name: "haarcascade_profileface.xml",
    digest: "b39a4a3be45539db146a7fc1d3e761a292c196eb88421185e6a615b3055e612d")

  /// Returns the paths to search, in order. With a `folder` that is the only one. Else they are the folder in the
  /// environment variable `FACECROP_MODELS`, the package's resources beside the program, the installation, and the
  /// system's copy of OpenCV's data.
  func candidates(folder: FilePath?) -> [FilePath] {
    if let folder { return [folder.appending(name)] }
    var folders: [FilePath] = []
    if let variable = unsafe getenv("FACECROP_MODELS"), unsafe variable.pointee != 0 {
      unsafe folders.append(FilePath(platformString: variable))
    }
    if let program = Self.programFolder {
      folders.append(program.appending("facecrop_COpenCVShim.resources/models"))
      folders.append(program.removingLastComponent().appending("share/facecrop/models"))
    }
    folders.append("/usr/share/opencv4/haarcascades")
    return folders.map { $0.appending(name) }
  }

  /// Reads the first candidate that exists. Throws ``FaceCropError/modelMissing(name:searched:)`` or
  /// ``FaceCropError/modelUnusable(path:reason:)``.
  func read(folder: FilePath?) throws(FaceCropError) -> (path: FilePath, bytes: [UInt8]) {
    let candidates = candidates(folder: folder)
    for path in candidates {
      let bytes: [UInt8]
      do {
        let file = try FileDescriptor.openAtOnce(path)
        bytes = try file.closeAfter {
          guard (try? Stat(file))?.type == .regular else {
            throw FaceCropError.modelUnusable(path: path.string, reason: "it is not a regular file")
          }
          return try file.readToEnd(atMost: Self.largest)
        }
      } catch let error as Errno where error == .noSuchFileOrDirectory || error == .notDirectory {
        continue
      } catch let error as FaceCropError {
        if case .modelUnusable = error { throw error }
        throw .modelUnusable(path: path.string, reason: "\(error)")
      } catch {
        throw .modelUnusable(path: path.string, reason: "\(error)")
      }
      let found = ContentHash(of: bytes).hexadecimal
      guard found == digest else {
        throw .modelUnusable(path: path.string, reason: "its SHA-256 is \(found), not the expected \(digest)")
      }
      return (path, bytes)
    }
    throw .modelMissing(name: name, searched: candidates.map { $0.removingLastComponent().string })
  }

  /// The upper bound in bytes, far above any shipped model.
  private static let largest = 64 << 20

  private static var programFolder: FilePath? {
    // One byte stays zero, to terminate the string.
    var link = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard unsafe readlink("/proc/self/exe", &link, link.count - 1) > 0 else { return nil }
    return unsafe FilePath(platformString: &link).removingLastComponent()
  }
}
