import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import FaceCrop

/// Real images from the folder `shared` beside the repository. Part of `make identity`, since it takes minutes.
@Suite struct RealPictureTests {
  private static let shared = fixturePath("../../../shared")
  private static let isWanted =
    unsafe getenv("FACECROP_IDENTITY_REGIONS") != nil && FileManager.default.fileExists(atPath: shared)

  /// Overview and regions of every JPEG agree with and without the index, or fail with the same error.
  @Test(.enabled(if: isWanted)) func bothWaysAgree() throws {
    var random = SplitMix64(seed: 31)
    var (files, indexed) = (0, 0)
    for folder in ["faces", "large", "formats"] {
      for name in try FileManager.default.subpathsOfDirectory(atPath: "\(Self.shared)/\(folder)").sorted() {
        let path = "\(Self.shared)/\(folder)/\(name)"
        guard let bytes = try? Data(contentsOf: URL(filePath: path)), bytes.starts(with: [0xFF, 0xD8, 0xFF]) else {
          continue
        }
        files += 1
        let jpeg = Array(bytes)
        let seed = random.next()
        let first = Self.outcome(jpeg, .indexed, seed: seed)
        let second = Self.outcome(jpeg, .sequential, seed: seed)
        let isSame = first.pictures == second.pictures && first.end == second.end
        #expect(isSame, "\(folder)/\(name)")
        indexed += first.indexed
      }
    }
    #expect(files > 100 && indexed > 100)
    print("identity: \(files) real files agree, \(indexed) regions of them through the index")
  }

  private static func outcome(
    _ jpeg: [UInt8], _ access: JPEGSession.Access, seed: UInt64
  ) -> (pictures: [PixelBuffer], end: String, indexed: Int) {
    var random = SplitMix64(seed: seed)
    var pictures: [PixelBuffer] = []
    var indexed = 0
    do {
      let warnings = try JPEGSession.with(jpeg, allowsDamage: true, access: access) {
        (session) throws(FaceCropError) in
        // The network's overview is drawn from the index in another way.
        pictures.append(try session.overview(smallest: Overview.side))
        for _ in 0..<3 {
          pictures.append(try session.region(random.rect(in: session.header.size)))
          if session.lastPath == .index { indexed += 1 }
        }
        return session.warnings
      }
      return (pictures, "\(warnings)", indexed)
    } catch {
      return (pictures, "\(error)", indexed)
    }
  }
}
