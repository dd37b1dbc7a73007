import FaceCrop
import SystemPackage

/// Inputs as they are named on the command line.
enum Input {
  static let standard = "-"

  /// What can be read only once is read.
  static func source(_ name: String, limits: Limits) throws(FaceCropError) -> ImageSource {
    guard name == standard else { return try .file(FilePath(name)).held(limits: limits) }
    do {
      return .bytes(try readToEnd(.standardInput, atMost: limits.fileBytes))
    } catch let error as FaceCropError {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
  }

  static func readToEnd(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    return try file.closeAfter { try readToEnd(file) }
  }

  static func readToEnd(_ descriptor: FileDescriptor, atMost maximum: Int = 1 << 26) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try unsafe chunk.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= maximum else {
        throw FaceCropError.overLimit(.fileBytes, actual: bytes.count, allowed: maximum)
      }
    }
  }
}
