import FoundationEssentials
import SystemPackage

/// The record of all inputs' results. The first of its JSON lines identifies the format, and each other one is appended
/// when an image's outputs are on the disk. The last line of an input counts. Only a recorder appends, line by line.
enum Manifest {
  /// Opens or creates the manifest, removes an incomplete last line, and returns the file with its contents.
  static func open(
    _ path: FilePath, _ locator: InputLocator, gate: WriteGate
  ) throws(FileError) -> (LineFile, ManifestContents) {
    var contents = ManifestContents()
    let file = try LineFile(path, .manifest, option: "--manifest", gate: gate) { line in
      // Most lines are decoded partially, but a correction needs its plan.
      guard var entry = entry(line, by: brief) else {
        if !line.isEmpty, LineFormat.manifest.claim(of: line) != .ours { contents.invalidLines += 1 }
        return
      }
      if entry.isCorrected { entry = Self.entry(line) ?? entry }
      contents.note(entry, locator)
    }
    return (file, contents)
  }

  /// A decoder for only the properties that a resumed run needs, three times as fast.
  private static let brief: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.userInfo[Outcome.isBrief] = true
    return decoder
  }()

  /// Decodes a line; nil if it is invalid.
  static func entry(_ line: [UInt8], by decoder: JSONDecoder = JSONDecoder()) -> ManifestEntry? {
    try? decoder.decode(ManifestEntry.self, from: Data(line))
  }

  /// Calls `body` with all entries in order. See ``Outcome/isBrief``.
  static func read(_ path: FilePath, isBrief: Bool = false, _ body: (ManifestEntry) -> Void) throws {
    let decoder = isBrief ? brief : JSONDecoder()
    let file = try FileDescriptor.openAtOnce(path)
    try file.closeAfter {
      var reader = LineReader(file, longest: LineReader.longestRecord)
      // The run opened the file, and refused lines that are too long.
      while let line = try reader.next() {
        if let entry = entry(line.bytes, by: decoder) { body(entry) }
      }
    }
  }
}
