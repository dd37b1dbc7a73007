public import FoundationEssentials
internal import SystemPackage

extension ImageSource {
  /// Returns a source for the file at a file URL; see ``file(_:)-(FilePath)``.
  ///
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` for other URLs. Fetch these yourself, and pass their bytes.
  public static func url(_ url: URL) throws(FaceCropError) -> ImageSource {
    guard url.isFileURL else {
      throw .invalidRequest(
        url.scheme.map { "'\($0)' is not the scheme of a file URL (fetch the image, and pass its bytes)" }
          ?? "the URL has no scheme (for a path, use URL(filePath:))")
    }
    return .file(FilePath(url.path))
  }

  /// Returns a source for a whole file in memory, which is copied once.
  public static func data(_ data: Data) -> ImageSource { .bytes([UInt8](data)) }
}
