import Glibc
import SystemPackage

/// A file that is written atomically.
///
/// The bytes go to an unnamed file in the same folder, which vanishes with the process. When it is complete and on the
/// disk it gets its name, and replaces an existing file. Some file systems have no unnamed files, and use a hidden
/// temporary file instead. Devices and pipes are written directly.
struct OutputFile: ~Copyable {
  /// The file's name in messages.
  private let shown: String
  private let folder: OpenFolder
  private let name: FilePath
  private let descriptor: FileDescriptor
  /// The temporary file's name, if it has one.
  private let temporary: FilePath?
  private let isStream: Bool
  /// The mode of the replaced file, which the new one keeps.
  private let mode: CModeT?
  private let gate: WriteGate
  private let replaces: Bool

  /// Opens the output's folder, and refuses outputs that cannot or must not be written, before any work is done. The
  /// path is the user's, and may lead anywhere, also to a device or pipe. Without `mayBeStream`, it refuses devices and
  /// pipes, so that a process with paths from others does not write to its own pipes.
  init(
    _ path: FilePath, gate: WriteGate, replacing: WriteGate.Replacing = .anything, mayBeStream: Bool = true
  ) throws(FileError) {
    let shown = path.string
    if FileStatus(path)?.isFolder == true { throw FileError(shown, "the output is a folder (name a file in it)") }
    let folder: OpenFolder
    do throws(Errno) {
      folder = try OpenFolder(path.folder)
    } catch {
      guard error == .noSuchFileOrDirectory else { throw .writing(shown, error) }
      throw FileError(shown, "its folder does not exist (create '\(path.folder)', or name another file)")
    }
    let name = FilePath(root: nil, path.components.suffix(1))
    let existing = try Self.existing(name, in: folder, shown: shown, gate)
    let own = try? folder.status(of: name, followsLinks: false)
    let isLink = own?.isSymbolicLink == true
    if let own = existing ?? own, own.isRegular || own.isSymbolicLink {
      try gate.check(path, own, replacing: replacing)
    }
    let isStream = existing.map { !$0.isRegular || isLink && Self.isDescriptor(path) } ?? false
    if isStream, !mayBeStream {
      let kind = existing.map { $0.isRegular ? "the name of an open file" : $0.kindName } ?? "nothing"
      throw FileError(shown, "the output is \(kind), not a regular file (name another file)")
    }
    (descriptor, temporary) = try isStream ? (Self.openStream(path), nil) : Self.openUnseen(in: folder, shown: shown)
    self.shown = shown
    self.folder = folder
    self.name = name
    self.isStream = isStream
    mode = isStream ? nil : existing?.mode
    self.gate = gate
    if case .nothing = replacing { replaces = false } else { replaces = true }
  }

  /// Opens a file in a folder. It may replace only a file or a symbolic link. `shown` is the path for messages.
  init(
    _ name: FilePath, in folder: consuming OpenFolder, shown: FilePath, gate: WriteGate
  ) throws(FileError) {
    let shown = shown.string
    let target = try Self.existing(name, in: folder, shown: shown, gate)
    let own = try? folder.status(of: name, followsLinks: false)
    if let own = target?.isFolder == true ? target : own, !own.isRegular, !own.isSymbolicLink {
      throw FileError(shown, "the output is \(own.kindName), not a regular file (choose another name or folder)")
    }
    (descriptor, temporary) = try Self.openUnseen(in: folder, shown: shown)
    self.shown = shown
    self.folder = folder
    self.name = name
    isStream = false
    mode = target.flatMap { $0.isRegular ? $0.mode : nil }
    self.gate = gate
    replaces = true
  }

  /// Returns the status of the existing file, links followed, if it may be replaced.
  private static func existing(
    _ name: FilePath, in folder: borrowing OpenFolder, shown: String, _ gate: WriteGate
  ) throws(FileError) -> FileStatus? {
    guard let existing = try? folder.status(of: name, followsLinks: true) else { return nil }
    try gate.check(existing, shown: shown)
    return existing
  }

  /// Returns whether the path, if it is a link, names an open file, like /dev/stdout. Such a link must not be replaced.
  static func isDescriptor(_ path: FilePath) -> Bool {
    path.starts(with: "/dev") || path.starts(with: "/proc")
  }

  private static func openStream(_ path: FilePath) throws(FileError) -> FileDescriptor {
    try FileError.wrap(path.string) { try FileDescriptor.open(path, .writeOnly, options: [.append, .closeOnExec]) }
  }

  /// Opens a new unnamed file in the folder, or one with a temporary name.
  private static func openUnseen(
    in folder: borrowing OpenFolder, shown: String
  ) throws(FileError) -> (FileDescriptor, temporary: FilePath?) {
    do throws(Errno) {
      do throws(Errno) {
        // An unnamed file gets its name by its link in /proc.
        if FileStatus("/proc/self/fd") != nil { return (try folder.openUnnamed(), nil) }
      } catch {
        // These errors mean that the file system has no unnamed files.
        guard [.notSupported, .isDirectory, .invalidArgument].contains(error) else { throw error }
      }
      let temporary = OpenFolder.temporaryName()
      return (try folder.openNew(temporary), temporary)
    } catch {
      throw .writing(shown, error)
    }
  }

  deinit {
    try? descriptor.close()
    if let temporary { folder.remove(temporary) }
  }

  /// Writes part of the bytes, for a file that is not in memory as a whole.
  borrowing func write(_ bytes: [UInt8]) throws(FileError) {
    _ = try FileError.wrap(shown) { try descriptor.writeAll(bytes) }
  }

  /// Writes the last bytes, or all, and publishes the file under its name. `beginning` replaces the start of the file,
  /// which is impossible for a device or pipe.
  consuming func commit(_ bytes: [UInt8], beginning: [UInt8] = []) throws(FileError) {
    guard beginning.isEmpty || !isStream else {
      throw FileError(shown, "TIFF is not written to pipes and devices (name a regular file)")
    }
    // Another output of the command may have the same name now.
    if !isStream { _ = try Self.existing(name, in: folder, shown: shown, gate) }
    do {
      try descriptor.writeAll(bytes)
      if !beginning.isEmpty { try descriptor.writeAll(toAbsoluteOffset: 0, beginning) }
      guard !isStream else { return }
      if let mode = mode ?? (temporary == nil ? nil : 0o666 & ~FileStatus.umask) {
        guard fchmod(descriptor.rawValue, mode) == 0 else { throw Errno(rawValue: errno) }
      }
      try descriptor.synchronize()
      try publish()
      gate.note(written: try FileStatus(of: descriptor))
    } catch {
      if !replaces, error as? Errno == .fileExists { throw WriteGate.exists(shown) }
      throw FileError.writing(shown, error)
    }
  }

  private func publish() throws(Errno) {
    if let temporary {
      if replaces { return try folder.rename(temporary, to: name) }
      return try folder.renameNew(temporary, to: name)
    }
    let own = FilePath("/proc/self/fd/\(descriptor.rawValue)")
    if try folder.link(own, as: name) { return }
    guard replaces else { throw Errno.fileExists }
    // Only rename replaces a file, and it needs a temporary name.
    let step = OpenFolder.temporaryName()
    guard try folder.link(own, as: step) else { throw Errno.fileExists }
    do throws(Errno) {
      try folder.rename(step, to: name)
    } catch {
      folder.remove(step)
      throw error
    }
  }
}
