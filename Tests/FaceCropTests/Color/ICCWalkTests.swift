import TestSupport
import Testing

@testable import FaceCrop

/// Profiles unlike any real one are refused before Little CMS sees them, and accepted ones cost as estimated.
@Suite struct ICCWalkTests {
  // MARK: Refused profiles

  /// Returns a display's profile with one more tag.
  private static func with(_ signature: String, _ data: [UInt8]) -> [UInt8] {
    ICCBuilder.profile(of: tags + [(signature, data)], "mntr", "RGB ", "XYZ ", version: 0x0430_0000)
  }

  private static let tags: [ICCBuilder.Tag] = {
    let colors = [[0.4360, 0.2225, 0.0139], [0.3851, 0.7169, 0.0971], [0.1431, 0.0606, 0.7141]]
    let xyz = Array("XYZ \0\0\0\0".utf8)
    return zip(["rXYZ", "gXYZ", "bXYZ"], colors).map { name, color in
      (name, xyz + color.flatMap { Int32(($0 * 65_536).rounded()).bigEndianBytes })
    } + ["rTRC", "gTRC", "bTRC"].map { ($0, ICCBuilder.Curve.gamma(2.2).tag) }
  }()

  @Test func stepsThatAreNamedAgainAndAgainAreRefused() {
    let few = HostileProfile.steps(1)
    #expect(ICCTags(few) != nil)
    for count in [2, 33, 10_000, 65_535] {
      #expect(ICCTags(HostileProfile.steps(count)) == nil)
      #expect(ICCTags(HostileProfile.steps(count, areCurves: true)) == nil)
    }
    // Even in a tag that images do not use, since a later reader of the profile may follow it.
    let start = few.index(few.endIndex, offsetBy: -16 - 8 - 60)
    #expect(ICCProfile.fits(Self.with("D2B0", Array(few[start...])), .rgb))
    let many = HostileProfile.steps(40)
    #expect(!ICCProfile.fits(Self.with("D2B0", Array(many[(many.count - 16 - 8 * 40 - 60)...])), .rgb))
  }

  // MARK: Private data

  private static let secret = Array("a small image of a face, in any coding".utf8)

  /// Colors and short texts stay. Everything that can hide an image goes.
  @Test func privateDataGo() throws {
    let text = ICCBuilder.profile(.displayP3, description: "Short")
    #expect(ICCProfile.cleaned(text, .rgb) == text)
    let hiding: [[UInt8]] = [
      Self.with("thmb", Array("data\0\0\0\0".utf8) + Self.secret),
      // Under the name of a table, and in a text that is longer than a description.
      Self.with("B2D0", Array("data\0\0\0\0".utf8) + Self.secret),
      Self.with("cprt", Array("text\0\0\0\0".utf8) + Self.secret + [UInt8](repeating: 32, count: 5_000)),
      // Behind all tags, with a size that includes it.
      {
        var profile = text + Self.secret
        profile.replaceSubrange(0..<4, with: UInt32(profile.count).bigEndianBytes)
        return profile
      }(),
    ]
    for profile in hiding {
      #expect(profile.ranges(of: Self.secret).count == 1)
      let cleaned = try #require(ICCProfile.cleaned(profile, .rgb))
      #expect(cleaned.ranges(of: Self.secret).isEmpty && cleaned.count < profile.count)
      // Nothing is left to clean, and the colors are the same.
      #expect(ICCProfile.cleaned(cleaned, .rgb) == cleaned)
      let pixels = PixelBuffer(size: PixelSize(width: 2, height: 1), format: .rgb, bytes: [200, 100, 50, 9, 8, 7])
      let converted = try [profile, cleaned].map { profile throws(FaceCropError) in
        try ColorConversion(from: profile, format: .rgb)?.converted(pixels, job: .forTests()).bytes
      }
      #expect(converted[0] != nil && converted[0] == converted[1])
    }
  }

  /// A profile must not consist only of steps: it must also define its colors in the old way (ICC.1:2022, 8.3).
  @Test func stepsAloneAreNotFollowed() throws {
    #expect(!ICCProfile.fits(HostileProfile.steps(1), .rgb))
    #expect(try ColorConversion(from: HostileProfile.steps(1), format: .rgb) == nil)
  }

  @Test func tagsAreInTheProfileAndFewHaveBytesInCommon() {
    let whole = Self.with("desc", [UInt8](repeating: 0, count: 90))
    #expect(ICCProfile.fits(whole, .rgb))
    func changed(_ place: Int, _ value: UInt32) -> Bool {
      var profile = whole
      profile.replaceSubrange(place..<place + 4, with: value.bigEndianBytes)
      return ICCProfile.fits(profile, .rgb)
    }
    let count = UInt32(whole.count)
    // The size, the number of tags, a tag's offset and its length.
    #expect(!changed(0, count - 1) && !changed(0, count + 1))
    #expect(!changed(128, 0) && !changed(128, 101) && !changed(128, .max))
    let last = 132 + 12 * 6
    for place in [0, 131, UInt32(last), count - 7, count, .max] { #expect(!changed(last + 4, place), "at \(place)") }
    for length in [0, 7, 100, count, .max] as [UInt32] { #expect(!changed(last + 8, length), "of \(length)") }
    // Classes and connections that images do not have.
    for (place, word) in [(12, "link"), (12, "abst"), (12, "nmcl"), (12, "XXXX"), (20, "RGB "), (36, "XXXX")] {
      #expect(!changed(place, word.utf8.reduce(0) { $0 << 8 | UInt32($1) }), "\(word)")
    }
    #expect(!ICCProfile.fits(ICCBuilder.overlappingTags(60, bytes: 5_000), .rgb))
    #expect(ICCProfile.fits(ICCBuilder.overlappingTags(8, bytes: 500), .rgb), "the smallest profiles save bytes by it")
  }

  @Test func curvesAreOfNumbersThatLightHas() {
    func fits(_ curve: [UInt8]) -> Bool {
      ICCProfile.fits(ICCBuilder.profile(of: [("kTRC", curve)], "mntr", "GRAY", "XYZ "), .gray)
    }
    func function(_ type: UInt16, _ numbers: [Double]) -> [UInt8] { ICCBuilder.Curve.parametric(type, numbers).tag }
    #expect(fits(ICCBuilder.Curve.sampled([UInt16](repeating: 9, count: 32_767)).tag))
    #expect(!fits(ICCBuilder.Curve.sampled([UInt16](repeating: 9, count: 32_768)).tag))
    let cut = Array(ICCBuilder.Curve.sampled([1, 2, 3, 4, 5, 6]).tag.dropLast(4))
    #expect(!fits(cut))
    #expect(fits(function(0, [20])) && !fits(function(0, [21])) && !fits(function(0, [0])) && !fits(function(0, [-1])))
    #expect(fits(function(4, [2, 1, 0, 1, 0, 0, 0])) && !fits(function(4, [2, 1, 0, 1, 0, 17, 0])))
    #expect(!fits(function(5, [2, 1, 0, 1, 0, 0, 0])) && !fits(function(4, [2, 1, 0, 1, 0, 0])))
    #expect(!fits(Array("sf32".utf8) + [UInt8](repeating: 0, count: 20)))
  }

  @Test func tablesAreAsLongAsTheySay() {
    func fits(_ table: [UInt8], _ inputs: Int) -> Bool {
      ICCProfile.fits(HostileProfile.profile(table: table, inputs: inputs), inputs == 4 ? .cmyk : .rgb)
    }
    let kinds: [(Int) -> [UInt8]] = [
      { HostileProfile.lut8(inputs: $0, side: 5) }, { HostileProfile.lut16(inputs: $0, side: 5, entries: 300) },
      { HostileProfile.steppedTable(inputs: $0, side: 5, width: 1, entries: 300) },
      { HostileProfile.steppedTable(inputs: $0, side: 5, width: 2, entries: 2) },
    ]
    for (kind, table) in kinds.enumerated() {
      for inputs in 3...4 {
        let whole = table(inputs)
        #expect(fits(whole, inputs))
        #expect(!fits(whole, 7 - inputs), "of as many channels as the colors")
        #expect(!fits(Array(whole.dropLast(4)), inputs), "\(kind), cut")
        for place in 8..<12 where kind < 2 || place < 10 {
          for value in [0, 1, 200, 255] as [UInt8] where value != whole[place] && place != 11 {
            var changed = whole
            changed[place] = value
            #expect(!fits(changed, inputs), "\(kind), \(place) is \(value)")
          }
        }
      }
    }
    // Sides of a grid, the width of its numbers, and a step's offset.
    let stepped = HostileProfile.steppedTable(inputs: 3, side: 5, width: 1, entries: 4)
    let grid = stepped[24..<28].reduce(0) { $0 << 8 | Int($1) }
    for (place, value) in [(grid, 0), (grid, 1), (grid + 2, 255), (grid + 16, 0), (grid + 16, 3), (12, 255), (20, 255)]
    {
      var changed = stepped
      changed[place] = UInt8(value)
      #expect(!fits(changed, 3), "\(place) is \(value)")
    }
    // More than any real profile has.
    #expect(!fits(HostileProfile.lut8(inputs: 4, side: 35), 4))
  }

  // MARK: Accepted profiles

  /// The profiles have the largest allowed tables, and the smallest.
  @Test(arguments: [
    HostileProfile.profile(table: HostileProfile.lut8(inputs: 3, side: 111), inputs: 3),
    HostileProfile.profile(table: HostileProfile.lut8(inputs: 3, side: 2), inputs: 3),
    HostileProfile.profile(table: HostileProfile.lut16(inputs: 3, side: 85, entries: 4_096), inputs: 3),
    HostileProfile.profile(table: HostileProfile.lut16(inputs: 3, side: 2, entries: 4_096), inputs: 3),
    HostileProfile.profile(
      table: HostileProfile.steppedTable(inputs: 3, side: 60, width: 2, entries: 32_767), inputs: 3,
      version: 0x0420_0000),
    HostileProfile.profile(
      table: HostileProfile.steppedTable(inputs: 3, side: 2, width: 1, entries: 32_767), inputs: 3, version: 0x0420_0000
    ),
  ])
  func memoryIsWhatIsSaid(profile: [UInt8]) throws {
    let said = ICCProfile.conversionBytes(profile, .rgb)
    let conversion = try #require(try ColorConversion(from: profile, format: .rgb))
    #expect(conversion.usedBytes <= said * 9 / 10, "of \(said)")
    #expect(conversion.usedBytes > said / 8, "nor far less")
  }

  @Test(arguments: [(33, true), (2, true), (27, false), (2, false)])
  func memoryOfInksIsWhatIsSaid(side: Int, isOf8Bits: Bool) throws {
    let table =
      isOf8Bits
      ? HostileProfile.lut8(inputs: 4, side: side) : HostileProfile.lut16(inputs: 4, side: side, entries: 4_096)
    let profile = HostileProfile.profile(table: table, inputs: 4)
    let said = ICCProfile.conversionBytes(profile, .cmyk)
    let conversion = try #require(try InkConversion(from: profile))
    #expect(conversion.usedBytes <= said * 9 / 10, "of \(said)")
  }

  /// Little CMS fails cleanly with any amount of memory.
  @Test func profilesBeyondTheMemoryFail() throws {
    let profile = HostileProfile.profile(table: HostileProfile.lut16(inputs: 3, side: 9, entries: 100), inputs: 3)
    var works: [Bool] = []
    for memory in stride(from: 1 << 12, through: 1 << 20, by: 1 << 12) {
      works.append(try LibraryConversion(profile: profile, .RGB, memory: memory) != nil)
    }
    let first = try #require(works.firstIndex(of: true))
    #expect(first > 20 && works[first...].allSatisfy { $0 })
  }

  @Test func onlyWhatWasLookedIntoIsHandedOn() throws {
    let whole = ICCBuilder.profile(.cmyk, padding: 100_000)
    let tags = try #require(ICCTags(whole))
    let handed = tags.profile(of: ICCModel.tagsOfTables)
    #expect(handed.count < 6_000)
    let again = try #require(ICCTags(handed))
    #expect(try #require(again.range("A2B0")).count == (try #require(tags.range("A2B0"))).count)
    for gone in ["B2A0", "gamt", "fill", "desc", "wtpt"] as [StaticString] { #expect(again.range(gone) == nil) }
    #expect(ICCProfile.fits(handed, .cmyk))
  }

  // MARK: In an image

  @Test func aProfileOfManyStepsIsDroppedFromEveryFormat() throws {
    let pattern = Pixels.testPattern(width: 24, height: 40)
    let profile = HostileProfile.steps(10_000)
    var png = PNGBuilder(pattern)
    png.before = [try PNGBuilder.packedProfile(profile)]
    let webP = WebPBuilder.file(
      [WebPBuilder.extended(flags: 32, width: 24, height: 40), ("ICCP", profile)]
        + WebPBuilder.chunks(of: try encodeWebP(pattern.rgba, quality: 20)))
    let jpeg = try JPEGRecipe.baseline420.with { $0.segments = ICCBuilder.segments(for: profile) }.encode(pattern)
    for file in [png.encoded(), webP, jpeg] {
      try withSession(file) { (session) throws(FaceCropError) in
        #expect(session.header.profile == nil && session.warnings == [.profileDropped])
      }
    }
  }

  @Test func theEstimateCoversTheConversion() throws {
    func memory(_ profile: [UInt8]?) throws -> Int {
      var png = PNGBuilder(.testPattern(width: 24, height: 40))
      png.before = try profile.map { [try PNGBuilder.packedProfile($0)] } ?? []
      let file = png.encoded()
      return try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests()).memory
    }
    let profile = HostileProfile.profile(table: HostileProfile.lut16(inputs: 3, side: 30, entries: 9), inputs: 3)
    let said = ICCProfile.conversionBytes(profile, .rgb)
    #expect(said > 2 << 20)
    #expect(try memory(profile) >= memory(nil) + said + profile.count)
  }

  /// `info` reports that a CMYK profile is used, and its memory, without making the conversion.
  @Test func inksAreCountedAndNotConverted() throws {
    func info(_ profile: [UInt8]?) throws -> ImageInfo {
      let recipe = JPEGRecipe.cmykAdobe.with { $0.segments = profile.map { ICCBuilder.segments(for: $0) } ?? [] }
      let jpeg = try recipe.encode(Pixels(width: 48, height: 48, color: [9, 9, 9, 9]))
      return try ImageInfo(reading: jpeg.span, isFileMapping: false, job: .forTests())
    }
    let profile = ICCBuilder.profile(.cmyk)
    let (without, with) = try (info(nil), info(profile))
    #expect(with.warnings.isEmpty)
    #expect(with.memory >= without.memory + ICCProfile.conversionBytes(profile, .cmyk))
    var broken = profile
    let table = try #require(ICCTags(profile)?.range("A2B0"))
    broken[table.lowerBound + 10] = 9
    #expect(try info(broken).warnings == [.profileDropped])
  }
}
