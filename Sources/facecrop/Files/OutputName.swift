import FaceCrop
import SystemPackage

enum OutputName {
  /// The format of a file extension.
  enum Format: Equatable {
    case written(ImageFormat)
    /// A format that is not written, with its name.
    case unwritten(String)
  }

  /// The extensions of formats that are neither read nor written, and of HEIF, which can be HEIC or AVIF.
  private static let others = [
    "bmp": "BMP", "heif": "HEIF", "hif": "HEIF", "jp2": "JPEG 2000", "svg": "SVG", "pdf": "PDF",
  ]

  /// Returns the format of an extension; nil if it is missing or unknown.
  static func format(of path: FilePath) -> Format? {
    let own = (path.extension ?? "").lowercased()
    if let format = ImageFormat.allCases.first(where: { $0.fileExtensions.contains(own) }) {
      return format.isWritten ? .written(format) : .unwritten(format.name)
    }
    return others[own].map { .unwritten($0) }
  }

  /// Returns the extension of a written format that differs in one letter, or has the same letters; nil for none.
  static func misspelled(_ word: String) -> String? {
    let word = word.lowercased()
    let known = ImageFormat.allCases.filter(\.isWritten).flatMap(\.fileExtensions)
    return known.first { $0.sorted() == word.sorted() } ?? NearestWord.to(word, of: known, within: 1)
  }

  /// Returns the name of an output beside `input`: `NAME-crop.EXT`, with the input's extension if it fits the format.
  static func beside(_ input: FilePath, suffix: String, format: ImageFormat) -> FilePath {
    let stem = parts(of: input).stem
    return input.removingLastComponent()
      .pushing(FilePath(bytes: stem + "-\(suffix).\(ending(format, like: input))".utf8))
  }

  /// Returns the extension of outputs in `format`: the input's if it fits the format.
  static func ending(_ format: ImageFormat, like input: FilePath) -> String {
    let own = Self.format(of: input) == .written(format) ? input.extension : nil
    return own ?? format.fileExtensions[0]
  }

  /// Returns `NAME-2.EXT` for the second of several outputs, `NAME-512.EXT` for one of several sizes, or `NAME-16x9.EXT`
  /// for one of several shapes.
  static func numbered(_ path: FilePath, _ number: some CustomStringConvertible) -> FilePath {
    let (stem, ending) = parts(of: path)
    return path.removingLastComponent().pushing(FilePath(bytes: stem + "-\(number)".utf8 + ending))
  }

  /// Returns the bytes of a file's name without its extension, and of the extension with its dot.
  private static func parts(of path: FilePath) -> (stem: [UInt8], ending: [UInt8]) {
    guard let last = path.lastComponent else { return (Array("picture".utf8), []) }
    let name = FilePath(root: nil, [last])
    let stem = name.withoutExtension.bytes
    return (stem, Array(name.bytes.dropFirst(stem.count)))
  }
}
