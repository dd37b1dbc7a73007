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
