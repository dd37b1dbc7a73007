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
    let broken = ICCBuilder.withBrokenTypes(text, colors: true, curves: true)
    #expect(ICCProfile.cleaned(broken, .rgb) == broken)
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

  /// Places behind the payload of a tag, between tags, and inside of texts and tables, each with the profile's space.
  private static func hidingPlaces() throws -> [(place: String, profile: [UInt8], space: ICCProfile.Space)] {
    var places: [(place: String, profile: [UInt8], space: ICCProfile.Space)] = []
    let types: [(String, [UInt8])] = [
      ("lumi", type("XYZ ", 12)), ("meas", type("meas", 28)), ("view", type("view", 28)), ("tech", type("sig ", 4)),
      ("calt", type("dtim", 12)), ("cicp", type("cicp", 4)), ("chad", type("sf32", 36)), ("wtpt", type("XYZ ", 12)),
      ("chrm", type("chrm", 28)), ("tech", ICCBuilder.Curve.sampled([0, 9]).tag),
      ("cprt", type("text") + Array("no rights\0".utf8)),
      ("desc", shortText),
    ]
    for (tag, data) in types { places.append(("behind \(tag)", with(tag, data + secret), .rgb)) }
    // In a text's second language, and between a text and its characters.
    func texts(_ records: UInt32, _ gap: [UInt8]) -> [UInt8] {
      let head = type("mluc") + records.bigEndianBytes + UInt32(12).bigEndianBytes
      let first = Array("enUS".utf8) + UInt32(2).bigEndianBytes + UInt32(28 + gap.count).bigEndianBytes
      let letter: [UInt8] = [0, 65]
      return head + first + gap + letter + secret
    }
    places.append(("another language", with("desc", texts(2, Array("deDE".utf8) + secret)), .rgb))
    places.append(("a gap in a text", with("desc", texts(1, secret)), .rgb))
    places.append(("Unicode", with("desc", Array(shortText.dropLast(78)) + type("", 3) + [19] + secret), .rgb))
    for tag in ["rig0", "B2D0", "ncl2", "psid", "A2M0"] {
      places.append((tag, with(tag, type("mpet", 8) + secret), .rgb))
    }
    // Behind tables, between their parts, and in place of their numbers.
    let tables: [(String, [UInt8])] = [
      ("lut8", HostileProfile.lut8(inputs: 4, side: 3)),
      ("lut16", HostileProfile.lut16(inputs: 4, side: 3, entries: 4)),
      ("steps", HostileProfile.steppedTable(inputs: 4, side: 3, width: 2, entries: 4)),
    ]
    for (name, table) in tables {
      places.append(("behind \(name)", HostileProfile.profile(table: table + secret, inputs: 4), .cmyk))
      let extra = ICCBuilder.profile(
        of: [("A2B0", table), ("A2B2", table + secret)], "prtr", "CMYK", "Lab ", version: 0x0420_0000)
      places.append(("behind another \(name)", extra, .cmyk))
    }
    var apart = HostileProfile.steppedTable(inputs: 4, side: 3, width: 1, entries: 4)
    // The last step, of curves, moves back.
    let last = apart[28..<32].reduce(0) { $0 << 8 | Int($1) }
    apart.replaceSubrange(28..<32, with: UInt32(last + 40).bigEndianBytes)
    apart.insert(contentsOf: secret + [0, 0], at: last)
    places.append(("a gap in steps", HostileProfile.profile(table: apart, inputs: 4), .cmyk))
    var header = ICCBuilder.profile(.displayP3)
    header.replaceSubrange(100..<128, with: secret.prefix(28))
    places.append(("header", header, .rgb))
    // Between two tags.
    var gap = ICCBuilder.profile(.displayP3)
    let first = Int(gap[131]) * 12 + 132
    for entry in stride(from: 132, to: first, by: 12) {
      let start = gap[entry + 4..<entry + 8].reduce(0) { $0 << 8 | Int($1) }
      gap.replaceSubrange(entry + 4..<entry + 8, with: UInt32(start + 40).bigEndianBytes)
    }
    gap.insert(contentsOf: secret + [0, 0], at: first)
    gap.replaceSubrange(0..<4, with: UInt32(gap.count).bigEndianBytes)
    places.append(("a gap", gap, .rgb))
    return places
  }

  /// A description of one letter.
  private static let shortText: [UInt8] = {
    let text: [UInt8] = [65, 0]
    return type("desc") + UInt32(2).bigEndianBytes + text + [UInt8](repeating: 0, count: 78)
  }()

  private static func type(_ name: String, _ count: Int = 0) -> [UInt8] {
    Array(name.utf8) + [UInt8](repeating: 0, count: 4 + count)
  }

  /// Only bytes with a meaning stay.
  @Test func nothingHidesBehindOtherData() throws {
    let secret = Self.secret.prefix(24)
    for (place, profile, space) in try Self.hidingPlaces() {
      #expect(profile.ranges(of: secret).count >= 1, "\(place)")
      let cleaned = try #require(ICCProfile.cleaned(profile, space), "\(place)")
      #expect(cleaned.ranges(of: secret).isEmpty, "\(place)")
      #expect(ICCProfile.cleaned(cleaned, space) == cleaned, "\(place)")
    }
  }

  /// Random numbers, such as those of an image, are no colors: neither as a curve nor in a table.
  @Test func imagesAreNoNumbersOfColors() throws {
    var random = SplitMix64(seed: 5)
    let image = (0..<4_096).map { _ in UInt16.random(in: 0...65_535, using: &random) }
    func curves(_ entries: [UInt16]) -> [UInt8] { ICCBuilder.gray(.sampled(entries)) }
    #expect(!ICCProfile.fits(curves(image), .gray))
    #expect(ICCProfile.fits(curves((0..<256).map { UInt16(65_535 - 257 * $0) }), .gray), "a falling curve")
    let bytes = image.flatMap(\.bigEndianBytes)
    for inputs in 3...4 {
      let side = inputs == 3 ? 17 : 9
      for (table, header) in [
        (HostileProfile.lut8(inputs: inputs, side: side), 48 + 256 * inputs),
        (HostileProfile.lut16(inputs: inputs, side: side, entries: 2), 52 + 4 * inputs),
      ] {
        let space: ICCProfile.Space = inputs == 3 ? .rgb : .cmyk
        #expect(ICCProfile.fits(HostileProfile.profile(table: table, inputs: inputs), space))
        var changed = table
        let start = header + (changed.count - header) / 3
        changed.replaceSubrange(start..<start + 4_000, with: bytes.prefix(4_000))
        #expect(!ICCProfile.fits(HostileProfile.profile(table: changed, inputs: inputs), space))
      }
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
