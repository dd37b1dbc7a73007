public import SystemPackage

/// A disk cache of images, within a budget of bytes. File names are hashes of image, request, and algorithm.
///
/// Any number of processes of one user may share the folder. Files are written atomically, with a checksum. A damaged
/// file is deleted and made again, so that a killed process never leaves wrong images.
///
/// A hidden file marks the folder. Only files with the cache's own names, `<64 hexadecimal digits>.picture` and their
/// temporary forms, are counted, read, and deleted.
public final class DiskCache: Sendable {
  private let files: CacheFolder

  /// The folder, which belongs to this cache alone.
  public var folder: FilePath { files.folder }
  /// The upper bound of all files on the disk, in bytes.
  public var budget: Int { files.budget }
  /// The bytes that the files take on the disk.
  public var size: Int { files.size }

  /// Opens a cache.
  ///
  /// - Parameters:
  ///   - folder: The folder, as for ``CacheFolder/init(folder:ending:budget:)-(FilePath,_,_)``.
  ///   - budget: The upper bound of all files, in bytes. Each process may exceed it by a sixteenth. Default 512 MiB.
  /// - Throws: The system's error.
  public init(folder: FilePath, budget: Int = 512 << 20) throws(Errno) {
    files = try CacheFolder(folder: folder, ending: "picture", budget: budget)
  }

  /// Opens a cache in the folder at a path, like the initializer for a `FilePath`.
  public convenience init(folder: String, budget: Int = 512 << 20) throws(Errno) {
    try self.init(folder: FilePath(folder), budget: budget)
  }

  /// Returns a file name from the image's bytes and the request; nil if the bytes are not available.
  static func name(of key: RequestKey, _ asset: ResolvedAsset, detector: String) async -> String? {
    func name(_ identifier: String) -> String {
      let rules = "\(StoredResponse.version) \(AlgorithmRevision.current) \(StableKey.version)"
      return ContentHash(of: "\(rules) \(identifier) \(StableKey(key).text) \(detector)").hexadecimal
    }
    guard let source = asset.source else { return name(key.asset.id.rawValue) }
    let content = try? await Job.run(limits: Limits(), progress: nil) { (job) throws(FaceCropError) in
      try source.withBytes(limits: Limits(), job: job) { (bytes, _) throws(FaceCropError) in ContentHash(of: bytes) }
    }
    // The same image at another path has the same name.
    return content.map { name($0.hexadecimal) }
  }

  func response(named name: String) async -> ImageResponse? {
    guard let bytes = await files.bytes(named: name) else { return nil }
    if let response = StoredResponse.read(bytes) { return response }
    // The file is foreign or damaged.
    await files.remove(named: name)
    return nil
  }

  /// Stores a response, if it can be written.
  func store(_ response: ImageResponse, named name: String) async {
    guard let bytes = StoredResponse.bytes(of: response) else { return }
    await files.store(bytes, named: name)
  }
}
