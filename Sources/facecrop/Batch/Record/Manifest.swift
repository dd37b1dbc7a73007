import FoundationEssentials
import SystemPackage

/// The record of what became of each input: JSON lines, one added for each picture when its outputs are on the disk. The
/// last line of an input is the one that counts.
actor Manifest {
  /// What a manifest knew when it was opened.
  typealias Entries = [FilePath: ManifestEntry]

  private let file: LineFile

  /// Opens it, or makes it, and repairs what a torn last line left.
  static func open(_ path: FilePath) throws(FileError) -> (Manifest, Entries) {
    var entries: Entries = [:]
    let decoder = JSONDecoder()
    let file = try LineFile(path, what: "manifest", option: "--manifest") { line in
      guard let entry = try? decoder.decode(ManifestEntry.self, from: Data(line)) else { return false }
      entries[entry.path] = entry
      return true
    }
    return (Manifest(file), entries)
  }

  private init(_ file: LineFile) {
    self.file = file
  }

  func append(_ entry: ManifestEntry) throws(FileError) {
    try file.append(JSONLines.safeLine(entry))
  }

  func synchronize() throws(FileError) {
    try file.synchronize()
  }

  /// Gives all entries, in their order, to `body`.
  static func read(_ path: FilePath, _ body: (ManifestEntry) -> Void) throws {
    let decoder = JSONDecoder()
    let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    try file.closeAfter {
      var reader = LineReader(file)
      while let line = try reader.next() {
        if let entry = try? decoder.decode(ManifestEntry.self, from: Data(line.bytes)) { body(entry) }
      }
    }
  }
}
