import TestSupport
import Testing

@testable import FaceCrop

/// The memory of libwebp's tables for a lossless stream is known before they are made.
@Suite struct PrefixCodeGroupsTests {
  private static func groups(_ file: [UInt8], _ name: String = "VP8L") throws -> PrefixCodeGroups? {
    let size = try withSession(file) { (session) throws(FaceCropError) in session.header.size }
    let chunk = try #require(WebPBuilder.chunks(of: file).first { $0.name == name })
    let stream = Array(chunk.data.dropFirst(name == "VP8L" ? 5 : 1))
    return try unsafe stream.withUnsafeBufferPointer { (stream) -> PrefixCodeGroups? in
      var budget = PrefixCodeGroups.mostPixels
      return try unsafe PrefixCodeGroups(of: stream, size: size, budget: &budget, job: .forTests())
    }
  }

  private static func picture(_ width: Int, _ height: Int, of colors: Int) -> Pixels {
    let samples = (0..<width * height * 3).map { index -> UInt8 in
      let color = index / 3 * 7 / 11 % colors
      return UInt8(color * (255 / colors))
    }
    return Pixels(width: width, height: height, channels: 3, samples: samples)
  }

  @Test(arguments: [(4, 1), (60, 225), (128, 1_024), (256, 4_096)])
  func groupsAreCounted(side: Int, expected: Int) throws {
    let file = try HostileWebP.groups(side: side)
    #expect(try referenceDecodeWebP(file).samples.count == side * side * 4, "libwebp reads it")
    #expect(try Self.groups(file)?.count == expected)
    #expect(try Self.groups(HostileWebP.groups(side: side, isAlpha: true), "ALPH")?.count == expected)
    let region = try withSession(file) { (session) throws(FaceCropError) in
      try session.region(PixelRect(x: 0, y: 0, width: side, height: side))
    }
    #expect(region.bytes.allSatisfy { $0 == 0 })
  }

  /// In some of these, every kind of transform precedes the number.
  @Test func picturesOfAllKindsHaveFew() throws {
    var largest = 0
    for (index, colors) in [2, 3, 11, 200, 256].enumerated() {
      let pattern = Pixels.testPattern(width: 333, height: 222, seed: UInt64(index))
      let pixels = colors == 256 ? pattern : Self.picture(333, 222, of: colors)
      for pixels in [pixels.rgba, pixels.addingNoise(amplitude: 3, seed: 4).rgba] {
        let groups = try #require(try Self.groups(encodeWebP(pixels, quality: nil)))
        #expect(groups.bytes < 16 << 20)
        largest = max(largest, groups.count)
      }
    }
    #expect((2...3_000).contains(largest))
  }

  @Test(arguments: [false, true]) func tooManyAreRefusedBeforehand(isAlpha: Bool) throws {
    let file = try HostileWebP.groups(side: 1_024, isAlpha: isAlpha)
    for isLook in [true, false] {
      let error = #expect(throws: FaceCropError.self) {
        try withSession(file) { (session) throws(FaceCropError) in
          if isLook { return try session.overview(format: .gray) }
          return try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
        }
      }
      guard case .overLimit(.imageBytes, let actual, 200 << 20)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      // At least five tables of 256 entries.
      #expect(actual > 65_536 * 5 * 256 * 4)
    }
    let estimate = try withSession(file) { (session) throws(FaceCropError) in session.estimate.transientBytes }
    #expect(estimate > 335e6)
  }

  /// libtiff passes the data of a strip or tile on.
  @Test(arguments: [false, true]) func groupsInTIFFCount(isTiled: Bool) throws {
    func file(_ side: Int, _ webP: [UInt8], colors: TIFFBuilder.Colors = .rgb) -> [UInt8] {
      var tiff = TIFFBuilder(width: side, height: side, colors: colors, stream: webP, compression: 50_001)
      if isTiled { tiff.tile = (side, side) }
      return tiff.encoded()
    }
    let few = try file(256, HostileWebP.groups(side: 256))
    #expect(try decoded(few).samples.allSatisfy { $0 == 0 })
    let memory = try ImageInfo(reading: few.span, isFileMapping: false, job: .forTests()).memory
    let plain = try file(256, encodeWebP(Pixels(width: 256, height: 256, color: [9, 9, 9]).rgba, quality: nil))
    let other = try ImageInfo(reading: plain.span, isFileMapping: false, job: .forTests()).memory
    #expect(memory > other + 4_000 * 5 * 256 * 4)
    for isAlpha in [false, true] {
      let many = try file(1_024, HostileWebP.groups(side: 1_024, isAlpha: isAlpha), colors: isAlpha ? .inks : .rgb)
      let error = #expect(throws: FaceCropError.self) { try decoded(many) }
      guard case .overLimit(.imageBytes, _, 200 << 20)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    // Larger than the strip, or no WebP file.
    let junk = [UInt8](repeating: 0x52, count: 300)
    for webP in [try HostileWebP.groups(side: 128), junk] {
      let error = #expect(throws: FaceCropError.self) { try decoded(file(64, webP)) }
      #expect(error?.kind == "corrupt")
    }
  }

  /// A hundred bytes can declare six million blocks without bits; blocks of a bit are counted up to the file's end.
  @Test func smallPicturesThatAreNotSmallAreNotCounted() throws {
    #expect(try Self.groups(HostileWebP.blocks(side: 9_980, bits: 0))?.count == 1)
    #expect(try Self.groups(HostileWebP.blocks(side: 4_000, bits: 1))?.count == 1)
    #expect(try Self.groups(HostileWebP.blocks(side: 9_980, bits: 1))?.count == 65_536)
  }

  /// libwebp cannot read the streams that are refused, either.
  @Test func acceptsEveryReadableStream() throws {
    let pattern = Pixels.testPattern(width: 90, height: 70)
    let files = try [
      encodeWebP(pattern.rgba, quality: nil), encodeWebP(Self.picture(90, 70, of: 13).rgba, quality: nil),
      encodeWebP(pattern.addingNoise(amplitude: 30, seed: 2).rgba, quality: nil), HostileWebP.groups(side: 32),
    ]
    var random = SplitMix64(seed: 8)
    var refused = 0
    for file in files {
      for _ in 0..<400 {
        var bytes = file
        // The codes come first.
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: 25..<min(bytes.count, 300), using: &random)] ^=
            1 << UInt8.random(in: 0...7, using: &random)
        }
        do {
          _ = try Self.groups(bytes)
        } catch FaceCropError.corrupt {
          refused += 1
          #expect(throws: FixtureError.self) { try referenceDecodeWebP(bytes) }
        }
      }
    }
    #expect(refused > 20)
  }

  @Test func aStreamThatEndsSaysNothing() throws {
    let file = try HostileWebP.groups(side: 64)
    for count in 25..<500 { _ = try Self.groups(WebPBuilder.file([("VP8L", Array(file[20..<count]))])) }
    #expect(try Self.groups(WebPBuilder.file([("VP8L", Array(file[20..<400]))])) == nil)
  }
}
