import Glibc
import SystemPackage

/// Finds and reads a detector's data.
enum ModelFile {
  /// The places where `name` is looked for, in order: the caller's folder alone when one is given; else the folder named
  /// by the environment variable `FACECROP_MODELS`, the package's resources beside the program, the folder of an
  /// installation, and the system's copy of OpenCV's data.
  static func candidates(for name: String, folder: FilePath?) -> [FilePath] {
    if let folder { return [folder.appending(name)] }
    var folders: [FilePath] = []
    if let variable = unsafe getenv("FACECROP_MODELS"), unsafe variable.pointee != 0 {
      unsafe folders.append(FilePath(platformString: variable))
    }
    if let program = programFolder {
      folders.append(program.appending("facecrop_COpenCVShim.resources/models"))
      folders.append(program.removingLastComponent().appending("share/facecrop/models"))
    }
    folders.append("/usr/share/opencv4/haarcascades")
    return folders.map { $0.appending(name) }
  }

  /// The bytes of the first candidate that exists, and where it was.
  ///
  /// - Throws: ``FaceCropError/modelMissing(name:searched:)`` or ``FaceCropError/modelUnusable(path:reason:)``.
  static func read(_ name: String, folder: FilePath?) throws(FaceCropError) -> (path: FilePath, bytes: [UInt8]) {
    let candidates = candidates(for: name, folder: folder)
    for path in candidates {
      do {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter { (path, try file.readToEnd(atMost: largestModel)) }
      } catch let error as Errno where error == .noSuchFileOrDirectory || error == .notDirectory {
        continue
      } catch {
        throw .modelUnusable(path: path.string, reason: "\(error)")
      }
    }
    throw .modelMissing(name: name, searched: candidates.map { $0.removingLastComponent().string })
  }

  /// Bytes; far above any model that is shipped.
  private static let largestModel = 64 << 20

  private static var programFolder: FilePath? {
    // One byte is left zero, to end the text.
    var link = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard unsafe readlink("/proc/self/exe", &link, link.count - 1) > 0 else { return nil }
    return unsafe FilePath(platformString: &link).removingLastComponent()
  }
}
