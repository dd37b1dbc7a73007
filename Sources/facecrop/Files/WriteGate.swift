import FaceCrop
import Synchronization
import SystemPackage

/// The gate for every file that a command writes. It protects the command's inputs, under any path, link, or device,
/// and the files that the command has written.
final class WriteGate: Sendable {
  /// The files that an output may replace.
  enum Replacing: Sendable {
    /// Any file that the gate does not protect.
    case anything
    case nothing
    /// A file of one kind, which `isOwn` recognizes by its content. An empty file is of every kind.
    case own(title: String, option: String, isOwn: @Sendable (FilePath) -> Bool)

    /// Files with the name of an image, and images under another name, such as the temporary name of a script.
    static let images = own(title: "an image", option: "-o") { path in
      OutputName.format(of: path) != nil || (try? ImageSource.file(path).format()) != nil
    }
    static let sidecars = own(title: "a sidecar that facecrop wrote", option: "-o", isOwn: Sidecar.isOwn)
  }

  private let inputs: Set<FileStatus.Identity>
  /// The files of the command. A complete one has the status that it had then: if another process replaces it, a new
  /// file can get its number. Those without a status still grow, and their numbers are in use.
  private let written = Mutex<[FileStatus.Identity: FileVersion?]>([:])

  /// Creates a gate that protects files. Names without a file are ignored. Throws if standard output or error is one of
  /// the files.
  init(inputs: some Sequence<FilePath>) throws(FileError) {
    self.inputs = Set(inputs.compactMap { FileStatus($0)?.identity })
    try StandardDescriptors.check(inputs)
  }

  /// Creates a gate for one input or none.
  init(input: FilePath?) {
    inputs = Set(input.flatMap { FileStatus($0)?.identity }.map { [$0] } ?? [])
  }

  /// Throws an error if an existing file is protected. Messages have the output's path `shown`, and its kind `title`.
  func check(_ existing: FileStatus, shown: String, title: String = "output") throws(FileError) {
    if inputs.contains(existing.identity) {
      throw FileError(
        shown, "the \(title) would overwrite \(inputs.count == 1 ? "the" : "an") input (choose another name or folder)")
    }
    if let known = written.withLock({ $0[existing.identity] }), known == nil || known == FileVersion(existing) {
      throw FileError(shown, "the \(title) would overwrite another output of this command (choose another name)")
    }
  }

  /// Throws an error if the file at a path may not be replaced.
  func check(_ path: FilePath, _ existing: FileStatus, replacing: Replacing) throws(FileError) {
    switch replacing {
    case .anything: break
    case .nothing: throw Self.exists(path.string)
    case .own(let title, let option, let isOwn):
      guard existing.isRegular, existing.bytes > 0, !OutputFile.isDescriptor(path), !isOwn(path) else { return }
      throw FileError(path.string, "the existing file is not \(title) (name another file with \(option))")
    }
  }

  static func exists(_ shown: String) -> FileError {
    FileError(shown, "the output exists (leave out --no-clobber, or choose another name)", kind: "exists")
  }

  /// Protects a file that stays open, and may change.
  func note(open file: FileStatus) {
    written.withLock { _ = $0.updateValue(nil, forKey: file.identity) }
  }

  /// Protects a file that was written and is complete.
  func note(written file: FileStatus) {
    written.withLock { _ = $0.updateValue(FileVersion(file), forKey: file.identity) }
  }
}
