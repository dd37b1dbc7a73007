import SystemPackage

/// How outputs are named.
enum OutputName {
  private static let jpegExtensions: Set<String> = ["jpg", "jpeg", "jpe", "jfif"]

  /// Beside `input`: `NAME-crop.EXT`, with the input's extension if it is one of JPEG's.
  static func beside(_ input: FilePath, suffix: String) -> FilePath {
    let own = input.extension ?? ""
    var path = input
    path.extension = nil
    let name = path.lastComponent?.string ?? "picture"
    let ending = jpegExtensions.contains(own.lowercased()) ? own : "jpg"
    return path.removingLastComponent().appending("\(name)-\(suffix).\(ending)")
  }

  /// `NAME-2.EXT` for the second of several outputs, `NAME-512.EXT` for one of several sizes.
  static func numbered(_ path: FilePath, _ number: Int) -> FilePath {
    var stem = path
    stem.extension = nil
    let ending = path.extension.map { ".\($0)" } ?? ""
    return path.removingLastComponent().appending("\(stem.lastComponent?.string ?? "")-\(number)\(ending)")
  }

  /// The formats that this version does not write, by extension.
  static func unwritableFormat(of path: FilePath) -> String? {
    let names = [
      "png": "PNG", "webp": "WebP", "gif": "GIF", "tif": "TIFF", "tiff": "TIFF", "heic": "HEIC", "avif": "AVIF",
    ]
    return names[(path.extension ?? "").lowercased()]
  }
}
