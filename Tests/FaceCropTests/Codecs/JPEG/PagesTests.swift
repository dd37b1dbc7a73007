import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// Resident pages of a file that is read through a mapping.
struct PagesTests {
  @Test func aWalkAndACutKeepNoneOfTheFile() throws {
    // Noise: nearly five megabytes.
    let picture = Pixels.noise(width: 512, height: 8_192, channels: 3)
    let file = try JPEGRecipe.baseline420.with { $0.quality = 95 }.encode(picture)
    try TemporaryFolder.with { folder in
      let path = folder / "tall.jpg"
      try Data(file).write(to: URL(filePath: path))
      let resident = try ImageSource.file(FilePath(path)).withBytes(limits: Limits()) {
        (bytes, isFileMapping) throws(FaceCropError) -> (walk: Int?, cut: Int?)? in
        try unsafe bytes.withBuffer { (bytes) throws(FaceCropError) in
          let index = try unsafe JPEGIndex(reading: bytes, isFileMapping: isFileMapping, job: .forTests())
          guard let index, try index.overview(planes: 1, format: .gray) != nil else { return nil }
          let walk = unsafe Self.resident(at: bytes.baseAddress!)
          let left = MCURect(columns: 0..<2, rows: 0..<512)
          guard try unsafe index.withCut(of: left, progress: { _ in }, { $0.count }) != nil else { return nil }
          return unsafe (walk, Self.resident(at: bytes.baseAddress!))
        }
      }
      let (walk, cut) = try #require(resident)
      #expect(try #require(walk) < 128 << 10)
      #expect(try #require(cut) < 128 << 10)
    }
  }

  /// Returns the resident bytes of the mapping at an address.
  private static func resident(at address: UnsafeRawPointer) -> Int? {
    // Foundation would trust the size of such a file, which is 0.
    guard let file = try? FileDescriptor.open(FilePath("/proc/self/smaps"), .readOnly) else { return nil }
    defer { try? file.close() }
    let maps = String(decoding: (try? file.readToEnd(atMost: 1 << 24)) ?? [], as: UTF8.self)
    let start = String(UInt(bitPattern: address), radix: 16)
    guard let mapping = maps.firstRange(of: "\n\(start)-") else { return nil }
    return maps[mapping.upperBound...].firstMatch(of: /Rss: +(\d+) kB/).flatMap { Int($0.1) }.map { $0 << 10 }
  }
}
