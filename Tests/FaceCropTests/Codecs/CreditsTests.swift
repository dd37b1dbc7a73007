import TestSupport
import Testing

@testable import FaceCrop

/// Credits in files of all formats, and in new files.
@Suite struct CreditsTests {
  private static let all = Credits(
    creators: ["Zoë <Müller>", "B & Co"], creditLine: "Agency", copyrightNotice: "© 2026", usageTerms: "no ads",
    webStatement: "https://example.org/?a=1&b=2", description: "A \"portrait\"\r\nof two")

  private func header(_ file: [UInt8]) throws -> ImageHeader { try withSession(file) { $0.header } }

  private func read(_ packet: [UInt8]) -> (credits: Credits, isWhole: Bool) { CreditSources(xmp: packet).read() }

  // MARK: XMP

  @Test func readsItsOwnPackets() throws {
    let (packet, isWhole) = XMPPacket.written(Self.all)
    #expect(isWhole)
    let (credits, isRead) = read(try #require(packet))
    #expect(isRead && credits == Self.all)
    #expect(XMPPacket.written(Credits()) == (nil, true))
  }

  /// All syntactic forms of a property.
  @Test func propertiesOfAllForms() {
    let lists = CreditBuilder.packet(
      properties: """
        <dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li> B </rdf:li><rdf:li> </rdf:li></rdf:Seq></dc:creator>
        <dc:rights><rdf:Alt><rdf:li xml:lang="de">von mir</rdf:li><rdf:li xml:lang="x-default">mine</rdf:li></rdf:Alt></dc:rights>
        <xmpRights:WebStatement rdf:resource="https://e.org"/><photoshop:Credit>A<![CDATA[ & ]]>B</photoshop:Credit>
        """)
    #expect(
      read(lists).credits
        == Credits(creators: ["A", "B"], creditLine: "A & B", copyrightNotice: "mine", webStatement: "https://e.org"))
    let attributes = CreditBuilder.packet(
      attributes: "photoshop:Credit=\"Press\" dc:rights=\"R\"", properties: "<dc:creator>one</dc:creator>")
    #expect(read(attributes).credits == Credits(creators: ["one"], creditLine: "Press", copyrightNotice: "R"))
    let twice = CreditBuilder.packet(
      "<rdf:Description dc:rights=\"R\"/><rdf:Description><dc:rights>S</dc:rights></rdf:Description>")
    #expect(read(twice).credits == Credits(copyrightNotice: "R"))
  }

  /// Credits of a source image may belong to somebody else.
  @Test func ignoresNestedProperties() {
    let nested = CreditBuilder.packet(
      properties: """
        <dc:title rdf:parseType="Resource"><dc:creator>other</dc:creator></dc:title>
        <dc:source><rdf:Bag><rdf:li><rdf:Description><dc:rights>other</dc:rights></rdf:Description></rdf:li></rdf:Bag></dc:source>
        <dc:creator><rdf:Description><dc:creator>other</dc:creator></rdf:Description></dc:creator>
        """)
    let (credits, isWhole) = read(nested)
    #expect(credits.isEmpty && isWhole)
    #expect(read(Array("<dc:rights xmlns:dc=\"http://purl.org/dc/elements/1.1/\">x</dc:rights>".utf8)).credits.isEmpty)
  }

  @Test func foreignDataHaveNoCredits() {
    let good = CreditBuilder.packet(properties: "<dc:creator>one</dc:creator>")
    // Padded with zeros, as some programs do.
    #expect(read(good + [0, 0, 0]) == (Credits(creators: ["one"]), true))
    for (bad, said) in [
      (Array(good.prefix(good.count / 2)), false), (Array("<a>".utf8), false), (Array("none".utf8), false),
      (Array("<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>".utf8), false),
      (Array(String(repeating: "<a>", count: 65).utf8) + Array(String(repeating: "</a>", count: 65).utf8), false),
      (Array(String(repeating: "<a>", count: 64).utf8) + Array(String(repeating: "</a>", count: 64).utf8), true),
    ] {
      let (credits, isWhole) = read(bad)
      #expect(credits.isEmpty && isWhole == said)
    }
    // An entity that the packet defines could insert text of another file.
    let text = String(decoding: good, as: UTF8.self)
    let expanding = "<!DOCTYPE a [<!ENTITY e \"one\">]>" + text.replacing(">one<", with: ">&e;<")
    #expect(read(Array(expanding.utf8)).credits.isEmpty)
    for control in ["&#x7F;", "&#x9F;", "&#xFFFF;"] {
      #expect(read(CreditBuilder.packet(properties: "<dc:creator>a\(control)</dc:creator>")).credits.isEmpty)
    }
  }

  private static let shown = Credits(
    title: "Class <4b>", headline: "A trip & more", keywords: ["school", "lake"], people: ["Zoë", "Ben"], rating: 4)

  /// Titles, keywords and people, in the forms in which editors write them; under `keep` alone.
  @Test func keepsTitlesKeywordsAndPeople() throws {
    let packet = CreditBuilder.packet(
      attributes:
        "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmp:Rating=\"4.0\" photoshop:Headline=\"A trip &amp; more\"",
      properties: """
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Class &lt;4b&gt;</rdf:li></rdf:Alt></dc:title>
        <dc:subject><rdf:Bag><rdf:li>school</rdf:li><rdf:li>lake</rdf:li></rdf:Bag></dc:subject>
        <e:PersonInImage xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"><rdf:Bag><rdf:li>Zoë</rdf:li><rdf:li>Ben</rdf:li></rdf:Bag></e:PersonInImage>
        """)
    #expect(read(packet) == (Self.shown, true))
    #expect(read(try #require(XMPPacket.written(Self.shown).packet)) == (Self.shown, true))
    #expect(Self.shown.kept(by: .keep) == Self.shown && Self.shown.kept(by: .copyright).isEmpty)
    let records =
      CreditBuilder.dataSet(5, Array("Class <4b>".utf8)) + CreditBuilder.dataSet(105, Array("A trip & more".utf8))
      + CreditBuilder.dataSet(25, Array("school".utf8)) + CreditBuilder.dataSet(25, Array("lake".utf8))
    var recorded = Self.shown
    (recorded.people, recorded.rating) = ([], nil)
    #expect(CreditSources(iptc: records).read() == (recorded, true))
  }

  @Test(arguments: ["0", "7", "-2", "nan", "1e300", "four", ""]) func whatIsNoRatingIsNone(text: String) {
    let packet = CreditBuilder.packet(
      properties: "<x:Rating xmlns:x=\"http://ns.adobe.com/xap/1.0/\">\(text)</x:Rating>")
    #expect(read(packet).credits.isEmpty)
  }

  /// Who writes ten thousand keywords loses most of them, and is told.
  @Test func listsAreBounded() {
    let items = (0..<10_000).map { "<rdf:li>k\($0)</rdf:li>" }.joined()
    for (name, list, most) in [
      ("dc:subject", \Credits.keywords, Credits.mostKeywords),
      ("e:PersonInImage", \Credits.people, Credits.mostPeople),
    ] {
      let packet = CreditBuilder.packet(
        attributes: "xmlns:e=\"http://iptc.org/std/Iptc4xmpExt/2008-02-29/\"",
        properties: "<\(name)><rdf:Bag>\(items)</rdf:Bag></\(name)>")
      let (credits, isWhole) = read(packet)
      #expect(credits[keyPath: list].count == most && !isWhole)
    }
    let records = (0..<10_000).flatMap { CreditBuilder.dataSet(25, Array("k\($0)".utf8)) }
    let (credits, isWhole) = CreditSources(iptc: records).read()
    #expect(credits.keywords.count == Credits.mostKeywords && !isWhole)
  }

  /// The description is dropped before the rights.
  @Test func dropsTheDescriptionFirst() throws {
    var long = Self.all
    long.description = String(repeating: "&", count: 14_000)
    let (packet, isWhole) = XMPPacket.written(long)
    #expect(!isWhole)
    #expect(read(try #require(packet)).credits == Self.all.kept(by: .copyright))
    long = Self.all
    for text in Credits.texts { long[keyPath: text] = String(repeating: "&", count: 4_000) }
    let (most, isAll) = XMPPacket.written(long)
    #expect(!isAll)
    #expect(try #require(most).count <= 65_533 - 29)
  }

  // MARK: IPTC

  @Test func recordsOfAllKinds() {
    let records =
      CreditBuilder.dataSet(90, [0x1B, 0x25, 0x47], record: 1) + CreditBuilder.dataSet(80, Array("A".utf8))
      + CreditBuilder.dataSet(80, Array("Bé".utf8), isLong: true)
      + CreditBuilder.dataSet(110, [0x93, 0x41, 0xE9, 0x94])
      + CreditBuilder.dataSet(116, Array("©".utf8)) + CreditBuilder.dataSet(120, [0x81]) + CreditBuilder.dataSet(5, [])
    let (credits, isWhole) = CreditSources(iptc: records + [0]).read()
    #expect(isWhole && credits == Credits(creators: ["A", "Bé"], creditLine: "“Aé”", copyrightNotice: "©"))
    for cut in stride(from: 1, to: records.count, by: 1) {
      let (part, _) = CreditSources(iptc: Array(records.prefix(cut))).read()
      #expect(part.creators.count <= 2)
    }
    for bad in [[0x1C, 2, 80, 0, 9, 65], [0x1C, 2, 80, 0x80, 3, 0, 0, 1, 65], [0x1C, 2], [1, 2, 3]] as [[UInt8]] {
      #expect(CreditSources(iptc: bad).read() == (Credits(), false))
    }
  }

  /// If both exist, the newer form counts.
  @Test func packetsCountBeforeRecords() {
    let sources = CreditSources(
      xmp: CreditBuilder.packet(properties: "<dc:creator>X</dc:creator>"),
      iptc: CreditBuilder.dataSet(80, Array("I".utf8)) + CreditBuilder.dataSet(116, Array("C".utf8)))
    #expect(sources.read().credits == Credits(creators: ["X"], copyrightNotice: "C"))
  }

  // MARK: Files

  /// Returns an image with credits in every format.
  private static func files(xmp packet: [UInt8], iptc records: [UInt8]) throws -> [(name: String, file: [UInt8])] {
    let picture = Pixels.testPattern(width: 40, height: 30, channels: 3, seed: 3)
    func jpeg(_ segments: [MarkerSegment]) throws -> [UInt8] {
      try JPEGRecipe.baseline420.with { $0.segments = segments }.encode(picture)
    }
    func png(_ change: (inout PNGBuilder) throws -> Void) rethrows -> [UInt8] {
      var builder = PNGBuilder(picture)
      try change(&builder)
      return builder.encoded()
    }
    func tiff(_ change: (inout TIFFBuilder) -> Void) -> [UInt8] {
      var builder = TIFFBuilder(picture)
      change(&builder)
      return builder.encoded()
    }
    let chunks = WebPBuilder.chunks(of: try encodeWebP(picture.rgba, quality: 80))
    var files = [
      ("JPEG, XMP", try jpeg([CreditBuilder.segment(xmp: packet)])),
      ("JPEG, IPTC", try jpeg(CreditBuilder.segments(iptc: records))),
      ("JPEG, IPTC in parts", try jpeg(CreditBuilder.segments(iptc: records, most: 17))),
      ("PNG", try png { $0.before = [try PNGBuilder.xmp(packet)] }),
      ("PNG, compressed", try png { $0.before = [try PNGBuilder.xmp(packet, isCompressed: true)] }),
      ("PNG, behind", try png { $0.behind = [try PNGBuilder.xmp(packet)] }),
      (
        "WebP",
        WebPBuilder.file(
          [WebPBuilder.extended(flags: 4, width: 40, height: 30)] + chunks.filter { $0.name != "VP8X" }
            + [("XMP ", packet)])
      ),
      ("TIFF, XMP", tiff { $0.changes[700] = $0.bytes(packet, type: 1) }),
      ("TIFF, IPTC", tiff { $0.changes[33_723] = $0.bytes(records) }),
      (
        "TIFF, IPTC in words",
        tiff { builder in
          let filled = records + [UInt8](repeating: 0, count: (4 - records.count % 4) % 4)
          builder.changes[33_723] = builder.longs(
            stride(from: 0, to: filled.count, by: 4).map { place in
              filled[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            })
        }
      ),
    ]
    #if HEIF
      var heif = HEIFBuilder(try CodedItem(picture, codec: .av1))
      heif.addXMP(packet, of: 1)
      files.append(("AVIF", heif.encoded()))
    #endif
    return files
  }

  @Test func filesOfAllFormats() async throws {
    let packet = try #require(XMPPacket.written(Self.all).packet)
    let records = [(80, "Zoë <Müller>"), (80, "B & Co"), (110, "Agency"), (116, "© 2026")].flatMap {
      CreditBuilder.dataSet($0.0, Array($0.1.utf8))
    }
    let cropper = FaceCropper(detector: StubDetector())
    for (name, file) in try Self.files(xmp: packet, iptc: records) {
      let isXMP = !name.contains("IPTC")
      let expected =
        isXMP ? Self.all : Credits(creators: Self.all.creators, creditLine: "Agency", copyrightNotice: "© 2026")
      let info = try await cropper.info(of: .bytes(file))
      #expect(info.credits == expected && info.hasXMP == isXMP && info.hasIPTC == !isXMP, "\(name)")
      for policy in MetadataPolicy.allCases {
        let request = CropRequest(output: CropOutput(metadata: policy))
        let result = try await cropper.crop(.bytes(file), request: request)
        #expect(result.warnings.isEmpty, "\(name)")
        for format in OutputFormat.written {
          let output = try await cropper.encode(result.crops[0], as: format)
          let made = try header(output)
          #expect(made.credits.read() == (expected.kept(by: policy), true), "\(name), \(policy), \(format)")
          #expect(made.faults.isEmpty)
        }
      }
    }
  }

  /// A lossless crop has them too.
  @Test(arguments: [JPEGRecipe.baseline420, .progressive])
  func cutsHaveThem(recipe: JPEGRecipe) async throws {
    let packet = try #require(XMPPacket.written(Self.all).packet)
    let file = try recipe.with { $0.segments = [CreditBuilder.segment(xmp: packet)] }
      .encode(.testPattern(width: 64, height: 48, channels: 3, seed: 3))
    for policy in MetadataPolicy.allCases {
      let cut = try await FaceCropper(detector: StubDetector()).cutLosslessly(
        .bytes(file), request: CropRequest(output: CropOutput(metadata: policy)))
      #expect(try header(cut.crops[0].bytes).credits.read().credits == Self.all.kept(by: policy))
    }
  }

  /// Unreadable or excessive credits cause a warning, but only if they are requested.
  @Test func warnsOfLostCredits() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let packet = try #require(XMPPacket.written(Self.all).packet)
    let large = packet + [UInt8](repeating: 0x20, count: CreditSources.mostBytes)
    for (name, file) in try Self.files(xmp: Array(packet.prefix(700)), iptc: [1, 2, 3])
      + Self.files(xmp: Array(packet.prefix(300)), iptc: [1])
    {
      for policy in MetadataPolicy.allCases {
        let request = CropRequest(output: CropOutput(metadata: policy))
        let warnings = try await cropper.crop(.bytes(file), request: request).warnings
        #expect(warnings == (policy == .strip ? [] : [.creditsDropped]), "\(name), \(policy)")
      }
    }
    var png = PNGBuilder(Pixels.testPattern(width: 40, height: 30, channels: 3, seed: 3))
    png.before = [try PNGBuilder.xmp(large, isCompressed: true)]
    var sources = CreditSources()
    sources.take(\.xmp, of: CreditSources.mostBytes + 1) { packet }
    #expect(sources.xmp.isEmpty && sources.isCut)
    let request = CropRequest(output: CropOutput(metadata: .copyright))
    let result = try await cropper.crop(.bytes(png.encoded()), request: request)
    #expect(result.warnings == [.creditsDropped] && result.crops[0].xmp == nil)
  }

  // MARK: Resolution

  @Test func resolutionsAreRead() throws {
    let picture = Pixels.testPattern(width: 40, height: 30, channels: 3, seed: 3)
    func jpeg(_ unit: UInt8, _ x: UInt16, _ y: UInt16) throws -> Double? {
      var file = try JPEGRecipe.baseline420.encode(picture)
      // In JFIF's segment, which comes first.
      file.replaceSubrange(13..<18, with: [unit] + x.bigEndianBytes + y.bigEndianBytes)
      return try header(file).resolution
    }
    #expect(try jpeg(1, 300, 300) == 300)
    #expect(try jpeg(2, 118, 118) == 299.72)
    for (unit, x, y) in [(0, 1, 1), (1, 300, 299), (1, 0, 0)] as [(UInt8, UInt16, UInt16)] {
      #expect(try jpeg(unit, x, y) == nil)
    }
    var png = PNGBuilder(picture)
    func pixels(_ unit: UInt8, _ x: UInt32, _ y: UInt32) throws -> Double? {
      png.before = [("pHYs", x.bigEndianBytes + y.bigEndianBytes + [unit])]
      return try header(png.encoded()).resolution
    }
    #expect(try pixels(1, 11_811, 11_811) == 300)
    for (unit, x, y) in [(0, 1, 1), (1, 3, 4), (1, .max, .max)] as [(UInt8, UInt32, UInt32)] {
      #expect(try pixels(unit, x, y) == nil)
    }
  }

  /// Where neither JFIF nor EXIF says it.
  @Test func photoshopsResolutionIsRead() throws {
    let picture = try JPEGRecipe.baseline420.with { $0.jfif = false }.encode(
      .testPattern(width: 40, height: 30, channels: 3, seed: 3))
    func resolution(_ x: UInt32, _ y: UInt32, unit: UInt8 = 1, _ others: [MarkerSegment] = []) throws -> Double? {
      let resources = CreditBuilder.resolution(x, y, unit: unit)
      let segment = MarkerSegment.app(13, Array("Photoshop 3.0\0".utf8) + resources)
      return try header(JPEGSurgery.inserting(others + [segment], into: picture)).resolution
    }
    // 16 bits stand behind the point. The unit is that of the display.
    #expect(try resolution(300 << 16, 300 << 16) == 300)
    #expect(try resolution(300 << 16, 300 << 16, unit: 2) == 300)
    #expect(try resolution(72 << 16 | 0x8000, 72 << 16 | 0x8000) == 72.5)
    for (x, y) in [(0, 0), (300 << 16, 299 << 16), (.max, .max)] as [(UInt32, UInt32)] {
      #expect(try resolution(x, y) == nil)
    }
    let exif = try #require(EXIF.data(nil, saying: 96))
    #expect(try resolution(300 << 16, 300 << 16, [.exif(exif)]) == nil)
    #expect(EXIF(exif)?.resolution == 96)
  }

  @Test(arguments: OutputFormat.written)
  func resolutionsAreWritten(format: OutputFormat) async throws {
    let cropper = FaceCropper(detector: StubDetector())
    var tiff = TIFFBuilder(Pixels.testPattern(width: 40, height: 30, channels: 3, seed: 3))
    for tag in [282, 283] { tiff.changes[tag] = tiff.rational(200, 1) }
    let source = ImageSource.bytes(tiff.encoded())
    func made(_ output: CropOutput) async throws -> ImageInfo {
      let crop = try await cropper.crop(source, request: CropRequest(output: output)).crops[0]
      return try await cropper.info(of: .bytes(cropper.encode(crop, as: format)))
    }
    #expect(try await made(CropOutput()).resolution == nil)
    #expect(try await made(CropOutput(metadata: .copyright)).resolution == 200)
    #expect(try await made(CropOutput(sizes: [.longSide(20)], metadata: .keep)).resolution == 200)
    #expect(try await made(CropOutput(metadata: .keep, resolution: 96)).resolution == 96)
    #expect(try await made(CropOutput(resolution: 600)).resolution == 600)
    for wrong in [0, -1, 70_000, .nan] {
      await #expect { _ = try await made(CropOutput(resolution: wrong)) } throws: {
        ($0 as? FaceCropError)?.kind == "invalid"
      }
    }
  }

  // MARK: Hostile

  /// Time and memory are proportional to the bytes.
  @Test func theWorstPacketsAreReadInTime() throws {
    func packets(_ bytes: Int) -> [[UInt8]] {
      func repeated(_ part: (Int) -> String, _ open: String = "<a>", _ close: String = "</a>") -> [UInt8] {
        var text = open
        var number = 0
        while text.utf8.count < bytes - 40 {
          text += part(number)
          number += 1
        }
        return Array((text + close).utf8)
      }
      return [
        repeated { _ in "<b/>" }, repeated { "<a\($0)/>" }, repeated({ " a\($0)=''" }, "<a", "/>"),
        repeated({ " xmlns:a\($0)='u'" }, "<a", "/>"), repeated { "<b xmlns:a\($0)='u'/>" }, repeated { _ in "&#97;" },
        repeated { _ in "<!-- -->" }, repeated({ _ in "x" }, "<a b='", "'/>"),
        CreditBuilder.packet(
          properties: "<dc:creator><rdf:Seq>" + String(decoding: repeated { _ in "<rdf:li>a</rdf:li>" }, as: UTF8.self)
            + "</rdf:Seq></dc:creator>"),
      ]
    }
    for (small, large) in zip(packets(CreditSources.mostBytes / 4), packets(CreditSources.mostBytes)) {
      func time(_ packet: [UInt8]) -> Double { (0..<3).map { _ in processorTime { _ = read(packet) } }.min()! }
      let (first, second) = (time(small), time(large))
      #expect(second <= max(first, 0.001) * 4 * 3, "\(String(decoding: large.prefix(30), as: UTF8.self))")
    }
  }
}

extension OutputFormat {
  /// One format of each kind that this build writes.
  fileprivate static var written: [OutputFormat] {
    let all: [OutputFormat] = [.jpeg(quality: 80), .png, .webp(quality: 80), .webpLossless, .tiff]
    return all + (ImageFormat.avif.isWritten ? [.avif(quality: 80)] : [])
  }
}
