internal import Dispatch
internal import Glibc
internal import Synchronization
public import SystemPackage

/// A folder of files named by hashes, within a budget of bytes. The least recently used files are deleted first. A file
/// counts with its blocks on the disk, and at least 4 KiB, so that the budget also bounds the number of files.
///
/// Any number of processes of one user may share the folder, which other users can neither read nor write. Files are
/// written atomically. A hidden file marks the folder. Only files with the cache's own names, `<64 hexadecimal
/// digits>.<ending>` and their temporary forms, are counted, read, and deleted. Links, pipes, and files of other users
/// are never followed or read. Reading and writing run outside Swift's cooperative pool, and a cancelled task waits for
/// them.
///
/// Make a name by SHA-256 of a ``StableKey``'s text, and of everything else that decides the bytes; see <doc:Caching>.
public final class CacheFolder: Sendable {
  /// The folder, which belongs to this cache alone.
  public let folder: FilePath
  /// The upper bound of all files on the disk, in bytes.
  public let budget: Int
  /// The file extension with its dot.
  private let ending: String
  /// The open folder, which stays the same if its path leads elsewhere later.
  private let place: OpenedFolder
  private let state = Mutex(State())

  private struct State {
    /// The bytes written since the last scan of the folder.
    var written = Int.max
    var statistics = Statistics()
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
  ///   - folder: The folder, for this cache alone. It is created if missing, and gets the mode 0700. A folder with
  ///     other files and without a cache's mark is refused with `Errno.directoryNotEmpty`, and one that belongs to
  ///     another user or that others can write with `Errno.notPermitted`.
  ///   - ending: The file extension without a dot.
  ///   - budget: The upper bound of all files, in bytes. Each process may exceed it by a sixteenth.
  /// - Throws: The system's error.
  public init(folder: FilePath, ending: String, budget: Int) throws(Errno) {
    self.folder = folder
    self.budget = budget
    self.ending = ".\(ending)"
    var made = FilePath(root: folder.root, [])
    for (number, component) in folder.components.enumerated() {
      made.append(component)
      let mode: mode_t = number + 1 < folder.components.count ? 0o777 : 0o700
      let status = unsafe made.withPlatformString { unsafe mkdir($0, mode) }
      guard status == 0 || errno == EEXIST || errno == EISDIR else { throw Errno(rawValue: errno) }
    }
    place = try OpenedFolder(folder)
    if try !place.isMarked(self.ending) { try place.mark() }
    // Older versions let others list and read it.
    fchmod(place.descriptor, 0o700)
  }

  /// Opens a cache in the folder at a path, like the initializer for a `FilePath`.
  public convenience init(folder: String, ending: String, budget: Int) throws(Errno) {
    try self.init(folder: FilePath(folder), ending: ending, budget: budget)
  }

  /// Checks that this user can open and write a cache in a folder, and creates nothing. Of a missing folder, the nearest
  /// existing one above it is checked. Root may check the folder of another user, who will open it.
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
    if place == folder { _ = try OpenedFolder(folder, ofAnybody: geteuid() == 0).isMarked(".\(ending)") }
  }

  // MARK: Ownership

  fileprivate static func isHash(_ text: Substring) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy("0123456789abcdef".utf8.contains)
  }

  fileprivate static func isOwn(_ name: String, _ ending: String) -> Bool {
    name.hasSuffix(ending) && isHash(name.dropLast(ending.count))
  }

  private func isOwn(_ name: String) -> Bool { Self.isOwn(name, ending) }

  /// Returns whether a name has the form of ``temporary(_:)``.
  fileprivate static func isTemporary(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0].hasPrefix(".") && isHash(parts[0].dropFirst())
      && parts[1...].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
  }

  /// The bytes that the files take on the disk.
  public var size: Int { files(isOwn).reduce(0) { $0 + $1.bytes } }

  // MARK: Reading and writing

  /// Returns the name of an unfinished file.
  private func temporary(_ name: String) -> String { ".\(name)-\(getpid())-\(UInt32.random(in: .min ... .max))" }

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
    guard let file = try? place.open(name + ending, O_RDONLY | O_NONBLOCK) else { return nil }
    defer { try? file.close() }
    // A pipe would block. Others could write into folders of older versions.
    guard let status = try? Stat(file), status.type == .regular, status.userID.rawValue == geteuid() else { return nil }
    guard let bytes = try? file.readToEnd(atMost: budget) else {
      place.remove(name + ending)
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
        state.written = state.written.addingClamped(fault == nil ? Self.diskBytes(length: bytes.count) : 0)
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
      let file = try place.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
      defer { try? file.close() }
      try file.writeAll(bytes)
      guard unsafe renameat(place.descriptor, temporary, place.descriptor, name + ending) == 0 else {
        throw Errno(rawValue: errno)
      }
      return nil
    } catch {
      place.remove(temporary)
      return error as? Errno ?? .ioError
    }
  }

  /// Deletes a file, for example a damaged one.
  ///
  /// - Parameter name: 64 lowercase hexadecimal digits.
  public func remove(named name: String) async {
    guard Self.isHash(name[...]) else { return }
    await offPool { [self] in place.remove(name + ending) }
  }

  // MARK: Size

  private struct Entry {
    var name: String
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
    ((try? place.names()) ?? []).filter(isWanted).compactMap { name in
      guard let status = place.status(of: name), status.st_mode & S_IFMT == S_IFREG else { return nil }
      return Entry(
        name: name, bytes: Self.diskBytes(length: Int(status.st_size), blocks: Int(status.st_blocks)),
        time: status.st_mtim)
    }
  }

  /// Deletes the least recently used files until all have up to `target` bytes, and unfinished files of killed
  /// processes.
  private func shrink(to target: Int) {
    state.withLock { $0.written = 0 }
    let hourAgo = time(nil) - 3_600
    for entry in files(Self.isTemporary) where entry.time.tv_sec < hourAgo { place.remove(entry.name) }
    var entries = files(isOwn)
    var bytes = entries.reduce(0) { $0 + $1.bytes }
    entries.sort { ($0.time.tv_sec, $0.time.tv_nsec) < ($1.time.tv_sec, $1.time.tv_nsec) }
    for entry in entries where bytes > target {
      place.remove(entry.name)
      bytes -= entry.bytes
    }
  }

  private func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      // Most tasks run on the threads of the default queue.
      DispatchQueue.global(qos: .utility).async { continuation.resume(returning: body()) }
    }
  }
}

extension CacheFolder {
  /// Returns a name for a file that these texts decide: the SHA-256 digest of their lines, in 64 hexadecimal digits.
  public static func name(of parts: [String]) -> String { ContentHash(of: parts.joined(separator: "\n")).hexadecimal }
}

extension Errno {
  /// The error of an exceeded disk quota.
  fileprivate static let quotaExceeded = Errno(rawValue: Glibc.EDQUOT)
}

/// An open folder of a cache, which belongs to this user, and which no other user can write.
private final class OpenedFolder: Sendable {
  let descriptor: CInt

  private static let marker = ".facecrop-cache"

  init(_ path: FilePath, ofAnybody: Bool = false) throws(Errno) {
    descriptor = unsafe path.withPlatformString { unsafe Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    var status = stat()
    guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
    guard ofAnybody || status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { throw .notPermitted }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns whether it has a cache's mark. Throws if it has none, and files that are no cache's.
  func isMarked(_ ending: String) throws(Errno) -> Bool {
    if let status = status(of: Self.marker) {
      guard status.st_mode & S_IFMT == S_IFREG else { throw .fileExists }
      return true
    }
    guard errno == ENOENT else { throw Errno(rawValue: errno) }
    // Another process may mark the folder at the same time.
    let isOwn = { CacheFolder.isOwn($0, ending) || CacheFolder.isTemporary($0) || $0 == Self.marker }
    guard try names().allSatisfy(isOwn) else { throw .directoryNotEmpty }
    return false
  }

  /// Marks a folder that is empty, or contains only files of older caches.
  func mark() throws(Errno) {
    close(try open(Self.marker, O_WRONLY | O_CREAT | O_NONBLOCK).rawValue)
  }

  /// Opens a file, but no link. Only its owner can read a new one.
  func open(_ name: String, _ flags: CInt) throws(Errno) -> FileDescriptor {
    let file = unsafe openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: file)
  }

  func status(of name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  func remove(_ name: String) { unsafe unlinkat(descriptor, name, 0) }

  /// Returns all names, hidden ones and those that are not UTF-8 included.
  func names() throws(Errno) -> [String] {
    try DirectoryEntries(closing: open(".", O_RDONLY | O_DIRECTORY)).map(\.name)
  }
}
