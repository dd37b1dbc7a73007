import Testing

@testable import FaceCrop

/// Regions by whole heads: a passport's rules, and `crop` without a padding.
@Suite struct HeadRegionTests {
  /// A passport's frame keeps the rules of its standard where a frame can: heads with much hair or none, eyes low and high in the box, off
  /// the middle between the hair's sides.
  @Test(arguments: [0.1, 0.2, 0.3], [0.33, 0.39, 0.45]) func passportsKeepTheirRules(hair: Double, eyes: Double)
    throws
  {
    let picture = PixelSize(width: 3_000, height: 4_000)
    let (width, height) = (Double(picture.width), Double(picture.height))
    let rules = PhotoStandard.passport.placement
    for aside in [-0.05, 0, 0.05] {
      let box = Frame(x: 1_200, y: 1_500, width: 600, height: 800)
      var head = Head(assumedFor: Face(box: box.normalized(in: picture), score: 1), in: picture)
      head.chin.position = box.maxY / height
      head.crown = Head.Edge(position: (box.y - hair * box.height) / height, confidence: 0.95)
      head.skull.position = max(head.chin.position - 1.23 * box.height / height, head.crown.position)
      head.left.position = (box.midX - 480) / width
      head.right.position = (box.midX + 480) / width
      let (x, y) = ((box.midX + aside * box.width) / width, (box.y + eyes * box.height) / height)
      let face = Face(
        box: box.normalized(in: picture), score: 1,
        landmarks: FaceLandmarks(
          rightEye: NormalizedPoint(x: x - 0.04, y: y), leftEye: NormalizedPoint(x: x + 0.04, y: y),
          nose: NormalizedPoint(x: x, y: y + 0.04), mouthRight: NormalizedPoint(x: x - 0.03, y: y + 0.07),
          mouthLeft: NormalizedPoint(x: x + 0.03, y: y + 0.07)), head: head)
      let region = try CropPlanner().crops(for: [face], in: picture, composition: Composition(.framing(.passport)))[0]
        .region
      func down(_ place: Double) -> Double { (place - region.y) / region.height }
      func across(_ place: Double) -> Double { (place - region.x) / region.width }
      #expect(
        rules.headHeight.contains(down(head.chin.position) - down(head.skull.position)), "\(hair) \(eyes) \(aside)")
      #expect(rules.eyeLine.contains(1 - down(y)), "\(hair) \(eyes) \(aside): \(1 - down(y))")
      #expect(rules.center.contains(across(x)), "\(hair) \(eyes) \(aside): \(across(x))")
      #expect(min(down(head.crown.position), 1 - down(head.chin.position)) >= rules.room, "\(hair) \(eyes) \(aside)")
    }
  }

  /// A high hat never pushes the eyes out of their place, and the chin stays inside.
  @Test(arguments: [Framing.avatar, .portrait, .tight], [0.3, 0.8, 1.4, 1.9])
  func noHatPushesTheFaceOut(framing: Framing, hat: Double) throws {
    let picture = PixelSize(width: 2_000, height: 2_000)
    let box = NormalizedRect(x: 0.45, y: 0.5, width: 0.08, height: 0.1)
    var face = Face(box: box, score: 1)
    face.head = Head(assumedFor: face, in: picture)
    face.head?.crown = Head.Edge(position: box.y - hat * box.height, confidence: 0.85)
    face.head?.skull.position = box.y - 0.2 * box.height
    let region = try CropPlanner().crops(for: [face], in: picture, composition: Composition(.framing(framing)))[0]
      .region
    let eyes = (box.y + 0.39 * box.height - region.y) / region.height
    #expect((framing.eyeLine - 0.16...framing.eyeLine + 0.15).contains(eyes), "\(eyes)")
    #expect(region.maxY > box.maxY)
  }

  /// Regions of groups hold the outlines of all heads, and have room for beards.
  @Test func regionsHoldOutlines() throws {
    let picture = PixelSize(width: 1_000, height: 1_000)
    let faces = [0.2, 0.6].map { x in
      var face = Face(box: NormalizedRect(x: x, y: 0.4, width: 0.1, height: 0.12), score: 1)
      face.head = Head(assumedFor: face, in: picture)
      face.head?.outline = [NormalizedPoint(x: x - 0.08, y: 0.5), NormalizedPoint(x: x + 0.19, y: 0.5)]
      return face
    }
    let region = try CropPlanner().crops(for: faces, in: picture, composition: Composition(.heads()))[0].region
    #expect(abs(region.x - 0.12) < 0.002 && abs(region.maxX - 0.79) < 0.002)
    #expect(abs(region.maxY - 0.538) < 0.003)
  }

  /// The boxes of faces and the places of feet, in pixels, that were read off photos of standing groups.
  private static let standing: [(box: Frame, feet: Double)] = [
    (Frame(x: 77, y: 328, width: 34, height: 44), 721), (Frame(x: 637, y: 324, width: 37, height: 45), 721),
    (Frame(x: 1_078, y: 329, width: 35, height: 44), 731),
  ]

  /// The group preset shows everyone from head to feet in the image's shape, and less of what is around.
  @Test func groupsAreShownFromHeadToFeet() throws {
    let picture = PixelSize(width: 1_280, height: 1_200)
    let faces = Self.standing.map { Face(box: $0.box.normalized(in: picture), score: 1) }
    func region(_ aspect: AspectRatio? = nil, _ faces: [Face] = faces) throws -> Frame {
      let composition = Composition(.bodies(aspect: aspect))
      return try CropPlanner().crops(for: faces, in: picture, composition: composition)[0].region.frame(in: picture)
    }
    let all = try region()
    #expect(abs(all.width / all.height - 1_280.0 / 1_200) < 0.01 && Preset.group.composition == Composition(.bodies()))
    // Three people fill the width, so the region is that of one of them.
    let one = try region(nil, [faces[1]])
    for (box, feet) in Self.standing where box.x == 637 {
      #expect(one.y < box.y - 0.4 * box.height && one.maxY > feet && one.maxY < feet + 2 * box.height)
      #expect(one.x < box.midX - 1.8 * box.height && one.maxX > box.midX + 1.8 * box.height)
      #expect(abs(one.width / one.height - 1_280.0 / 1_200) < 0.01)
    }
    // A wide shape has no room for the feet, and keeps the heads.
    let wide = try region(AspectRatio(width: 8, height: 1))
    #expect(Self.standing.allSatisfy { wide.y < $0.box.y && wide.maxY > $0.box.maxY })
    let padded = try CropPlanner().crops(
      for: [faces[1]], in: picture, composition: Composition(.bodies(padding: Padding(1))))[0].region
    #expect(padded.frame(in: picture).height > one.height)
    #expect(StableKey(Composition(.bodies())).text != StableKey(Composition(.heads())).text)
    #expect(Composition(.bodies()).needsHeads)
  }

  /// Regions of heads hold the hair; padding still counts in face boxes; without heads nothing changes.
  @Test func regionsHoldHeads() throws {
    let picture = PixelSize(width: 1_000, height: 1_000)
    let box = NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.25)
    var head = Head(assumedFor: Face(box: box, score: 1), in: picture)
    head.crown = Head.Edge(position: 0.25, confidence: 0.95)
    (head.left.position, head.right.position, head.chin.position) = (0.35, 0.66, 0.65)
    let face = Face(box: box, score: 1, head: head)
    func region(_ composition: Composition) throws -> NormalizedRect {
      try CropPlanner().crops(for: [face], in: picture, composition: composition)[0].region
    }
    let held = try region(Composition(.heads()))
    #expect(held.x < 0.351 && held.y < 0.251 && held.maxX > 0.659 && held.maxY > 0.649)
    #expect(held.y > 0.2 && held.maxY < 0.7)
    let padded = try region(Composition(.heads(padding: Padding(0.5))))
    #expect(abs(held.x - padded.x - 0.1) < 0.002 && abs(padded.maxY - held.maxY - 0.125) < 0.002)
    #expect(try region(Composition()) == PixelRect(covering: box, in: picture).normalized(in: picture))
    #expect(Composition(.heads()).needsHeads)
  }
}
