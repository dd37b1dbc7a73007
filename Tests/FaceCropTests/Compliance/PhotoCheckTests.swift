import TestSupport
import Testing

@testable import FaceCrop

/// Photos compared with the rules for passports.
@Suite struct PhotoCheckTests {
  private static let size = PixelSize(width: 413, height: 531)

  /// Returns a detection that satisfies every rule.
  private static func detection() -> Detection {
    func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 1) }
    func point(_ x: Double, _ y: Double) -> NormalizedPoint { NormalizedPoint(x: x, y: y) }
    var face = Face(
      box: NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.6), score: 0.9,
      landmarks: FaceLandmarks(
        rightEye: point(0.37, 0.45), leftEye: point(0.63, 0.45), nose: point(0.5, 0.55), mouthRight: point(0.4, 0.7),
        mouthLeft: point(0.6, 0.7)),
      head: Head(crown: edge(0.06), skull: edge(0.1), chin: edge(0.85), left: edge(0.12), right: edge(0.88)),
      sharpness: 0.6)
    // The points in the middle, then both cheeks and the space between the lips.
    var mesh = [NormalizedPoint](repeating: point(0.5, 0.55), count: 468)
    (mesh[234], mesh[454]) = (point(0.27, 0.55), point(0.73, 0.55))
    (mesh[78], mesh[308], mesh[13], mesh[14]) = (point(0.42, 0.7), point(0.58, 0.7), point(0.5, 0.69), point(0.5, 0.7))
    face.mesh = mesh
    return Detection(
      size: size, orientation: .up, detector: "yunet", faces: [face], warnings: [], path: .index)
  }

  /// Returns the broken rules.
  private static func broken(_ change: (inout Detection) -> Void) -> [String] {
    var detection = detection()
    change(&detection)
    let check = PhotoCheck(.passport, detection)
    #expect(check.breaksRules == check.findings.contains(where: \.isBroken) && check.findings.count == 14)
    return check.findings.filter(\.isBroken).map(\.rule.name)
  }

  @Test func aGoodOneKeepsEveryRule() {
    #expect(Self.broken { _ in } == [])
    let check = PhotoCheck(.passport, Self.detection())
    let values = check.findings.compactMap(\.value).map { ($0 * 1_000).rounded() / 1_000 }
    #expect(values == [1, 0.778, 0.75, 0.06, 0.55, 0.5, 0, 0, 0.08, 107.38, 0.6])
  }

  /// The background's rules are skipped if it was not measured.
  @Test func theBackgroundHasRules() {
    func broken(_ background: BackgroundMeasure?) -> [String] {
      let check = PhotoCheck(.passport, Self.detection(), background: background)
      #expect(check.findings.count(where: \.isSkipped) == (background == nil ? 3 : background?.shadow == nil ? 1 : 0))
      return check.findings.filter(\.isBroken).map(\.rule.name)
    }
    #expect(broken(nil) == [])
    #expect(broken(BackgroundMeasure(color: SIMD3(90, 0, 0), difference: 0.01, shadow: nil)) == [])
    // A photo with a rule that was not measured does not pass, and breaks nothing.
    let open = PhotoCheck(.passport, Self.detection())
    #expect(!open.passes && !open.breaksRules && !open.findings.filter(\.isSkipped).contains(where: \.passes))
    let whole = PhotoCheck(
      .passport, Self.detection(), background: BackgroundMeasure(color: SIMD3(90, 0, 0), difference: 0.01, shadow: 0))
    #expect(whole.passes && !whole.breaksRules)
    let dark = PhotoCheck(
      .passport, Self.detection(), background: BackgroundMeasure(color: SIMD3(10, 0, 0), difference: 0.01, shadow: nil))
    #expect(!dark.passes && dark.breaksRules)
    #expect(broken(BackgroundMeasure(color: SIMD3(50, 0, 0), difference: 0.01, shadow: 0)) == ["background-light"])
    #expect(broken(BackgroundMeasure(color: SIMD3(90, 0, 0), difference: 0.2, shadow: 0)) == ["background-uniform"])
    #expect(broken(BackgroundMeasure(color: SIMD3(90, 0, 0), difference: 0.01, shadow: 0.2)) == ["background-shadow"])
  }

  /// A document whose authority names colors has a rule about them.
  @Test func theBackgroundHasTheColorOfTheDocument() {
    func passes(_ standard: PhotoStandard, _ background: BackgroundMeasure?) -> Bool? {
      let finding = PhotoCheck(standard, Self.detection(), background: background).findings
        .first { $0.rule.name == "background-color" }
      return finding.flatMap { $0.isSkipped ? nil : $0.passes }
    }
    func plain(_ color: SIMD3<Double>) -> BackgroundMeasure {
      BackgroundMeasure(color: color, difference: 0, shadow: 0)
    }
    let (white, gray, blue) = (plain(SIMD3(99, 0, 0)), plain(SIMD3(84, 0, 0)), plain(SIMD3(85, -5, -13)))
    #expect(passes(.visaUS, white) == true && passes(.visaUS, gray) == false && passes(.visaUS, blue) == false)
    #expect(passes(.idFR, white) == false && passes(.idFR, gray) == true && passes(.idFR, blue) == true)
    #expect(passes(.visaCN, white) == true && passes(.visaCN, gray) == false && passes(.visaCN, blue) == true)
    // Any light color, or none that the authority states.
    #expect(passes(.idDE, gray) == nil && passes(.passportNZ, white) == nil && passes(.visaUS, nil) == nil)
  }

  @Test func eachRuleIsBrokenAlone() {
    #expect(Self.broken { $0.faces.append($0.faces[0]) } == ["faces"])
    #expect(Self.broken { $0.size.width = 380 } == ["shape"])
    #expect(Self.broken { $0.faces[0].head!.skull.position = 0.16 } == ["head-height"])
    #expect(Self.broken { $0.faces[0].head!.skull.position = 0.04 } == ["head-height"])
    #expect(Self.broken { $0.faces[0].head!.crown.position = 0 } == ["whole-head"])
    #expect(Self.broken { $0.faces[0].head!.right.position = 1 } == ["whole-head"])
    #expect(
      Self.broken {
        $0.faces[0].landmarks!.rightEye.y = 0.52
        $0.faces[0].landmarks!.leftEye.y = 0.52
      } == ["eye-line"])
    #expect(
      Self.broken {
        $0.faces[0].landmarks!.rightEye.x += 0.06
        $0.faces[0].landmarks!.leftEye.x += 0.06
      } == ["center"])
    #expect(Self.broken { $0.faces[0].landmarks!.leftEye.y = 0.42 } == ["tilt"])
    #expect(Self.broken { $0.size = PixelSize(width: 310, height: 398) } == ["eye-distance"])
    #expect(Self.broken { $0.faces[0].sharpness = 0.2 } == ["sharpness"])
  }

  /// A mouth is measured in a face from the front with enough pixels. Without a mesh, neither rule is.
  @Test func turnAndMouthComeFromTheMesh() {
    func skipped(_ change: (inout Detection) -> Void) -> [String] {
      var detection = Self.detection()
      change(&detection)
      return PhotoCheck(.passport, detection).findings.filter(\.isSkipped).map(\.rule.name)
        .filter { !$0.hasPrefix("background-") }
    }
    #expect(Self.broken { $0.faces[0].mesh![14].y = 0.71 } == ["mouth"])
    #expect(Self.broken { $0.faces[0].mesh![4].x = 0.62 } == ["turn"])
    #expect(Self.broken { $0.faces[0].mesh![4].x = 0.38 } == ["turn"])
    #expect(skipped { $0.faces[0].mesh![4].x = 0.62 } == ["mouth"])
    #expect(skipped { $0.faces[0].mesh![4].x = 0.6 } == [])
    #expect(skipped { $0.size = PixelSize(width: 103, height: 132) } == ["mouth"])
    #expect(skipped { $0.faces[0].mesh = nil } == ["turn", "mouth"])
  }

  /// A document adds rules about its file, and names the authority's site as their source.
  @Test func documentsHaveRulesOfTheirOwn() throws {
    var detection = Self.detection()
    detection.size = PixelSize(width: 600, height: 600)
    func broken(_ standard: PhotoStandard, bytes: Int?) -> [String] {
      PhotoCheck(standard, detection, fileBytes: bytes).findings.filter(\.isBroken).map(\.rule.name)
    }
    // The head is too tall for a visa of the United States, and the eyes are just too low.
    #expect(broken(.visaUS, bytes: 240_000) == ["head-height", "eye-line"])
    #expect(broken(.visaUS, bytes: 240_001) == ["head-height", "eye-line", "file-size"])
    #expect(broken(.visaUS, bytes: nil) == ["head-height", "eye-line", "file-size"])
    detection.size = PixelSize(width: 599, height: 599)
    #expect(broken(.visaUS, bytes: 1).contains("width") && broken(.visaUS, bytes: 1).contains("height"))
    detection.size = PixelSize(width: 600, height: 600)
    let check = PhotoCheck(.visaUS, detection, fileBytes: 1)
    let sources = Dictionary(uniqueKeysWithValues: check.findings.map { ($0.rule.name, $0.rule.source) })
    #expect(try #require(sources["head-height"]).hasPrefix("pl.usembassy.gov, "))
    #expect(sources["tilt"] == "ISO/IEC 19794-5:2011, 7.2.2" && sources["faces"] == "ICAO Doc 9303-3")
    detection.size = Self.size
    #expect(broken(.passportJP, bytes: nil) == [])
    detection.faces[0].head!.crown.position = 0.02
    #expect(broken(.passportJP, bytes: nil) == ["headroom"])
    detection.faces[0].landmarks!.leftEye.x = 0.55
    detection.faces[0].landmarks!.rightEye.x = 0.45
    #expect(broken(.passportAT, bytes: nil).contains("eye-spacing"))
  }

  /// Limits, a value, and both as text; and the value in JSON.
  private static let values: [(PhotoCheck.Unit, Double?, Double?, Double, String, String, Double)] = [
    (.part, 0.45, 0.55, 0.5504, "55.04 %", "45 % to 55 %", 0.5504),
    (.part, 0.45, 0.55, 0.550_003, "55.0003 %", "45 % to 55 %", 0.550_003),
    (.part, 0.45, 0.55, 0.4499, "44.99 %", "45 % to 55 %", 0.4499),
    (.part, 0.45, 0.55, 0.6, "60 %", "45 % to 55 %", 0.6),
    (.part, 0.45, 0.55, 0.549_99, "55 %", "45 % to 55 %", 0.55),
    (.ratio, 0.763_38, 0.796, 0.7632, "0.7632", "0.7634 to 0.796", 0.7632),
    (.ratio, 0.7, 0.795_97, 0.795_969, "0.796", "0.7 to 0.796", 0.795_97),
    (.pixels, 90, nil, 89.7, "89.7 px", "at least 90 px", 89.7),
    (.degrees, -5, 5, 5.04, "5.04 deg", "-5 deg to 5 deg", 5.04),
    (.bytes, nil, 240_000, 240_001, "240.001 kB", "at most 240 kB", 240_001), (.count, 1, 1, 2, "2", "1", 2),
  ]

  /// A broken rule's value looks like one, in text and in JSON, and a kept rule's value does not.
  @Test(arguments: PhotoCheckTests.values)
  func valuesLieOnTheirSideOfTheLimits(
    unit: PhotoCheck.Unit, least: Double?, most: Double?, value: Double, text: String, limits: String, number: Double
  ) {
    let rule = PhotoCheck.Rule(name: "", subject: "", unit: unit, least: least, most: most, source: "")
    let finding = PhotoCheck.Finding(rule: rule, value: value)
    #expect(finding.shownValue == text && finding.shownLimits == limits)
    let rounded = finding.rounded(to: 10_000)
    #expect(rounded == number && rounded.map(rule.passes) == finding.passes)
    if let miss = finding.miss(of: .passport) { #expect(miss.hasSuffix("\(text), not \(limits)")) }
  }

  /// A rule that cannot be measured counts as broken.
  @Test func withoutAFaceNothingOfItIsKept() {
    #expect(
      Self.broken { $0.faces = [] } == [
        "faces", "head-height", "whole-head", "eye-line", "center", "tilt", "eye-distance", "sharpness",
      ])
    #expect(
      Self.broken { $0.faces[0].landmarks = nil } == ["eye-line", "center", "tilt", "eye-distance"])
    #expect(Self.broken { $0.faces[0].head = nil } == ["head-height", "whole-head"])
  }

  /// A `passport` output measures as intended.
  @Test func aPassportOfThePortraitIsNearlyOne() async throws {
    let cropper = FaceCropper()
    var request = CropRequest(search: FaceSearch(faces: .prominent), composition: Composition(.framing(.passport)))
    request.output.sizes = [.height(531)]
    request.output.allowsUpscaling = true
    let crop = try await cropper.crop(.bytes(fixtureBytes("astronaut.jpg")), request: request).crops[0]
    let check = try await cropper.check(.bytes(try await cropper.encode(crop, as: .jpeg(quality: 90))))
    let manager = ImageManager()
    let bytes = try await cropper.encode(crop, as: .jpeg(quality: 90))
    #expect(try await manager.check(.bytes(bytes)) == check)
    #expect(manager.statistics.decodes == 1 && manager.statistics.detections == 1 && manager.runningWork == 0)
    let broken = check.findings.filter(\.isBroken).map(\.rule.name)
    // The image ends near the high hair, so the eyes are below the frame's middle, and enlarging makes it soft. A flag
    // and a model are behind the person, who smiles.
    let expected: Set = [
      "sharpness", "head-height", "whole-head", "eye-line", "mouth", "background-uniform", "background-light",
      "background-shadow",
    ]
    #expect(Set(broken).isSubset(of: expected), "\(check.findings)")
    #expect(broken.contains("mouth") && check.findings.first { $0.rule.name == "turn" }?.passes == true)
    let eyes = try #require(check.findings.first { $0.rule.name == "eye-line" }?.value)
    #expect(eyes > 0.46)
  }
}
