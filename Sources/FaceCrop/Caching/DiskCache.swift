internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
public import SystemPackage

/// Pictures in a folder, by the hash of what they were made of and how, within a budget of bytes.
///
/// Any number of processes may share the folder. A file appears whole or not at all, carries a checksum, and is dropped when
/// it does not hold: whatever was killed when, the next one reads pictures that are right, or makes them anew.
public final class DiskCache: Sendable {
  /// Of this cache alone.
  public let folder: FilePath
  /// Bytes.
  public let budget: Int
  private let state = Mutex(State())

  private struct State {
    /// Bytes written since the folder was last looked through.
    var written: Int
    init() { written = .max }
  }

  /// - Parameters:
  ///   - folder: Made if it is not there; for this cache alone.
  ///   - budget: Bytes of all files. Default 512 MiB. May be exceeded by a sixteenth, for each process.
  /// - Throws: The system's word.
  public init(folder: FilePath, budget: Int = 512 << 20) throws(Errno) {
    self.folder = folder
    self.budget = budget
    var made = FilePath(root: folder.root, [])
    for component in folder.components {
      made.append(component)
      let status = unsafe made.withPlatformString { unsafe mkdir($0, 0o777) }
      guard status == 0 || errno == EEXIST || errno == EISDIR else { throw Errno(rawValue: errno) }
    }
  }

  /// Bytes of the files that are there.
  public var size: Int { files().reduce(0) { $0 + $1.bytes } }

  // MARK: Names

  /// Of a file: the picture's own bytes, and the request. Nil when the bytes are not here.
  static func name(of key: RequestKey, _ asset: ResolvedAsset, detector: String) async -> String? {
    guard let source = asset.source else {
      return ContentHash(of: Array("\(StoredResponse.version) \(key) \(detector)".utf8)).hexadecimal
    }
    let content = try? await Job.run(limits: Limits(), progress: nil) { (_) throws(FaceCropError) in
      try source.withBytes(limits: Limits()) { (bytes, _) throws(FaceCropError) in ContentHash(of: bytes) }
    }
    guard let content else { return nil }
    var key = key
    // The same picture elsewhere is the same.
    key.asset = AssetVersion(id: ImageAsset.ID(rawValue: content.hexadecimal))
    return ContentHash(of: Array("\(StoredResponse.version) \(key) \(detector)".utf8)).hexadecimal
  }

  private func path(_ name: String) -> FilePath { folder.appending("\(name).picture") }

  // MARK: Reading and writing

  func response(named name: String) async -> ImageResponse? {
    await offPool { [self] in
      guard let file = try? FileDescriptor.open(path(name), .readWrite, options: .closeOnExec) else { return nil }
      defer { try? file.close() }
      guard let bytes = try? file.readToEnd(atMost: budget), let response = StoredResponse.read(bytes) else {
        // Not ours, or torn by the disk.
        remove(path(name))
        return nil
      }
      // Files go in the order of their times.
      futimens(file.rawValue, nil)
      return response
    }
  }

  /// What cannot be written is not kept.
  func store(_ response: ImageResponse, named name: String) async {
    await offPool { [self] in
      guard let bytes = StoredResponse.bytes(of: response), bytes.count <= budget else { return }
      let temporary = folder.appending(".\(name)-\(getpid())-\(UInt32.random(in: .min ... .max))")
      do {
        let file = try FileDescriptor.open(
          temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
          permissions: [.ownerReadWrite, .groupRead, .otherRead])
        defer { try? file.close() }
        try file.writeAll(bytes)
        let status = unsafe temporary.withPlatformString { from in
          unsafe path(name).withPlatformString { unsafe rename(from, $0) }
        }
        guard status == 0 else { throw Errno(rawValue: errno) }
      } catch {
        remove(temporary)
        return
      }
      let isDue = state.withLock { state in
        let (sum, overflows) = state.written.addingReportingOverflow(bytes.count)
        state.written = overflows ? .max : sum
        return state.written > budget / 16
      }
      if isDue { shrink() }
    }
  }

  // MARK: Size

  private struct Entry {
    var path: FilePath
    var bytes: Int
    /// Of the last use, since 1970.
    var time: timespec
  }

  private func files() -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
    return names.compactMap { name in
      var status = stat()
      let path = folder.appending(name)
      guard unsafe path.withPlatformString({ unsafe lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      return Entry(path: path, bytes: Int(status.st_size), time: status.st_mtim)
    }
  }

  /// Drops what was not used for longest, and what a killed process left half-written.
  private func shrink() {
    state.withLock { $0.written = 0 }
    var entries = files()
    let hourAgo = time(nil) - 3_600
    entries.removeAll { entry in
      guard entry.path.lastComponent?.string.hasPrefix(".") == true else { return false }
      if entry.time.tv_sec < hourAgo { remove(entry.path) }
      return true
    }
    var bytes = entries.reduce(0) { $0 + $1.bytes }
    entries.sort { ($0.time.tv_sec, $0.time.tv_nsec) < ($1.time.tv_sec, $1.time.tv_nsec) }
    for entry in entries where bytes > budget {
      remove(entry.path)
      bytes -= entry.bytes
    }
  }

  private func remove(_ path: FilePath) {
    _ = unsafe path.withPlatformString { unsafe unlink($0) }
  }

  private func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      // Not the default queue, whose threads most tasks run on.
      DispatchQueue.global(qos: .utility).async { continuation.resume(returning: body()) }
    }
  }
}
