import TestSupport
import Testing

@testable import FaceCrop

/// The part of the image that the networks see for an output.
@Suite struct PersonWindowTests {
  /// A network for which the red of a pixel is its probability.
  private struct Reds: PersonMasking {
    func mask(of image: PixelBuffer, by kind: PersonNetwork.Kind) throws(FaceCropError) -> [UInt8] {
      #expect(image.size == kind.size && image.format == .rgb)
      return stride(from: 0, to: image.bytes.count, by: 3).map { image.bytes[$0] }
    }
  }

  /// The reds of a smooth image, 40 to 220.
  private static func red(_ x: Double, _ y: Double) -> Double { 40 + 120 * x + 60 * y }

  private static let size = PixelSize(width: 600, height: 400)

  private static let file: [UInt8] = {
    let samples = (0..<size.width * size.height).flatMap { place -> [UInt8] in
      let x = (Double(place % size.width) + 0.5) / Double(size.width)
      let y = (Double(place / size.width) + 0.5) / Double(size.height)
      return [UInt8(red(x, y)), 0, 0]
    }
    return PNGBuilder(Pixels(width: size.width, height: size.height, channels: 3, samples: samples)).encoded()
  }()

  private static func window(_ people: [NormalizedRect], _ view: CropView) throws -> PersonWindow? {
    try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: false, job: .forTests()) {
      (session) throws(FaceCropError) in
      try PersonWindow(around: FramedPeople(own: people), view, fill: .edge, in: session, .forTests())
    }
  }

  /// A mask lies where the output's pixels are, whatever the window shows: in tight frames, at edges, and rotated.
  @Test(arguments: [
    CropView(frame: Frame(x: 250, y: 120, width: 100, height: 128)),
    CropView(frame: Frame(x: 2, y: 3, width: 100, height: 128)),
    CropView(frame: Frame(x: 480, y: 260, width: 120, height: 140)),
    CropView(frame: Frame(x: 250, y: 140, width: 100, height: 100), degrees: 20),
    CropView(frame: Frame(x: 250, y: 140, width: 100, height: 100), degrees: -30),
  ])
  func masksLieAtTheirPixels(view: CropView) throws {
    let face = NormalizedRect(x: 0.15, y: 0.2, width: 0.6, height: 0.7)
    let window = try #require(try Self.window([face], view))
    let output = PixelSize(width: Int(view.frame.width), height: Int(view.frame.height))
    // Without a person, no area is decided or filled.
    let map = try PersonMap(
      of: FramedPeople(own: []), in: window, output: output, keepsAll: true, by: Reds(), .forTests())
    for (x, y) in [(0.5, 0.5), (0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)] {
      let place = view.map(to: output).inverse(x * Double(output.width), y * Double(output.height))
      let expected = Self.red(place.x / Double(Self.size.width), place.y / Double(Self.size.height))
      let found = map.probabilities[
        Int(y * Double(map.size.height)) * map.size.width + Int(x * Double(map.size.width))]
      #expect(abs(Double(found) - expected) < 3, "\(x), \(y)")
    }
  }

  /// The window reaches beyond a tight output, to the head and shoulders.
  @Test func headsAndShouldersAreSeen() throws {
    let view = CropView(frame: Frame(x: 250, y: 120, width: 100, height: 128))
    let face = NormalizedRect(x: 0.15, y: 0.2, width: 0.6, height: 0.7)
    let window = try #require(try Self.window([face], view))
    let reds = try window.masks(by: Reds()).map(\.range)
    // The output alone has reds of 108 to 147.
    #expect(reds.allSatisfy { $0.lowerBound < 104 && $0.upperBound > 151 }, "\(reds)")
  }

  /// Nothing is decoded for an output that shows the head and shoulders, or the whole image.
  @Test func outputsThatShowEnoughAreTheWindow() throws {
    let face = NormalizedRect(x: 0.4, y: 0.3, width: 0.1, height: 0.15)
    #expect(try Self.window([face], CropView(frame: Frame(x: 100, y: 50, width: 300, height: 300))) == nil)
    let large = NormalizedRect(x: 0.1, y: 0.1, width: 0.8, height: 0.8)
    let whole = Frame(x: 0, y: 0, width: 600, height: 400)
    #expect(try Self.window([large], CropView(frame: whole)) == nil && Self.window([], CropView(frame: whole)) == nil)
  }
}

extension PersonWindow.Mask {
  /// The lowest and the highest probability.
  fileprivate var range: ClosedRange<UInt8> {
    let all = probabilities(in: NormalizedRect(x: -1, y: -1, width: 3, height: 3), size: PersonNetwork.Kind.square.size)
    return all.min()!...all.max()!
  }
}
