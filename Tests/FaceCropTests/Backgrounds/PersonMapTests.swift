import TestSupport
import Testing

@testable import FaceCrop

/// The pixels that belong to the people of a crop.
@Suite struct PersonMapTests {
  private static let size = PixelSize(width: 100, height: 80)

  private static func mask(_ people: PixelRect...) -> [UInt8] {
    (0..<size.width * size.height).map { place in
      people.contains { rect in
        (rect.x..<rect.x + rect.width).contains(place % size.width)
          && (rect.y..<rect.y + rect.height).contains(place / size.width)
      } ? 255 : 0
    }
  }

  private static func face(x: Double, y: Double) -> NormalizedRect {
    NormalizedRect(x: x - 0.05, y: y - 0.075, width: 0.1, height: 0.15)
  }

  private static func kept(_ mask: [UInt8], own: [NormalizedRect], others: [NormalizedRect] = []) -> (Int, Int) -> Bool
  {
    let kept = PersonMap.connected(mask, size, FramedPeople(own: own, others: others))
    return { x, y in kept[y * size.width + x] && mask[y * size.width + x] > 0 }
  }

  /// A person apart from the framed one is background, whether its face was found or not.
  @Test func peopleApartAreLeftOut() {
    let mask = Self.mask(
      PixelRect(x: 10, y: 20, width: 30, height: 60), PixelRect(x: 60, y: 20, width: 30, height: 60))
    let kept = Self.kept(mask, own: [Self.face(x: 0.25, y: 0.4)])
    #expect(kept(25, 30) && kept(12, 78) && !kept(75, 30) && !kept(62, 78))
    let both = Self.kept(mask, own: [Self.face(x: 0.25, y: 0.4), Self.face(x: 0.75, y: 0.4)])
    #expect(both(25, 30) && both(75, 30))
  }

  /// The longer the border to another person, the lower is the confidence. A person alone has no seam.
  @Test func seamsLowerTheConfidence() {
    func seam(_ mask: [UInt8], others: [NormalizedRect]) -> Double {
      let isOwn = PersonMap.connected(mask, Self.size, FramedPeople(own: [Self.face(x: 0.3, y: 0.4)], others: others))
      return PersonMap.seam(in: mask, Self.size, isOwn)
    }
    let other = [Self.face(x: 0.7, y: 0.4)]
    let alone = Self.mask(PixelRect(x: 20, y: 20, width: 20, height: 60))
    let apart = Self.mask(
      PixelRect(x: 20, y: 20, width: 20, height: 60), PixelRect(x: 60, y: 20, width: 20, height: 60))
    let touching = Self.mask(PixelRect(x: 20, y: 20, width: 60, height: 60))
    #expect(seam(alone, others: []) == 0 && seam(apart, others: other) == 0)
    let long = seam(touching, others: other)
    #expect(long > 0.3 && long < 0.6, "\(long)")
    #expect(PersonMap.confidence(seam: 0) == 1 && PersonMap.confidence(seam: long) < Background.leastConfidence)
  }

  /// Something apart that looks like a person lowers the confidence, and another person does not.
  @Test func partsThatAreLeftOutLowerTheConfidence() throws {
    let people = FramedPeople(own: [Self.face(x: 0.3, y: 0.4)])
    func confidence(_ people: FramedPeople, apart: UInt8, keepsAll: Bool = false) throws -> Double {
      let masks = FixedMasks { _, size in
        (0..<size.width * size.height).map { place in
          let x = Double(place % size.width) / Double(size.width)
          let y = Double(place / size.width) / Double(size.height)
          return (0.15..<0.45).contains(x) && y > 0.2 ? 255 : (0.6..<0.75).contains(x) && y > 0.3 ? apart : 0
        }
      }
      let image = PixelBuffer(Pixels.noise(width: 100, height: 80))
      return try Self.map(people, keepsAll: keepsAll, by: masks, in: image).confidence
    }
    #expect(try confidence(people, apart: 0) > 0.9 && confidence(people, apart: 60) < Background.leastConfidence)
    let two = FramedPeople(own: people.own, others: [Self.face(x: 0.68, y: 0.5)])
    #expect(try confidence(two, apart: 255) > 0.9)
    // All people may stay, and things stay with them.
    #expect(try confidence(people, apart: 255, keepsAll: true) < Background.leastConfidence)
    #expect(try confidence(two, apart: 255, keepsAll: true) > 0.9)
  }

  /// A person who touches the framed one is separated by the faces.
  @Test func peopleWhoTouchAreSeparated() {
    let mask = Self.mask(PixelRect(x: 10, y: 20, width: 80, height: 60))
    let alone = Self.kept(mask, own: [Self.face(x: 0.25, y: 0.4)])
    #expect(alone(25, 30) && alone(75, 30))
    let kept = Self.kept(mask, own: [Self.face(x: 0.25, y: 0.4)], others: [Self.face(x: 0.75, y: 0.4)])
    #expect(kept(25, 30) && kept(48, 70) && !kept(52, 70) && !kept(75, 30))
  }

  /// The head of a child beside a large face belongs to the child as a whole.
  @Test func smallHeadsAreLeftOutAsAWhole() {
    let mask = Self.mask(PixelRect(x: 0, y: 0, width: 100, height: 80))
    let kept = Self.kept(
      mask, own: [NormalizedRect(x: 0.5, y: 0.2, width: 0.4, height: 0.6)],
      others: [NormalizedRect(x: 0.15, y: 0.45, width: 0.12, height: 0.2)])
    // The child's center is at (21, 44), and its face is 16 high.
    #expect(!kept(21, 44) && !kept(32, 44) && !kept(10, 44) && kept(60, 40) && kept(60, 75))
  }

  /// A badge on the clothes is no background; the gap between hair, and that beside an arm, are.
  @Test func holesInFacesAndSmallOnesBelowAreFilled() {
    let people = FramedPeople(own: [Self.face(x: 0.5, y: 0.3)])
    var mask = Self.mask(PixelRect(x: 20, y: 10, width: 60, height: 70))
    func set(_ rect: PixelRect, to value: UInt8) {
      for y in rect.y..<rect.y + rect.height {
        for x in rect.x..<rect.x + rect.width { mask[y * Self.size.width + x] = value }
      }
    }
    let (badge, atEdge) = (PixelRect(x: 50, y: 50, width: 8, height: 8), PixelRect(x: 60, y: 74, width: 8, height: 6))
    let (hair, large) = (PixelRect(x: 30, y: 14, width: 5, height: 5), PixelRect(x: 24, y: 40, width: 16, height: 30))
    let inFace = PixelRect(x: 48, y: 22, width: 4, height: 4)
    for rect in [badge, atEdge, hair, large, inFace] { set(rect, to: 0) }
    PersonMap.fillHoles(in: &mask, [UInt8](repeating: 0, count: mask.count), Self.size, people)
    func value(_ rect: PixelRect) -> UInt8 { mask[(rect.y + 2) * Self.size.width + rect.x + 2] }
    #expect([badge, atEdge, inFace].allSatisfy { value($0) == 255 } && [hair, large].allSatisfy { value($0) == 0 })
    #expect(mask[79 * Self.size.width + 5] == 0)
  }

  /// A hole smaller than a hand is filled if one network sees a person there. A gap between hair is background for both.
  @Test func holesThatOneNetworkDoubtsAreFilled() throws {
    let (braid, gap) = (PixelRect(x: 30, y: 14, width: 5, height: 5), PixelRect(x: 66, y: 14, width: 5, height: 5))
    let large = PixelRect(x: 24, y: 40, width: 16, height: 30)
    func filled(others: [NormalizedRect] = []) throws -> [Bool] {
      let masks = FixedMasks { kind, size in
        (0..<size.width * size.height).map { place in
          let x = (place % size.width) * Self.size.width / size.width
          let y = (place / size.width) * Self.size.height / size.height
          func isIn(_ rect: PixelRect) -> Bool {
            (rect.x..<rect.x + rect.width).contains(x) && (rect.y..<rect.y + rect.height).contains(y)
          }
          if isIn(braid) || isIn(large) { return kind == .square ? 160 : 0 }
          return !isIn(gap) && (10..<90).contains(x) && y >= 10 ? 255 : 0
        }
      }
      let image = PixelBuffer(Pixels(width: Self.size.width, height: Self.size.height, color: [0, 0, 0]))
      let map = try Self.map(FramedPeople(own: [Self.face(x: 0.5, y: 0.3)], others: others), by: masks, in: image)
      return [braid, gap, large].map { rect in
        let column = (rect.x + rect.width / 2) * map.size.width / Self.size.width
        let row = (rect.y + 2) * map.size.height / Self.size.height
        return map.probabilities[row * map.size.width + column] == 255
      }
    }
    #expect(try filled() == [true, false, false])
    #expect(try filled(others: [Self.face(x: 0.15, y: 0.8)]) == [false, false, false])
  }

  /// A wide area with a third in both networks is a plume, and one with nothing in one network is a wall, even side by
  /// side. Soft edges stay soft, and other areas stay open. The confidence knows that areas were decided.
  @Test func wideUnsureAreasAreDecided() throws {
    let person = PixelRect(x: 20, y: 25, width: 50, height: 55)
    let areas: [(rect: PixelRect, square: UInt8, landscape: UInt8)] = [
      (PixelRect(x: 30, y: 5, width: 15, height: 20), 90, 110),
      (PixelRect(x: 70, y: 30, width: 25, height: 30), 240, 0),
      (PixelRect(x: 19, y: 25, width: 1, height: 55), 90, 110),
      (PixelRect(x: 50, y: 5, width: 18, height: 20), 200, 50),
      (PixelRect(x: 70, y: 10, width: 25, height: 20), 110, 90),
    ]
    func found(others: [NormalizedRect] = [], keepsAll: Bool = false, isSure: Bool = false) throws -> PersonMap {
      let masks = FixedMasks { kind, size in
        (0..<size.width * size.height).map { place in
          let x = (place % size.width) * Self.size.width / size.width
          let y = (place / size.width) * Self.size.height / size.height
          func isIn(_ rect: PixelRect) -> Bool {
            (rect.x..<rect.x + rect.width).contains(x) && (rect.y..<rect.y + rect.height).contains(y)
          }
          if isIn(person) { return 255 }
          guard !isSure, let area = areas.first(where: { isIn($0.rect) }) else { return 0 }
          return kind == .square ? area.square : area.landscape
        }
      }
      let image = PixelBuffer(Pixels(width: Self.size.width, height: Self.size.height, color: [0, 0, 0]))
      let people = FramedPeople(own: [Self.face(x: 0.45, y: 0.45)], others: others)
      return try Self.map(people, keepsAll: keepsAll, by: masks, in: image)
    }
    func values(_ map: PersonMap) -> [UInt8] {
      areas.map { area in
        let column = (2 * area.rect.x + area.rect.width) * map.size.width / (2 * Self.size.width)
        let row = (2 * area.rect.y + area.rect.height) * map.size.height / (2 * Self.size.height)
        return map.probabilities[row * map.size.width + column]
      }
    }
    #expect(try values(found()) == [255, 0, 100, 125, 255])
    #expect(try values(found(keepsAll: true)) == [255, 0, 100, 125, 255])
    // The plume may be another person's.
    #expect(try values(found(others: [Self.face(x: 0.6, y: 0.9)]))[0] == 0)
    #expect(try found().confidence < Background.leastConfidence && found(isSure: true).confidence > 0.9)
  }

  @Test func withoutAFaceEverybodyStays() {
    let mask = Self.mask(PixelRect(x: 10, y: 20, width: 30, height: 60), PixelRect(x: 60, y: 20, width: 30, height: 60))
    let kept = Self.kept(mask, own: [])
    #expect(kept(25, 30) && kept(75, 30))
  }

  /// A sharp edge is surer than a wide, soft one; no edge at all is unsure.
  @Test func softEdgesLowerTheConfidence() {
    func confidence(softness: Int) -> Double {
      let mask = (0..<Self.size.width * Self.size.height).map { place in
        UInt8(min(max((place % Self.size.width - 50) * 255 / softness + 128, 0), 255))
      }
      return PersonMap(size: Self.size, probabilities: mask).confidence
    }
    let all = [1, 5, 9, 30].map(confidence)
    #expect(all == all.sorted(by: >) && all[0] > 0.95 && all[1] < Background.leastConfidence)
    #expect(PersonMap(size: Self.size, probabilities: Self.mask()).confidence < Background.leastConfidence)
  }

  /// Masks with the same probabilities everywhere, or those of a closure.
  private struct FixedMasks: PersonMasking {
    var probabilities: @Sendable (PersonNetwork.Kind, PixelSize) -> [UInt8]

    func mask(of image: PixelBuffer, by kind: PersonNetwork.Kind) throws(FaceCropError) -> [UInt8] {
      probabilities(kind, image.size)
    }
  }

  private static func map(
    _ people: FramedPeople, keepsAll: Bool = false, by network: some PersonMasking, in image: PixelBuffer
  ) throws -> PersonMap {
    try PersonMap(
      of: people, in: PersonWindow(of: image), output: image.size, keepsAll: keepsAll, by: network, .forTests())
  }

  /// Each network sees the output in its own shape, and both count alike.
  @Test func bothNetworksCount() throws {
    let image = PixelBuffer(Pixels.noise(width: 64, height: 48))
    let masks = FixedMasks { kind, size in
      [UInt8](repeating: kind == .square ? 200 : 100, count: size == kind.size ? size.width * size.height : 0)
    }
    let map = try Self.map(FramedPeople(own: []), keepsAll: true, by: masks, in: image)
    #expect(map.size == PixelSize(width: 256, height: 192) && map.probabilities.allSatisfy { $0 == 150 })
  }

  /// A face behind the person owns pixels only if the networks take it for a person. Otherwise it would cut the crown.
  @Test func facesInTheBackgroundOwnNothing() throws {
    let people = FramedPeople(
      own: [NormalizedRect(x: 0.35, y: 0.4, width: 0.3, height: 0.4)],
      others: [NormalizedRect(x: 0.4, y: 0.02, width: 0.2, height: 0.2)])
    let image = PixelBuffer(Pixels.noise(width: 64, height: 64))
    /// The person's crown begins at this share of the height.
    func crown(_ top: Double) throws -> UInt8 {
      let masks = FixedMasks { _, size in
        (0..<size.width * size.height).map { Double($0 / size.width) < top * Double(size.height) ? 0 : 255 }
      }
      let map = try Self.map(people, by: masks, in: image)
      return map.probabilities[64 * map.size.width + 128]
    }
    #expect(try crown(0.2) == 255 && crown(0) == 0)
  }

  /// Equal frames of an animation share their masks, as do crops of one shape after each other.
  @Test func equalImagesShareTheirMasks() throws {
    var runs = 0
    let masks = PersonMasks { image, _ in
      runs += 1
      return [UInt8](repeating: UInt8(runs), count: image.width * image.height)
    }
    let images = [7, 7, 8, 7].map { PixelBuffer(Pixels.noise(width: 64, height: 48, seed: $0)) }
    let maps = try images.map { image in
      try Self.map(FramedPeople(own: []), keepsAll: true, by: masks, in: image).probabilities
    }
    // One by each network.
    #expect(runs == 4)
    #expect(maps[0] == maps[1] && maps[0] == maps[3] && maps[0] != maps[2])
  }

  /// Faces of an untrusted plan can be anywhere.
  @Test func facesFarOutsideAreHarmless() throws {
    let image = PixelBuffer(Pixels.noise(width: 64, height: 48))
    let far = NormalizedRect(x: -900, y: 900, width: 1_000, height: 0.001)
    let network = try PersonNetwork()
    for people in [
      FramedPeople(own: [far], others: [far]), FramedPeople(own: []),
      FramedPeople(own: [NormalizedRect(x: 0.5, y: 0.5, width: 1e-300, height: 1e-300)]),
    ] {
      let map = try Self.map(people, by: network, in: image)
      #expect(map.probabilities.count == map.size.width * map.size.height)
    }
  }
}
