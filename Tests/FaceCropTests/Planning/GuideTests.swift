import TestSupport
import Testing

@testable import FaceCrop

/// The measures that GUIDE.md and its drawings give are those of the code. `docs/draw` draws them anew.
@Suite struct GuideTests {
  private static let presets: [(name: String, framing: Framing)] = [
    ("avatar", .avatar), ("portrait", .portrait), ("passport", .passport), ("tight", .tight),
  ]

  @Test(arguments: presets)
  func theTableHasThePreset(name: String, framing: Framing) throws {
    let guide = try text("GUIDE.md")
    let aspect = "\(Int(framing.aspect.width)):\(Int(framing.aspect.height))"
    let row = "| `\(name)` | \(framing.faceRatio) | \(framing.eyeLine) | \(framing.headroom) | \(aspect) |"
    let hasRow = guide.contains(row)
    #expect(hasRow, "\(row)")
  }

  /// Frame, face box and eye line, as they are drawn.
  @Test(arguments: presets)
  func theDrawingHasThePreset(name: String, framing: Framing) throws {
    let drawing = try text("docs/framing-\(name).svg")
    let frame = try rectangle("frame", in: drawing)
    let face = try rectangle("face", in: drawing)
    let eyes = try #require(drawing.firstMatch(of: /class="eyes" d="M\S+ ([\d.]+)H/).flatMap { Double($0.1) })
    #expect(abs(frame.width / frame.height - framing.aspect.width / framing.aspect.height) < 0.005)
    #expect(abs(face.height / frame.height - framing.faceRatio) < 0.001)
    #expect(abs((eyes - frame.y) / frame.height - framing.eyeLine) < 0.001)
    let wanted = framing.frame(around: face, eyes: eyes, padding: Padding())
    #expect(abs(wanted.x - frame.x) < 0.5 && abs(wanted.y - frame.y) < 0.5, "\(wanted), drawn is \(frame)")
  }

  private func rectangle(_ name: String, in drawing: String) throws -> Frame {
    let found = drawing.matches(of: /class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/)
    let match = try #require(found.first { $0.1 == name })
    let numbers = [match.2, match.3, match.4, match.5].compactMap { Double($0) }
    try #require(numbers.count == 4)
    return Frame(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  /// The text of a file beside Tests.
  private func text(_ name: String) throws -> String {
    String(decoding: try fixtureBytes("../../\(name)"), as: UTF8.self)
  }
}
