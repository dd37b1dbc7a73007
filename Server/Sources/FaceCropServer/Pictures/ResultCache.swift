import FaceCrop
import Foundation
import Synchronization
import SystemPackage

/// Cached responses, in memory and in a folder that servers can share.
final class ResultCache: Sendable {
  private let memory: Mutex<LeastRecentlyUsed<Key, Answer>>
  private let folder: CacheFolder?
  let purges: Purges
  private let counts = Mutex(Statistics())
  /// Whether the folder could not store the last response.
  private let isFailing = Mutex(false)

  /// Opens the cache, or throws the fault of its folder.
  init(_ settings: Settings) throws(SettingsError) {
    folder = try Self.withFolder(settings) { (folder) throws(Errno) in
      try CacheFolder.check(folder, ending: Self.ending)
      return try CacheFolder(folder: folder, ending: Self.ending, budget: settings.cacheSize)
    }
    // All marks together take 16 MiB, so that none is evicted.
    purges = Purges(
      folder: try Self.withFolder(settings) { (folder) throws(Errno) in
        try CacheFolder(folder: folder.appending("purged"), ending: "mark", budget: 32 << 20)
      })
    memory = Mutex(LeastRecentlyUsed(budget: settings.cacheMemory))
  }

  /// The extension of the folder's files.
  private static let ending = "answer"

  /// Throws the fault of a folder that the cache could not use. Creates nothing, so that `--check` by another user
  /// leaves no folder that the server cannot write.
  static func check(_ settings: Settings) throws(SettingsError) {
    _ = try withFolder(settings) { (folder) throws(Errno) in try CacheFolder.check(folder, ending: ending) }
  }

  /// Calls `body` with the folder, unless there is none.
  private static func withFolder<Value>(
    _ settings: Settings, _ body: (FilePath) throws(Errno) -> Value
  ) throws(SettingsError) -> Value? {
    guard !settings.cacheFolder.isEmpty else { return nil }
    do throws(Errno) {
      return try body(FilePath(settings.cacheFolder))
    } catch {
      let reason = error == .notPermitted ? "it belongs to another user, or others can write it" : "\(error)"
      throw SettingsError(
        "\(settings.cacheFolder): the cache folder cannot be used: \(reason)"
          + " (set cache-folder to a new folder, or to one of this user that nobody else can write)")
    }
  }

  func answer(_ key: Key, noOlderThan age: Duration?) async -> Answer? {
    if let answer = memory.withLock({ $0.value(for: key) }) {
      guard answer.isFresh(age) else { return nil }
      counts.withLock { $0.memoryHits += 1 }
      return answer
    }
    guard let folder else { return nil }
    let bytes = await folder.bytes(named: key.name)
    guard let answer = bytes.flatMap({ Answer(stored: $0) }) else {
      counts.withLock { $0.folderMisses += 1 }
      if bytes != nil { await folder.remove(named: key.name) }
      return nil
    }
    counts.withLock { $0.folderHits += 1 }
    guard answer.isFresh(age) else { return nil }
    memory.withLock { $0.insert(answer, for: key, cost: answer.cost) }
    return answer
  }

  /// Stores a response. Returns the error when the folder begins to fail; nil otherwise, and once it was reported.
  func store(_ answer: Answer, _ key: Key) async -> Errno? {
    memory.withLock { $0.insert(answer, for: key, cost: answer.cost) }
    guard let folder, let bytes = answer.stored else { return nil }
    let fault = await folder.store(bytes, named: key.name)
    let wasFailing = isFailing.withLock { exchange(&$0, with: fault != nil) }
    return wasFailing ? nil : fault
  }

  /// Counts a request that joined an equal one.
  @Sendable
  func noteShared() { counts.withLock { $0.shared += 1 } }

  /// Counts since the server started.
  var statistics: Statistics {
    var statistics = counts.withLock { $0 }
    statistics.folderErrors = folder?.statistics.faults ?? 0
    return statistics
  }

  struct Statistics {
    var memoryHits = 0
    /// Responses that the folder had and had not. A file with other bytes counts as none.
    var folderHits = 0
    var folderMisses = 0
    /// Responses that the folder could not store.
    var folderErrors = 0
    /// Requests by name that joined an equal one. ``ImageManager/Statistics/shared`` has those with a body.
    var shared = 0
  }

  /// The key of a response: a hash of the source's version, the request and the format.
  struct Key: Hashable, Sendable {
    let name: String

    /// Creates a key from the source's version and the response's formats, of which the source decides; none for JSON.
    init(_ request: PictureRequest, version: String, formats: [ImageFormat]) {
      let names = formats.isEmpty ? "json" : formats.map(\.rawValue).joined(separator: " ")
      let rules = "6 \(AlgorithmRevision.current) \(StableKey.version)"
      name = CacheFolder.name(of: ["\(rules) \(version)", "\(StableKey(request).text) \(names)"])
    }
  }
}
