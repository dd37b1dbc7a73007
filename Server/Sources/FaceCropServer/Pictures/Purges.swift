import FaceCrop
import Synchronization
import SystemPackage

/// The marks of purged images, in memory and in a folder that servers can share. The keys of an image's responses,
/// pixels and faces begin with its mark. A purge changes it, so that nothing older is found again, not even responses
/// that are being made. Images share 4,096 marks by their hashes, so that marks need little room and no eviction.
final class Purges: Sendable {
  /// The time until a purge by another server is noticed.
  private static let delay = Duration.seconds(1)
  private let folder: CacheFolder?
  /// The known marks by the names of their files, and the times when they are read again.
  private let known = Mutex<[String: (mark: String, end: ContinuousClock.Instant)]>([:])

  init(folder: CacheFolder?) { self.folder = folder }

  /// Returns the mark of an image in this version; empty before a purge.
  func mark(of version: String) async -> String {
    let name = Self.name(version)
    let before = known.withLock { $0[name] }
    guard let folder, before.map({ $0.end <= .now }) ?? true else { return before?.mark ?? "" }
    let read = await folder.bytes(named: name).map { String(decoding: $0, as: UTF8.self) }
    return known.withLock { known in
      // A purge in the meantime counts.
      if known[name]?.mark == before?.mark { known[name] = (read ?? before?.mark ?? "", .now + Self.delay) }
      return known[name]?.mark ?? ""
    }
  }

  /// Changes the mark of an image. Returns the error if other servers, and later ones, cannot know it.
  func change(of version: String) async -> Errno? {
    let (name, mark) = (Self.name(version), "purge:\(UInt64.random(in: .min ... .max)):")
    known.withLock { $0[name] = (mark, .now + Self.delay) }
    return await folder?.store(Array(mark.utf8), named: name)
  }

  private static func name(_ version: String) -> String {
    CacheFolder.name(of: [String(CacheFolder.name(of: [version]).prefix(3))])
  }
}
