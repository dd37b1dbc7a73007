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
      // Most lines are read briefly; a correction needs its plan.
      guard var entry = entry(line, by: brief) else { return }
      if entry.plan != nil { entry = Self.entry(line) ?? entry }
      contents.note(entry, locator)
    }
    return (Manifest(file), contents)
  }

  private init(_ file: LineFile) {
    self.file = file
  }

  /// Decodes what a resumed run asks for: three times as fast.
  private static let brief: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.userInfo[Outcome.isBrief] = true
    return decoder
  }()

  /// Nil for a line that is none.
  static func entry(_ line: [UInt8], by decoder: JSONDecoder = JSONDecoder()) -> ManifestEntry? {
    try? decoder.decode(ManifestEntry.self, from: Data(line))
  }

  func append(_ entry: ManifestEntry) throws(FileError) {
    try file.append(JSONLines.safeLine(entry))
  }

  func synchronize() throws(FileError) {
    try file.synchronize()
  }

  /// Gives all entries, in their order, to `body`.
  ///
  /// - Parameter isBrief: see ``Outcome/isBrief``.
  static func read(_ path: FilePath, isBrief: Bool = false, _ body: (ManifestEntry) -> Void) throws {
    let decoder = isBrief ? brief : JSONDecoder()
    let file = try FileDescriptor.openAtOnce(path)
    try file.closeAfter {
      var reader = LineReader(file, longest: LineReader.longestRecord)
      // The run's own file: what is too long in it was refused when it was opened.
      while let line = try reader.next() {
        if let entry = entry(line.bytes, by: decoder) { body(entry) }
      }
    }
  }
}
