import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// The table of documents, its page, and the frames that follow from it.
@Suite struct PhotoDocumentTests {
  private static let documents: [(standard: PhotoStandard, document: PhotoDocument)] =
    PhotoStandard.allCases.compactMap { standard in standard.document.map { (standard: standard, document: $0) } }

  @Test func thereAreTwentyOrMore() {
    #expect(Self.documents.count >= 20 && Self.documents.count == PhotoStandard.allCases.count - 1)
    #expect(PhotoStandard(rawValue: "passport:us") == .passportUS && PhotoStandard(rawValue: "passport:xx") == nil)
    #expect(PhotoStandard.passport.framing == .passport)
  }

  /// A platform's size has a page of the platform.
  @Test func platformsHavePages() {
    for format in SocialFormat.allCases {
      #expect(format.rawValue.hasPrefix("social-") && format.page.hasPrefix("https://"))
      #expect(
        format.composition.layout == .fill(format.aspect)
          && OutputSize.size(format.aspect, longSide: format.size.longSide) == format.size
      )
    }
  }

  /// Each row names an authority's page and a day, and its facts can be measured.
  @Test func rowsAreComplete() throws {
    for (standard, document) in Self.documents {
      let name = standard.rawValue
      #expect(standard.rawValue.wholeMatch(of: /(passport|id|visa):[a-z]+/) != nil)
      #expect(
        !document.pages.isEmpty && document.pages.allSatisfy { $0.hasPrefix("http") && !$0.contains(" ") }, "\(name)")
      #expect(document.accessed.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil, "\(name)")
      #expect((document.width == nil) == (document.height == nil), "\(name)")
      #expect(document.width != nil || document.leastPixels != nil, "\(name)")
      for measure in [document.headHeight, document.eyeLine, document.headroom].compactMap({ $0 }) {
        if case .millimeters = measure { #expect(document.height != nil, "\(name)") }
        #expect(document.part(measure).lowerBound > 0 && document.part(measure).upperBound < 1, "\(name)")
      }
      let framing = standard.framing
      #expect(framing.isValid && framing.standard == standard && framing.aspect == document.aspect, "\(name)")
      let size = document.pixels(perInch: 300)
      let (least, most) = (document.leastPixels ?? size, document.mostPixels ?? size)
      #expect(size.width >= least.width && size.height >= least.height, "\(name): \(size)")
      #expect(size.width <= most.width && size.height <= most.height, "\(name): \(size)")
    }
    #expect(try #require(PhotoStandard.passportUS.document).pixels(perInch: 300) == PixelSize(width: 600, height: 600))
    #expect(try #require(PhotoStandard.passportSG.document).pixels(perInch: 600) == PixelSize(width: 400, height: 514))
    #expect(
      try #require(PhotoStandard.passportHK.document).pixels(perInch: 300) == PixelSize(width: 1_280, height: 1_600))
    #expect(
      try #require(PhotoStandard.visaUS.document).pixels(perInch: 9_000) == PixelSize(width: 1_200, height: 1_200))
  }

  /// A document has a color if the page states a background, and text and color agree.
  @Test func backgroundsHaveColors() throws {
    let names: [(BackgroundColor, String)] = [
      (.white, "white"), (.offWhite, "off-white"), (.cream, "cream"), (.beige, "beige"), (.lightBrown, "light brown"),
      (.lightGray, "light gray"), (.lightBlue, "light blue"),
    ]
    for (standard, document) in Self.documents {
      let name = standard.rawValue
      #expect((document.background == nil) == (document.backgroundColor == nil), "\(name)")
      guard let background = document.background else { continue }
      // "off-white" has the word "white" in it, and France refuses white.
      let stated = names.filter { $0.1 != "white" && background.contains($0.1) }.map(\.0)
      let white: [BackgroundColor] = background.contains(/(^|[^-t] )white/) ? [.white] : []
      #expect(Set(document.tones) == Set(stated + white), "\(name): \(document.tones)")
    }
    #expect(PhotoStandard.passportNZ.document?.backgroundColor == nil)
    #expect(PhotoStandard.visaUS.document?.backgroundColor == .white)
    let gray = BackgroundColor(red: 0xD3, green: 0xD3, blue: 0xD3)
    #expect(PhotoStandard.idFR.document?.backgroundColor == gray)
  }

  /// A frame keeps the rules of its document for a typical head, much hair, and little hair.
  @Test(arguments: documents.map(\.standard)) func framesKeepTheRules(standard: PhotoStandard) throws {
    let picture = PixelSize(width: 3_000, height: 4_000)
    let (width, height) = (Double(picture.width), Double(picture.height))
    let rules = standard.placement
    for hair in [0.18, 0.25] {
      let box = Frame(x: 1_200, y: 1_500, width: 600, height: 800)
      var head = Head(assumedFor: Face(box: box.normalized(in: picture), score: 1), in: picture)
      head.chin.position = box.maxY / height
      head.crown = Head.Edge(position: (box.y - hair * box.height) / height, confidence: 0.95)
      head.skull.position = head.chin.position - Head.Proportions.height(crown: hair) * box.height / height
      let (x, y) = (box.midX / width, (box.y + 0.4 * box.height) / height)
      let face = Face(
        box: box.normalized(in: picture), score: 1,
        landmarks: FaceLandmarks(
          rightEye: NormalizedPoint(x: x - 0.04, y: y), leftEye: NormalizedPoint(x: x + 0.04, y: y),
          nose: NormalizedPoint(x: x, y: y + 0.04), mouthRight: NormalizedPoint(x: x - 0.03, y: y + 0.07),
          mouthLeft: NormalizedPoint(x: x + 0.03, y: y + 0.07)), head: head)
      let region = try CropPlanner()
        .crops(for: [face], in: picture, composition: Composition(.framing(standard.framing)))[0].region
      func down(_ place: Double) -> Double { (place - region.y) / region.height }
      let (tall, eyes) = (down(head.chin.position) - down(head.skull.position), 1 - down(y))
      #expect(rules.headHeight.contains(tall), "\(standard.rawValue), hair \(hair): \(tall), \(rules.headHeight)")
      #expect(rules.eyeLine.contains(eyes), "\(standard.rawValue), hair \(hair): \(eyes), \(rules.eyeLine)")
      let aspect = region.width * width / (region.height * height)
      let wanted = standard.framing.aspect.width / standard.framing.aspect.height
      #expect(abs(aspect - wanted) < 0.005 * wanted, "\(standard.rawValue): \(aspect)")
    }
  }

  /// docs/documents.md is written from the table. FACECROP_UPDATE_DOCUMENTS=1 updates it.
  @Test func thePageHasTheTable() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/documents.md")
    if ProcessInfo.processInfo.environment["FACECROP_UPDATE_DOCUMENTS"] == "1" {
      try Data(Self.page.utf8).write(to: path)
    }
    let stored = try String(contentsOf: path, encoding: .utf8)
    let isSame = stored == Self.page
    #expect(isSame, "docs/documents.md is out of date: run this test with FACECROP_UPDATE_DOCUMENTS=1")
  }

  private static var page: String {
    let rows: [[String]] = documents.map { standard, document in
      [
        "`\(standard.rawValue)`", document.title, paper(document), measure(document.headHeight),
        measure(document.eyeLine), measure(document.headroom), file(document), background(document),
      ]
    }
    let sources: [String] = documents.map { standard, document in
      "| `\(standard.rawValue)` | \(document.accessed) | "
        + document.pages.enumerated().map { "[\($0.offset + 1)](\($0.element))" }.joined(separator: ", ") + " |"
    }
    let beginning = """
      # Photos for documents

      This page lists the documents of `--preset`, of `facecrop check --preset` and of the server's
      URLs, with the facts that each authority states. An empty cell means that the authority's page
      states nothing. For the head and the eyes, facecrop then uses ICAO Doc 9303 and ISO/IEC 19794-5.
      The digits after a background are the color of `--background-fill required`.
      `PhotoDocumentTests` writes this page from the table in `PhotoDocuments.swift`. Do not edit it.

      Rules change. Read the authority's page before you submit a photo. These presets do not change the
      background; `--background-fill` does. Heads are measured from chin to crown without hair; `visa:us`
      counts the hair. A head is a length on paper or a part of the height. Eyes are measured above the
      lower edge.

      | preset | document | size | head | eyes | above the head | file | background |
      |---|---|---|---|---|---|---|---|

      """
    let table = rows.map { row in "| \(row.joined(separator: " | ")) |\n" }.joined()
    let middle =
      "\n## Sources\n\nThe date is the day on which a stored copy of the last page was read.\n\n"
      + "| preset | date | pages |\n|---|---|---|\n"
    return beginning + table + middle + sources.map { $0 + "\n" }.joined()
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  private static func background(_ document: PhotoDocument) -> String {
    [document.background, document.backgroundColor.map { "`\($0.hexadecimal)`" }].compactMap { $0 }
      .joined(separator: ", ")
  }

  private static func paper(_ document: PhotoDocument) -> String {
    guard let width = document.width, let height = document.height else { return "" }
    return "\(number(width)) × \(number(height)) mm"
  }

  private static func measure(_ measure: PhotoDocument.Measure?) -> String {
    switch measure {
    case nil: ""
    case .millimeters(let range)?: "\(number(range.lowerBound)) to \(number(range.upperBound)) mm"
    case .part(let range)?:
      "\(number((range.lowerBound * 100).rounded())) to \(number((range.upperBound * 100).rounded())) %"
    }
  }

  private static func file(_ document: PhotoDocument) -> String {
    func pixels(_ size: PixelSize) -> String { "\(size.width) × \(size.height)" }
    func bytes(_ count: Int) -> String { count % 1_000_000 == 0 ? "\(count / 1_000_000) MB" : "\(count / 1_000) kB" }
    var parts: [String] = []
    switch (document.leastPixels, document.mostPixels) {
    case (let least?, let most?) where least == most: parts.append("\(pixels(least)) pixels")
    case (let least?, let most?): parts.append("\(pixels(least)) to \(pixels(most)) pixels")
    case (let least?, nil): parts.append("at least \(pixels(least)) pixels")
    case (nil, let most?): parts.append("at most \(pixels(most)) pixels")
    case (nil, nil): break
    }
    switch (document.leastBytes, document.mostBytes) {
    case (let least?, let most?): parts.append("\(bytes(least)) to \(bytes(most))")
    case (let least?, nil): parts.append("at least \(bytes(least))")
    case (nil, let most?): parts.append("at most \(bytes(most))")
    case (nil, nil): break
    }
    return parts.joined(separator: ", ")
  }
}
