public import FoundationEssentials
internal import SystemPackage

extension ImageAsset {
  /// The file that a URL names; see ``file(_:id:)-(FilePath,_)``.
  ///
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` if it is no file's: that is what ``remote(_:)`` is for.
  public static func url(_ url: URL, id: ID? = nil) throws(FaceCropError) -> ImageAsset {
    guard url.isFileURL else {
      throw .invalidRequest(
        "'\(url.scheme ?? "")' is not the scheme of a file URL (use a remote asset, or pass the bytes)")
    }
    return .file(FilePath(url.path), id: id)
  }

  /// A whole file in memory, which is copied once; see ``bytes(_:id:)``.
  public static func data(_ data: Data, id: ID? = nil) -> ImageAsset { .bytes([UInt8](data), id: id) }
}
