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

  /// Formats that are neither read nor written, and a name that stands for two of those that are read, by extension.
  private static let others = [
    "bmp": "BMP", "heif": "HEIF", "hif": "HEIF", "jp2": "JPEG 2000", "svg": "SVG", "pdf": "PDF",
  ]

  /// Nil when the name has no extension, or one that says nothing.
  static func format(of path: FilePath) -> Format? {
    let own = (path.extension ?? "").lowercased()
    if let format = ImageFormat.allCases.first(where: { $0.fileExtensions.contains(own) }) {
      return format.isWritten ? .written(format) : .unwritten(format.name)
    }
    return others[own].map { .unwritten($0) }
  }

  /// The name of an output beside `input`: `NAME-crop.EXT`, with the input's extension if it is one of the format's.
  static func beside(_ input: FilePath, suffix: String, format: ImageFormat) -> FilePath {
    let stem = parts(of: input).stem
    return input.removingLastComponent()
      .pushing(FilePath(bytes: stem + "-\(suffix).\(ending(format, like: input))".utf8))
  }

  /// The extension of outputs in `format`: the input's if it is one of the format's.
  static func ending(_ format: ImageFormat, like input: FilePath) -> String {
    let own = Self.format(of: input) == .written(format) ? input.extension : nil
    return own ?? format.fileExtensions[0]
  }

  /// `NAME-2.EXT` for the second of several outputs, `NAME-512.EXT` for one of several sizes.
  static func numbered(_ path: FilePath, _ number: Int) -> FilePath {
    let (stem, ending) = parts(of: path)
    return path.removingLastComponent().pushing(FilePath(bytes: stem + "-\(number)".utf8 + ending))
  }

  /// The bytes of a file's name without its extension, and of that with its dot.
  private static func parts(of path: FilePath) -> (stem: [UInt8], ending: [UInt8]) {
    guard let last = path.lastComponent else { return (Array("picture".utf8), []) }
    let name = FilePath(root: nil, [last])
    var stem = name
    stem.extension = nil
    return (stem.bytes, Array(name.bytes.dropFirst(stem.bytes.count)))
  }
}
