import TestSupport
import Testing

@testable import FaceCrop

/// Progressive files in the shim's own reader: libjpeg's result to the bit, and libjpeg's messages for faults.
@Suite struct ProgressiveTests {
  private static let kinds: [(name: String, recipe: JPEGRecipe)] = JPEGRecipe.allKinds.filter {
    $0.recipe.progressive && !$0.recipe.arithmetic
  }.map { ($0.name, $0.recipe) }

  private struct Outcome: Equatable {
    var pictures: [PixelBuffer] = []
    var said: String
  }

  /// Makes an overview of the first scan or of all scans, and decodes regions.
  private static func outcome(_ jpeg: [UInt8], _ access: JPEGSession.Access) throws -> Outcome {
    do {
      return try JPEGSession.with(jpeg, allowsDamage: true, access: access) { (session) throws(FaceCropError) in
        let size = session.header.size
        let overview = try session.overview(format: session.header.format)
        let all = try session.region(PixelRect(whole: size, scale: 8))
        let half = try session.region(
          PixelRect(x: 0, y: 0, width: (size.width + 1) / 2, height: (size.height + 1) / 2), scale: 4)
        return Outcome(pictures: [overview, all, half], said: "\(session.warnings)")
      }
    } catch let error as FaceCropError {
      return Outcome(said: "\(error)")
    }
  }

  private static func expectSame(_ jpeg: [UInt8], _ what: String) throws {
    let (own, libjpegs) = (try outcome(jpeg, .fastest), try outcome(jpeg, .sequential))
    #expect(own.said == libjpegs.said, "\(what)")
    // libjpeg's overviews of small images are computed differently.
    let isSame = own.pictures.dropFirst() == libjpegs.pictures.dropFirst()
    #expect(isSame, "\(what)")
  }

  /// Returns whether the shim's own reader reads all scans.
  private static func readsItself(_ jpeg: [UInt8]) throws -> Bool {
    try unsafe jpeg.withUnsafeBufferPointer { bytes in
      let decoder = try unsafe JPEGDecoder(reading: bytes, isFileMapping: false, job: .forTests())
      try decoder.startScans(scale: 8, color: .RGB)
      guard decoder.readsScans else { return false }
      while true {
        switch try decoder.absorb(onlyFirstScan: false) {
        case .goesOn: continue
        case .finished: return true
        case .unread, .cutOff: return false
        }
      }
    }
  }

  @Test(arguments: kinds.map(\.name)) func picturesAreLibjpegs(kind: String) throws {
    var recipe = try #require(Self.kinds.first { $0.name == kind }).recipe
    for (width, height) in [(1, 1), (7, 9), (52, 40), (131, 77), (700, 300)] {
      for quality in [10, 90, 100] {
        recipe.quality = quality
        for picture in [
          Pixels.testPattern(width: width, height: height, channels: recipe.channels, seed: 4),
          Pixels.noise(width: width, height: height, channels: recipe.channels),
        ] {
          let jpeg = try recipe.encode(picture)
          #expect(try Self.readsItself(jpeg) || recipe.channels == 4, "\(width), \(quality)")
          try Self.expectSame(jpeg, "\(width), \(quality)")
        }
      }
    }
  }

  @Test func restartsAreRead() throws {
    for interval in [1, 3, 7] {
      let recipe = JPEGRecipe.baseline420.with {
        $0.progressive = true
        $0.restartInterval = interval
      }
      let jpeg = try recipe.encode(.testPattern(width: 131, height: 77, channels: 3, seed: 4))
      #expect(try Self.readsItself(jpeg))
      try Self.expectSame(jpeg, "\(interval)")
    }
  }

  /// Faults from the first byte to the last.
  @Test(arguments: ["4:2:0", "gray"]) func damageIsJudgedAsEver(kind: String) throws {
    let recipe = (kind == "gray" ? JPEGRecipe.gray : .baseline420).with { $0.progressive = true }
    let jpeg = try recipe.encode(.testPattern(width: 60, height: 44, channels: recipe.channels, seed: 1))
    #expect(try Self.readsItself(jpeg))
    for offset in 2..<jpeg.count {
      try Self.expectSame(Array(jpeg.prefix(offset)), "\(offset) bytes")
      for mask in [0xFF, 1, 0x10] as [UInt8] {
        try Self.expectSame(JPEGSurgery.flippingByte(at: offset, mask: mask, in: jpeg), "byte \(offset) ^ \(mask)")
      }
    }
  }

  /// A file without its last scan lacks bits of its coefficients, and libjpeg smooths the gaps.
  @Test func scansThatAreMissingAreLibjpegsToJudge() throws {
    let recipe = JPEGRecipe.baseline420.with { $0.progressive = true }
    let jpeg = try recipe.encode(.testPattern(width: 131, height: 77, channels: 3, seed: 4))
    // These two bytes occur nowhere else.
    let starts = (0..<jpeg.count - 1).filter { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA }
    #expect(starts.count > 4)
    for start in starts.dropFirst() {
      let cut = Array(jpeg.prefix(start)) + [0xFF, 0xD9]
      #expect(try !Self.readsItself(cut))
      try Self.expectSame(cut, "\(start)")
    }
  }
}
