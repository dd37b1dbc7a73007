public import SystemPackage

/// Pictures in a folder, by the hash of what they were made of and how, within a budget of bytes.
///
/// Any number of processes may share the folder. A file appears whole or not at all, carries a checksum, and is dropped when
/// it does not hold: whatever was killed when, the next one reads pictures that are right, or makes them anew.
///
/// The folder is marked, by a hidden file. Only files that are named like its own, `<64 hexadecimal digits>.picture` and their
/// temporary forms, are counted, read and deleted.
public final class DiskCache: Sendable {
  private let files: CacheFolder

  /// The folder of the files, for this cache alone.
  public var folder: FilePath { files.folder }
  /// Bytes that all files may take on the disk.
  public var budget: Int { files.budget }
  /// Bytes that the files that are there take on the disk.
  public var size: Int { files.size }

  /// - Parameters:
  ///   - folder: Made if it is not there; for this cache alone. One that has other files in it and was not marked by a cache is
  ///     refused, with `Errno.directoryNotEmpty`.
  ///   - budget: Bytes of all files. Default 512 MiB. May be exceeded by a sixteenth, for each process.
  /// - Throws: The system's word.
  public init(folder: FilePath, budget: Int = 512 << 20) throws(Errno) {
    files = try CacheFolder(folder: folder, ending: "picture", budget: budget)
  }

  /// The same by a path in a string.
  public convenience init(folder: String, budget: Int = 512 << 20) throws(Errno) {
    try self.init(folder: FilePath(folder), budget: budget)
  }

  /// A file's name, by the picture's own bytes and the request. Nil when the bytes are not here.
  static func name(of key: RequestKey, _ asset: ResolvedAsset, detector: String) async -> String? {
    func name(_ key: RequestKey) -> String {
      let rules = "\(StoredResponse.version) \(AlgorithmRevision.current)"
      return ContentHash(of: Array("\(rules) \(key) \(detector)".utf8)).hexadecimal
    }
    guard let source = asset.source else { return name(key) }
    let content = try? await Job.run(limits: Limits(), progress: nil) { (job) throws(FaceCropError) in
      try source.withBytes(limits: Limits(), job: job) { (bytes, _) throws(FaceCropError) in ContentHash(of: bytes) }
    }
    guard let content else { return nil }
    var key = key
    // The same picture elsewhere is the same.
    key.asset = AssetVersion(id: ImageAsset.ID(rawValue: content.hexadecimal))
    return name(key)
  }

  func response(named name: String) async -> ImageResponse? {
    guard let bytes = await files.bytes(named: name) else { return nil }
    if let response = StoredResponse.read(bytes) { return response }
    // Not ours, or torn by the disk.
    await files.remove(named: name)
    return nil
  }

  /// What cannot be written is not kept.
  func store(_ response: ImageResponse, named name: String) async {
    guard let bytes = StoredResponse.bytes(of: response) else { return }
    await files.store(bytes, named: name)
  }
}
