import FoundationEssentials
import SystemPackage

/// The record of what became of each input: JSON lines, the first of which says what the file is, and one added for each picture
/// when its outputs are on the disk. The last line of an input is the one that counts.
actor Manifest {
  private let file: LineFile

  /// Opens it, or makes it, and repairs what a torn last line left.
  ///
  /// - Parameters:
  ///   - path: The manifest's.
  ///   - locator: Tells inputs apart.
  ///   - gate: Knows the files that must stay.
  /// - Returns: also what it knew when it was opened.
  static func open(
    _ path: FilePath, _ locator: InputLocator, gate: WriteGate
  ) throws(FileError) -> (Manifest, ManifestContents) {
    var contents = ManifestContents()
    let file = try LineFile(path, .manifest, option: "--manifest", gate: gate) { line in
      if let entry = entry(line) { contents.note(entry, locator) }
    }
    return (Manifest(file), contents)
  }

  private init(_ file: LineFile) {
    self.file = file
  }

  /// Nil for a line that is none.
  static func entry(_ line: [UInt8]) -> ManifestEntry? {
    try? JSONDecoder().decode(ManifestEntry.self, from: Data(line))
  }

  func append(_ entry: ManifestEntry) throws(FileError) {
    try file.append(JSONLines.safeLine(entry))
  }

  func synchronize() throws(FileError) {
    try file.synchronize()
  }

  /// Gives all entries, in their order, to `body`.
  static func read(_ path: FilePath, _ body: (ManifestEntry) -> Void) throws {
    let file = try FileDescriptor.openAtOnce(path)
    try file.closeAfter {
      var reader = LineReader(file, longest: LineReader.longestRecord)
      // The run's own file: what is too long in it was refused when it was opened.
      while let line = try reader.next() {
        if let entry = entry(line.bytes) { body(entry) }
      }
    }
  }
}
