internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
public import SystemPackage

/// Files in a folder, by hashes that name them, within a budget of bytes: those that were not read for longest go first. A file counts with
/// the blocks that it takes on the disk, and at least 4 KiB, so that the budget bounds the number of files too.
///
/// Any number of processes may share the folder. A file appears whole or not at all. The folder is marked, by a hidden file. Only files
/// that are named like its own, `<64 hexadecimal digits>.<ending>` and their temporary forms, are counted, read and deleted. Files are
/// read and written on threads outside Swift's cooperative pool; a task that is cancelled meanwhile waits for that. What is no regular file,
/// a link or a pipe under such a name, is never followed or read.
public final class CacheFolder: Sendable {
  /// The folder of the files, for this cache alone.
  public let folder: FilePath
  /// Bytes that all files may take on the disk.
  public let budget: Int
  /// With its dot.
  private let ending: String
  private let state = Mutex(State())

  private struct State {
    /// Bytes written since the folder was last looked through.
    var written: Int
    var statistics = Statistics()
    init() { written = .max }
  }

  /// Counts since the cache was opened.
  public struct Statistics: Sendable, Equatable {
    /// Files found and read.
    public var hits = 0
    /// Files that were not there, or could not be read.
    public var misses = 0
    /// Files that could not be kept, because the disk is full or cannot be written.
    public var faults = 0
  }

  /// Counts since the cache was opened.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// - Parameters:
  ///   - folder: Made if it is not there; for this cache alone. One that has other files in it and was not marked by a cache is
  ///     refused, with `Errno.directoryNotEmpty`.
  ///   - ending: Of the files' names, without a dot.
  ///   - budget: Bytes of all files. May be exceeded by a sixteenth, for each process.
  /// - Throws: The system's word.
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

  // MARK: Whose the folder is

  private static let marker = ".facecrop-cache"

  /// Marks a folder that is empty, or that has nothing in it but a cache's files, as caches before left them.
  private func mark() throws(Errno) {
    let marker = folder.appending(Self.marker)
    var status = stat()
    if unsafe marker.withPlatformString({ unsafe lstat($0, &status) }) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { throw .fileExists }
      return
    }
    guard errno == ENOENT else { throw Errno(rawValue: errno) }
    // Another process may mark it meanwhile, and begin.
    let names = try Self.names(in: folder)
    guard names.allSatisfy({ $0 == Self.marker || isOwn($0) || Self.isTemporary($0) }) else {
      throw .directoryNotEmpty
    }
    do {
      let file = try FileDescriptor.open(
        marker, .writeOnly, options: [.create, .noFollow, .nonBlocking, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try file.close()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Hidden ones, and those that are not UTF-8, too.
  private static func names(in folder: FilePath) throws(Errno) -> [String] {
    // Has the system's word on a folder that cannot be read.
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

  private func isOwn(_ name: String) -> Bool {
    name.hasSuffix(ending) && Self.isHash(name.dropLast(ending.count))
  }

  /// See ``temporary(_:)``.
  private static func isTemporary(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0].hasPrefix(".") && isHash(parts[0].dropFirst())
      && parts[1...].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
  }

  /// Bytes that the files that are there take on the disk.
  public var size: Int { files(isOwn).reduce(0) { $0 + $1.bytes } }

  // MARK: Reading and writing

  private func path(_ name: String) -> FilePath { folder.appending("\(name)\(ending)") }

  /// The path of a file that is not whole yet.
  private func temporary(_ name: String) -> FilePath {
    folder.appending(".\(name)-\(getpid())-\(UInt32.random(in: .min ... .max))")
  }

  /// A file's bytes; nil where there is none, or more than the budget. It counts as used now.
  ///
  /// - Parameter name: 64 hexadecimal digits, in lower case.
  public func bytes(named name: String) async -> [UInt8]? {
    guard Self.isHash(name[...]) else { return nil }
    let bytes = await offPool { [self] in read(name) }
    state.withLock { if bytes == nil { $0.statistics.misses += 1 } else { $0.statistics.hits += 1 } }
    return bytes
  }

  private func read(_ name: String) -> [UInt8]? {
    // Not for writing: a folder that became read-only still has its files.
    let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
    guard let file = try? FileDescriptor.open(path(name), .readOnly, options: options) else { return nil }
    defer { try? file.close() }
    // A pipe would be waited for; what takes its name when a file is stored replaces it.
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    guard let bytes = try? file.readToEnd(atMost: budget) else {
      remove(path(name))
      return nil
    }
    // Files go in the order of their times.
    futimens(file.rawValue, nil)
    return bytes
  }

  /// Keeps a file. What cannot be written, or is more than the budget, is not kept. On a full disk, files that were not used for
  /// longest make room.
  ///
  /// - Parameters:
  ///   - bytes: All of the file.
  ///   - name: 64 hexadecimal digits, in lower case.
  /// - Returns: The system's error if the file could not be written, else nil.
  @discardableResult
  public func store(_ bytes: [UInt8], named name: String) async -> Errno? {
    guard Self.isHash(name[...]), Self.diskBytes(length: bytes.count) <= budget else { return nil }
    return await offPool { [self] in
      var fault = write(bytes, name)
      // Other files than the cache's may fill the disk: the cache then becomes small, not useless.
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

  /// How often files make room for one file on a full disk.
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

  /// Drops a file: one that is not what it should be.
  ///
  /// - Parameter name: 64 hexadecimal digits, in lower case.
  public func remove(named name: String) async {
    guard Self.isHash(name[...]) else { return }
    await offPool { [self] in remove(path(name)) }
  }

  // MARK: Size

  private struct Entry {
    var path: FilePath
    var bytes: Int
    /// When it was last used, since 1970.
    var time: timespec
  }

  /// Bytes that a file takes on the disk, at least.
  ///
  /// - Parameters:
  ///   - length: of the file.
  ///   - blocks: of 512 bytes, by the file system, which may not know of all of them yet.
  private static func diskBytes(length: Int, blocks: Int = 0) -> Int {
    let block = 4_096
    return max(length / block * block + (length % block > 0 || length == 0 ? block : 0), blocks * 512)
  }

  /// - Parameter isWanted: says it of a name.
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

  /// Drops what was not used for longest, and what a killed process left half-written.
  ///
  /// - Parameter target: Bytes that all files may take afterwards.
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
      // Not the default queue, whose threads most tasks run on.
      DispatchQueue.global(qos: .utility).async { continuation.resume(returning: body()) }
    }
  }
}

extension Errno {
  /// No more disk space for this user.
  fileprivate static let quotaExceeded = Errno(rawValue: Glibc.EDQUOT)
}
