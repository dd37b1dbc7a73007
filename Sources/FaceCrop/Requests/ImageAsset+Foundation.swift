public import FoundationEssentials
internal import SystemPackage

extension ImageAsset {
  /// Returns an asset for the file at a file URL; see ``file(_:id:)-(FilePath,_)``.
  ///
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` for other URLs. Use ``remote(_:)`` for these.
  public static func url(_ url: URL, id: ID? = nil) throws(FaceCropError) -> ImageAsset {
    guard url.isFileURL else {
      throw .invalidRequest(
        url.scheme.map { "'\($0)' is not the scheme of a file URL (use a remote asset, or pass the bytes)" }
          ?? "the URL has no scheme (for a path, use URL(filePath:))")
    }
    return .file(FilePath(url.path), id: id)
  }

  /// Returns an asset for a whole file in memory, which is copied once; see ``bytes(_:id:)``.
  public static func data(_ data: Data, id: ID? = nil) -> ImageAsset { .bytes([UInt8](data), id: id) }
}
