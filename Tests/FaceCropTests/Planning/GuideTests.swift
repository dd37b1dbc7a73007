import TestSupport
import Testing

@testable import FaceCrop

/// The measures in GUIDE.md and its drawings equal those in the code. `docs/draw` updates the drawings.
@Suite struct GuideTests {
  private static let presets: [(name: String, framing: Framing)] = [
    ("avatar", .avatar), ("portrait", .portrait), ("passport", .passport), ("tight", .tight),
  ]

  @Test(arguments: presets)
  func theTableHasThePreset(name: String, framing: Framing) throws {
    let guide = try text("GUIDE.md")
    let aspect = "\(Int(framing.aspect.width)):\(Int(framing.aspect.height))"
    let row =
      "| `\(name)` | \(framing.faceRatio) | \(framing.largestFaceRatio) | \(framing.eyeLine) | \(framing.headroom) | \(aspect) |"
    let hasRow = guide.contains(row)
    #expect(hasRow, "\(row)")
  }

  /// Frame, face box and eye line as drawn.
  @Test(arguments: presets)
  func theDrawingHasThePreset(name: String, framing: Framing) throws {
    let drawing = try text("docs/framing-\(name).svg")
    let frame = try rectangle("frame", in: drawing)
    let face = try rectangle("face", in: drawing)
    let eyes = try #require(drawing.firstMatch(of: /class="eyes" d="M\S+ ([\d.]+)H/).flatMap { Double($0.1) })
    #expect(abs(frame.width / frame.height - framing.aspect.width / framing.aspect.height) < 0.005)
    #expect(abs(face.height / frame.height - framing.faceRatio) < 0.001)
    #expect(abs((eyes - frame.y) / frame.height - framing.eyeLine) < FramingCosts.freeEyes)
    let picture = PixelSize(width: 1_000, height: 1_000)
    let head = FramedHead(of: [Face(box: face.normalized(in: picture), score: 1)], in: picture)
    let wanted = FrameSearch(framing, around: head).frame(padding: Padding())
    // A frame whose additional cost is negligible.
    let slack = 0.03 * frame.height
    #expect(
      abs(wanted.x - frame.x) < slack && abs(wanted.y - frame.y) < slack && abs(wanted.height - frame.height) < slack,
      "\(wanted), drawn is \(frame)")
  }

  /// The table of costs.
  @Test(arguments: [
    ("Chin below the lower edge", FramingCosts.cutChin), ("less than 2 % below the chin", FramingCosts.littleChinRoom),
    ("hair or hat above the upper edge", FramingCosts.cutCrown),
    ("possible hair above the upper edge", FramingCosts.cutMaybe),
    ("less than the headroom", FramingCosts.littleHeadroom), ("head off the middle", FramingCosts.offCenter),
    ("eyes more than 14 % below", FramingCosts.lowEyes), ("eyes off their line", FramingCosts.eyesOff),
    ("heads beyond the sides", FramingCosts.cutSide),
    ("half of another's face", FramingCosts.halfNeighbor), ("a larger or smaller frame", FramingCosts.largeFrame),
    ("a head above the largest ratio", FramingCosts.largeHead),
    ("a rule of the passport standard missed", FramingCosts.missedRule),
    ("a rule about the head's height missed", FramingCosts.missedHeight),
  ])
  func theCostsAreThoseOfTheCode(what: String, weight: Double) throws {
    #expect(FramingCosts.largeFrame == FramingCosts.smallFrame)
    let number = weight == weight.rounded() ? "\(Int(weight))" : "\(weight)"
    let row = try text("GUIDE.md").lowercased().split(separator: "\n").first { $0.contains("| " + what.lowercased()) }
    let hasNumber = try #require(row).contains("| \(number) |")
    #expect(hasNumber, "\(what): \(number)")
  }

  private func rectangle(_ name: String, in drawing: String) throws -> Frame {
    let found = drawing.matches(of: /class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/)
    let match = try #require(found.first { $0.1 == name })
    let numbers = [match.2, match.3, match.4, match.5].compactMap { Double($0) }
    try #require(numbers.count == 4)
    return Frame(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  /// Returns the text of a file beside Tests.
  private func text(_ name: String) throws -> String {
    String(decoding: try fixtureBytes("../../\(name)"), as: UTF8.self)
  }
}
