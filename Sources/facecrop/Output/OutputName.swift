import FaceCrop
import SystemPackage

/// How outputs are named.
enum OutputName {
  /// What an extension says.
  enum Format: Equatable {
    case written(ImageFormat)
    /// The name of a format that is not written.
    case unwritten(String)
  }

  /// By extension, the first of each format its usual one.
  private static let written: [(extension: String, format: ImageFormat)] = [
    ("jpg", .jpeg), ("jpeg", .jpeg), ("jpe", .jpeg), ("jfif", .jpeg), ("png", .png), ("webp", .webp),
  ]
  private static let unwritten = [
    "gif": "GIF", "tif": "TIFF", "tiff": "TIFF", "bmp": "BMP", "heic": "HEIC", "heif": "HEIF", "avif": "AVIF",
    "jxl": "JPEG XL", "jp2": "JPEG 2000", "svg": "SVG", "pdf": "PDF",
  ]

  /// Nil when the name has no extension, or one that says nothing.
  static func format(of path: FilePath) -> Format? {
    let own = (path.extension ?? "").lowercased()
    if let written = written.first(where: { $0.extension == own }) { return .written(written.format) }
    return unwritten[own].map { .unwritten($0) }
  }

  /// Beside `input`: `NAME-crop.EXT`, with the input's extension if it is one of the format's.
  static func beside(_ input: FilePath, suffix: String, format: ImageFormat) -> FilePath {
    var path = input
    path.extension = nil
    let name = path.lastComponent?.string ?? "picture"
    return path.removingLastComponent().appending("\(name)-\(suffix).\(ending(format, like: input))")
  }

  /// The extension of outputs in `format`: the input's if it is one of the format's.
  static func ending(_ format: ImageFormat, like input: FilePath) -> String {
    let own = Self.format(of: input) == .written(format) ? input.extension : nil
    return own ?? written.first { $0.format == format }?.extension ?? format.rawValue
  }

  /// `NAME-2.EXT` for the second of several outputs, `NAME-512.EXT` for one of several sizes.
  static func numbered(_ path: FilePath, _ number: Int) -> FilePath {
    var stem = path
    stem.extension = nil
    let ending = path.extension.map { ".\($0)" } ?? ""
    return path.removingLastComponent().appending("\(stem.lastComponent?.string ?? "")-\(number)\(ending)")
  }
}
