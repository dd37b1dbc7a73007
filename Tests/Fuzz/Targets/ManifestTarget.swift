import FoundationEssentials
import SystemPackage

@testable import FaceCropCLI

/// A target that opens, extends and reopens a manifest whose lines a crash, a full disk or a person may have left.
enum ManifestTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    let path = FilePath("/dev/shm/facecrop-fuzz-\(UInt64.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: path.string) }
    let before = Array(LineFormat.manifest.line.utf8) + bytes
    do {
      try write(before, to: path)
      var first = try entries(of: path, adding: nil)
      let kept = try Input.readToEnd(of: path)
      // No complete line is removed.
      let whole = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      try Finding.unless(before.starts(with: kept), "lines were changed")
      try Finding.unless(kept.count >= whole || before[kept.count..<whole].contains(0), "a whole line was taken away")
      let entry = ManifestEntry(
        "added.jpg", location: "added.jpg", FileVersion(bytes: 1, modified: 2), Outcome(.cropped), options: "o",
        isDryRun: false)
      try Finding.unless(
        try entries(of: path, adding: entry).keys == first.keys, "other entries when it is opened again")
      first["added.jpg"] = entry
      let last = try entries(of: path, adding: nil)
      try Finding.unless(last.keys == first.keys && last["added.jpg"]?.options == "o", "what was added is not there")
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding("a manifest cannot be opened: \(error)")
    }
  }

  private static func write(_ bytes: [UInt8], to path: FilePath) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: [.ownerReadWrite])
    try file.closeAfter { _ = try file.writeAll(bytes) }
  }

  /// Returns the entries at the opening, before another one is added.
  private static func entries(of path: FilePath, adding entry: ManifestEntry?) throws -> [FilePath: ManifestEntry] {
    var entries: [FilePath: ManifestEntry] = [:]
    let file = try LineFile(path, .manifest, option: "--manifest", gate: WriteGate(input: nil)) { line in
      if let entry = Manifest.entry(line) { entries[entry.path] = entry }
    }
    if let entry { try file.append(JSONLines.safeLine(entry)) }
    return entries
  }

  static var seeds: [[UInt8]] {
    let cropped =
      #"{"input":"a.jpg","bytes":10,"modified":20,"options":"x","status":"cropped","outputs":[{"file":"a.jpg"}]}"#
    let failed =
      #"{"input":"b","inputBase64":"/w==","options":"x","status":"failed","reason":{"kind":"corrupt","message":"m"}}"#
    let faces =
      #"{"input":"c","options":"","status":"no-face","faces":[],"regions":[{"x":0,"y":0,"width":1,"height":1}],"width":1}"#
    return [
      "", cropped + "\n", cropped + "\n" + failed + "\n" + faces + "\n", cropped + "\n" + failed, "{}\n\n[]\n\0\n",
    ]
    .map { Array($0.utf8) }
  }
}
