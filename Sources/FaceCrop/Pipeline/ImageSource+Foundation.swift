public import FoundationEssentials
internal import SystemPackage

extension ImageSource {
  /// The file that a URL names; see ``file(_:)-(FilePath)``.
  ///
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` if it is no file's: fetch it, and give its bytes.
  public static func url(_ url: URL) throws(FaceCropError) -> ImageSource {
    guard url.isFileURL else {
      throw .invalidRequest(
        "'\(url.scheme ?? "")' is not the scheme of a file URL (fetch the image, and pass its bytes)")
    }
    return .file(FilePath(url.path))
  }

  /// A whole file in memory, which is copied once.
  public static func data(_ data: Data) -> ImageSource { .bytes([UInt8](data)) }
}
