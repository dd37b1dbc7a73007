import CFullDecode
import FaceCrop
import Foundation
import SystemPackage

/// The warm library on pictures that nobody made for it: a folder's JPEG files, from bytes to an avatar's JPEG of 512 pixels, beside
/// a full decode of each.
enum SetRuns {
  /// One file's least processor time in seconds.
  private struct Row {
    var megapixels: Double
    var fullDecode: Double
    var avatar: Double
  }

  private static let classes: [(name: String, range: Range<Double>)] = [
    ("under 0.3 MP", 0..<0.3), ("0.3 to 0.6", 0.3..<0.6), ("0.6 to 1.5", 0.6..<1.5), ("1.5 to 5", 1.5..<5),
    ("5 and more", 5..<Double.infinity), ("all", 0..<Double.infinity),
  ]

  /// A table by size: medians, and the ratio of the sums.
  static func measure(_ folder: String, rounds: Int) async throws -> String {
    let cropper = FaceCropper()
    var rows: [Row] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      guard ["jpg", "jpeg"].contains(name.split(separator: ".").last?.lowercased()) else { continue }
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: name)))
      guard let info = try? await cropper.info(of: .bytes(bytes)), info.format == .jpeg else { continue }
      let area = info.storedSize.width * info.storedSize.height
      let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: area * 3)
      defer { unsafe pixels.deallocate() }
      try await WarmRuns.makeAvatar(of: bytes, by: cropper, noFace: .center)
      var row = Row(megapixels: Double(area) / 1e6, fullDecode: .infinity, avatar: .infinity)
      for _ in 0..<rounds {
        var start = Clock.processor.now
        unsafe full_decode(bytes, bytes.count, pixels)
        row.fullDecode = min(row.fullDecode, Clock.processor.now - start)
        start = Clock.processor.now
        try await WarmRuns.makeAvatar(of: bytes, by: cropper, noFace: .center)
        row.avatar = min(row.avatar, Clock.processor.now - start)
      }
      rows.append(row)
    }
    guard !rows.isEmpty else { throw BenchError("\(folder) has no JPEG file") }
    var lines = [
      "| pictures | files | full decode, median | avatar, median | avatar over full decode, sums |",
      "|---|---:|---:|---:|---:|",
    ]
    for (name, range) in classes {
      let members = rows.filter { range.contains($0.megapixels) }
      guard !members.isEmpty else { continue }
      let (decode, avatar) = (Samples(members.map(\.fullDecode)), Samples(members.map(\.avatar)))
      let ratio = avatar.values.reduce(0, +) / decode.values.reduce(0, +)
      lines.append(
        "| \(name) | \(members.count) | \(milliseconds(decode.median)) ms | \(milliseconds(avatar.median)) ms | "
          + "\((ratio * 100).rounded() / 100) |")
    }
    return lines.joined(separator: "\n")
  }

  private static func milliseconds(_ seconds: Double) -> Double { (seconds * 1e5).rounded() / 100 }
}
