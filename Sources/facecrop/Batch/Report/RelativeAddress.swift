import FaceCrop
import FoundationEssentials
import SystemPackage

/// The relative addresses of files in a page.
enum RelativeAddress {
  /// Returns the address of a file relative to a folder, percent-encoded.
  static func text(to path: FilePath, from folder: FilePath) -> String {
    let steps = absolute(path).relative(to: absolute(folder)).components
    return steps.isEmpty ? "." : steps.map { encoded(FilePath(root: nil, [$0]).bytes) }.joined(separator: "/")
  }

  private static func absolute(_ path: FilePath) -> FilePath {
    FilePath(FileManager.default.currentDirectoryPath).pushing(path).lexicallyNormalized()
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
    return bytes.map { byte in
      if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
      return "%" + Hexadecimal.text([byte]).uppercased()
    }.joined()
  }
}
