internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
public import SystemPackage

/// A folder of files named by hashes, within a budget of bytes. The least recently used files are deleted first. A file
/// counts with its blocks on the disk, and at least 4 KiB, so that the budget also bounds the number of files.
///
/// Any number of processes may share the folder. Files are written atomically. A hidden file marks the folder. Only
/// files with the cache's own names, `<64 hexadecimal digits>.<ending>` and their temporary forms, are counted, read,
/// and deleted. Links and pipes are never followed or read. Reading and writing run outside Swift's cooperative pool,
/// and a cancelled task waits for them.
///
/// Make a name by SHA-256 of a ``StableKey``'s text, and of everything else that decides the bytes; see <doc:Caching>.
public final class CacheFolder: Sendable {
  /// The folder, which belongs to this cache alone.
  public let folder: FilePath
  /// The upper bound of all files on the disk, in bytes.
  public let budget: Int
  /// The file extension with its dot.
  private let ending: String
  private let state = Mutex(State())

  private struct State {
    /// The bytes written since the last scan of the folder.
    var written: Int
    var statistics = Statistics()
    init() { written = .max }
  }

  /// Counts since the cache was opened.
  public struct Statistics: Sendable, Equatable {
    /// Files that were found and read.
    public var hits = 0
    /// Files that were missing or unreadable.
    public var misses = 0
    /// Files that could not be written, for example because the disk is full.
    public var faults = 0
  }

  /// Counts since the cache was opened.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Opens a cache.
  ///
  /// - Parameters:
  ///   - folder: The folder, for this cache alone. It is created if missing. A folder with other files and without a
  ///     cache's mark is refused with `Errno.directoryNotEmpty`.
  ///   - ending: The file extension without a dot.
  ///   - budget: The upper bound of all files, in bytes. Each process may exceed it by a sixteenth.
  /// - Throws: The system's error.
  public init(folder: FilePath, ending: String, budget: Int) throws(Errno) {
    self.folder = folder
    self.budget = budget
    self.ending = ".\(ending)"
    var made = FilePath(root: folder.root, [])
    for component in folder.components {
      made.append(component)
      let status = unsafe made.withPlatformString { unsafe mkdir($0, 0o777) }
      guard status == 0 || errno == EEXIST || errno == EISDIR else { throw Errno(rawValue: errno) }
    }
    try mark()
  }

  /// Opens a cache in the folder at a path, like the initializer for a `FilePath`.
  public convenience init(folder: String, ending: String, budget: Int) throws(Errno) {
    try self.init(folder: FilePath(folder), ending: ending, budget: budget)
  }

  /// Checks that this user can open and write a cache in a folder, and creates nothing. Of a missing folder, the nearest
  /// existing one above it is checked.
  ///
  /// - Throws: The system's error.
  public static func check(_ folder: FilePath, ending: String) throws(Errno) {
    var place = folder
    var status = stat()
    while unsafe place.withPlatformString({ unsafe lstat($0, &status) }) != 0 {
      guard errno == ENOENT, place != "." else { throw Errno(rawValue: errno) }
      place.removeLastComponent()
      if place.isEmpty { place = "." }
    }
    // A link may lead to a folder, or nowhere.
    guard unsafe place.withPlatformString({ unsafe stat($0, &status) }) == 0 else { throw Errno(rawValue: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory }
    guard unsafe place.withPlatformString({ unsafe access($0, W_OK | X_OK) }) == 0 else {
      throw Errno(rawValue: errno)
    }
    if place == folder { _ = try isMarked(folder, ".\(ending)") }
  }

  // MARK: Ownership

  private static let marker = ".facecrop-cache"

  /// Returns whether a folder has a cache's mark. Throws if it has none, and files that are no cache's.
  private static func isMarked(_ folder: FilePath, _ ending: String) throws(Errno) -> Bool {
    var status = stat()
    if unsafe folder.appending(marker).withPlatformString({ unsafe lstat($0, &status) }) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { throw .fileExists }
      return true
    }
    guard errno == ENOENT else { throw Errno(rawValue: errno) }
    // Another process may mark the folder at the same time.
    let names = try Self.names(in: folder)
    guard names.allSatisfy({ $0 == marker || isOwn($0, ending) || isTemporary($0) }) else {
      throw .directoryNotEmpty
    }
    return false
  }

  /// Marks a folder that is empty, or contains only files of older caches.
  private func mark() throws(Errno) {
    guard try !Self.isMarked(folder, ending) else { return }
    do {
      let file = try FileDescriptor.open(
        folder.appending(Self.marker), .writeOnly, options: [.create, .noFollow, .nonBlocking, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try file.close()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Returns all names, hidden ones and those that are not UTF-8 included.
  private static func names(in folder: FilePath) throws(Errno) -> [String] {
    // This throws the system's error for an unreadable folder.
    _ = try DirectoryEntries(folder)
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.string)
    } catch {
      throw .ioError
    }
  }

  private static func isHash(_ text: Substring) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
  }

  private static func isOwn(_ name: String, _ ending: String) -> Bool {
    name.hasSuffix(ending) && isHash(name.dropLast(ending.count))
  }

  private func isOwn(_ name: String) -> Bool { Self.isOwn(name, ending) }

  /// Returns whether a name has the form of ``temporary(_:)``.
  private static func isTemporary(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0].hasPrefix(".") && isHash(parts[0].dropFirst())
      && parts[1...].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
  }

  /// The bytes that the files take on the disk.
  public var size: Int { files(isOwn).reduce(0) { $0 + $1.bytes } }

  // MARK: Reading and writing

  private func path(_ name: String) -> FilePath { folder.appending("\(name)\(ending)") }

  /// Returns the path of an unfinished file.
  private func temporary(_ name: String) -> FilePath {
    folder.appending(".\(name)-\(getpid())-\(UInt32.random(in: .min ... .max))")
  }

  /// Reads a file, and marks it as used; nil if it is missing or larger than the budget.
  ///
  /// - Parameter name: 64 lowercase hexadecimal digits.
  public func bytes(named name: String) async -> [UInt8]? {
    guard Self.isHash(name[...]) else { return nil }
    let bytes = await offPool { [self] in read(name) }
    state.withLock { if bytes == nil { $0.statistics.misses += 1 } else { $0.statistics.hits += 1 } }
    return bytes
  }

  private func read(_ name: String) -> [UInt8]? {
    // A folder that became read-only can still be read.
    let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
    guard let file = try? FileDescriptor.open(path(name), .readOnly, options: options) else { return nil }
    defer { try? file.close() }
    // A pipe would block.
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    guard let bytes = try? file.readToEnd(atMost: budget) else {
      remove(path(name))
      return nil
    }
    // Files are deleted in the order of their times.
    futimens(file.rawValue, nil)
    return bytes
  }

  /// Stores a file, unless it exceeds the budget. On a full disk, the least recently used files make room.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - name: 64 lowercase hexadecimal digits.
  /// - Returns: The system's error if the file could not be written, `invalidArgument` for another name, else nil.
  @discardableResult
  public func store(_ bytes: [UInt8], named name: String) async -> Errno? {
    guard Self.isHash(name[...]) else { return .invalidArgument }
    guard Self.diskBytes(length: bytes.count) <= budget else { return nil }
    return await offPool { [self] in
      var fault = write(bytes, name)
      // If other files fill the disk, the cache shrinks but stays usable.
      for _ in 0..<Self.mostEvictions where fault == .noSpace || fault == .quotaExceeded {
        let size = size
        guard size > 0 else { break }
        shrink(to: max(size - max(size / 4, 2 * bytes.count), 0))
        fault = write(bytes, name)
      }
      let isDue = state.withLock { state in
        if fault != nil { state.statistics.faults += 1 }
        let (sum, overflows) = state.written.addingReportingOverflow(
          fault == nil ? Self.diskBytes(length: bytes.count) : 0)
        state.written = overflows ? .max : sum
        return state.written > budget / 16
      }
      if isDue { shrink(to: budget) }
      return fault
    }
  }

  /// The upper bound of attempts to make room for one file.
  private static let mostEvictions = 8

  private func write(_ bytes: [UInt8], _ name: String) -> Errno? {
    let temporary = temporary(name)
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
      return nil
    } catch {
      remove(temporary)
      return error as? Errno ?? .ioError
    }
  }

  /// Deletes a file, for example a damaged one.
  ///
  /// - Parameter name: 64 lowercase hexadecimal digits.
  public func remove(named name: String) async {
    guard Self.isHash(name[...]) else { return }
    await offPool { [self] in remove(path(name)) }
  }

  // MARK: Size

  private struct Entry {
    var path: FilePath
    var bytes: Int
    /// The time of the last use since 1970.
    var time: timespec
  }

  /// Returns a lower bound of the bytes of a file on the disk. Its blocks have 512 bytes, and the file system may
  /// report them late.
  private static func diskBytes(length: Int, blocks: Int = 0) -> Int {
    let block = 4_096
    return max(length / block * block + (length % block > 0 || length == 0 ? block : 0), blocks * 512)
  }

  /// Returns the files with names that pass the filter.
  private func files(_ isWanted: (String) -> Bool) -> [Entry] {
    ((try? Self.names(in: folder)) ?? []).filter(isWanted).compactMap { name in
      var status = stat()
      let path = folder.appending(name)
      guard unsafe path.withPlatformString({ unsafe lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      return Entry(
        path: path, bytes: Self.diskBytes(length: Int(status.st_size), blocks: Int(status.st_blocks)),
        time: status.st_mtim)
    }
  }

  /// Deletes the least recently used files until all have up to `target` bytes, and unfinished files of killed
  /// processes.
  private func shrink(to target: Int) {
    state.withLock { $0.written = 0 }
    let hourAgo = time(nil) - 3_600
    for entry in files(Self.isTemporary) where entry.time.tv_sec < hourAgo { remove(entry.path) }
    var entries = files(isOwn)
    var bytes = entries.reduce(0) { $0 + $1.bytes }
    entries.sort { ($0.time.tv_sec, $0.time.tv_nsec) < ($1.time.tv_sec, $1.time.tv_nsec) }
    for entry in entries where bytes > target {
      remove(entry.path)
      bytes -= entry.bytes
    }
  }

  private func remove(_ path: FilePath) {
    _ = unsafe path.withPlatformString { unsafe unlink($0) }
  }

  private func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      // Most tasks run on the threads of the default queue.
      DispatchQueue.global(qos: .utility).async { continuation.resume(returning: body()) }
    }
  }
}

extension Errno {
  /// The error of an exceeded disk quota.
  fileprivate static let quotaExceeded = Errno(rawValue: Glibc.EDQUOT)
}
