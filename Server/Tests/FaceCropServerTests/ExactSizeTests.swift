import FaceCrop
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FaceCropServer

/// Crops with both sides of a size are those of the command.
@Suite(.timeLimit(.minutes(5))) struct ExactSizeTests {
  private struct BoxDetector: FaceDetector, ReadyFaceDetector {
    let name = "box"
    let input = DetectorInput(format: .gray, sufficientSide: 453)
    /// The face; nil for none.
    let box: NormalizedRect?

    func prepare() -> any ReadyFaceDetector { self }
    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      box.map { [Face(box: $0, score: 1)] } ?? []
    }
  }

  private struct Meta: Decodable {
    var source: PixelSize
    var size: PixelSize
    var region: NormalizedRect
  }

  private static let sizes = [
    (30, 40), (40, 50), (60, 80), (75, 100), (99, 61), (80, 60), (120, 75), (90, 120), (64, 64), (101, 37),
  ]

  /// The size and region of the command's crop. Its region has whole pixels.
  private static func crop(
    _ preset: Preset, _ width: Int, _ height: Int, _ detector: BoxDetector
  ) async throws -> (size: PixelSize, region: PixelRect) {
    var request = CropRequest(search: preset.search, composition: preset.composition)
    request.composition.layout.aspect = AspectRatio(width: Double(width), height: Double(height))
    request.output.sizes = [.exact(width: width, height: height)]
    var made: RenderedCrop?
    for try await step in FaceCropper(detector: detector).crops(of: .bytes(Pictures.astronaut), request: request) {
      if case .crop(let crop) = step { made = crop }
    }
    let crop = try #require(made)
    return (crop.pixels.size, crop.region)
  }

  private static func meta(_ client: some TestClientProtocol, _ path: String) async throws -> Meta {
    let response = try await client.execute(
      uri: "/meta/\(path)", method: .post, body: ByteBuffer(bytes: Pictures.astronaut))
    #expect(response.status == .ok, "\(path): \(String(buffer: response.body))")
    return try JSONDecoder().decode(Meta.self, from: Data(buffer: response.body))
  }

  /// Regions have whole pixels, so their shape differs slightly from that of the size.
  @Test(arguments: [
    NormalizedRect(x: 0.3, y: 0.1, width: 0.2, height: 0.25),
    NormalizedRect(x: 0.41, y: 0.35, width: 0.17, height: 0.19),
  ])
  func sizesAreThoseOfTheCommand(face: NormalizedRect) async throws {
    let detector = BoxDetector(box: face)
    try await Server(detector: detector).application.test(.live) { client in
      for preset in [Preset.avatar, .portrait, .tight, .crop] {
        for (width, height) in Self.sizes {
          let path = "\(preset.name)/\(width)x\(height)"
          let meta = try await Self.meta(client, path)
          let (size, region) = try await Self.crop(preset, width, height, detector)
          #expect(meta.size == size, "\(path)")
          #expect(PixelRect(covering: meta.region, in: meta.source) == region, "\(path)")
          if region.width >= width, region.height >= height {
            #expect(meta.size == PixelSize(width: width, height: height), "\(path)")
          }
        }
      }
    }
  }

  /// Without a face, the whole image is cut to the shape of the size, and stays within its own pixels.
  @Test func wholeImagesAreThoseOfTheCommand() async throws {
    let detector = BoxDetector(box: nil)
    try await Server(detector: detector).application.test(.live) { client in
      for (width, height) in [(300, 400), (400, 300), (600, 800)] {
        let meta = try await Self.meta(client, "crop/\(width)x\(height)")
        let (size, region) = try await Self.crop(.crop, width, height, detector)
        #expect(meta.size == size && PixelRect(covering: meta.region, in: meta.source) == region)
      }
      // One side keeps the shape.
      #expect(try await Self.meta(client, "crop/300").size == PixelSize(width: 300, height: 300))
      #expect(try await Self.meta(client, "crop/300").region == .whole)
    }
  }

  /// A circle is drawn into the cut image.
  @Test func circlesAreWhole() async throws {
    let detector = BoxDetector(box: nil)
    try await Server(detector: detector).application.test(.live) { client in
      let response = try await client.execute(
        uri: "/crop/crop/300x400.png?shape=circle", method: .post, body: ByteBuffer(bytes: Pictures.astronaut))
      let bytes = Array(buffer: response.body)
      let image = try await ImageManager().image(for: .bytes(bytes)).image.buffer()
      try #require(image.size == PixelSize(width: 300, height: 400) && image.format == .rgba)
      let alpha = stride(from: 3, to: image.bytes.count, by: 4).map { image.bytes[$0] }
      let corners = [0, 299, 300 * 399, 300 * 400 - 1].map { alpha[$0] }
      #expect(corners == [0, 0, 0, 0] && alpha[300 * 200 + 150] == 255)
    }
  }

  /// A template's output is neither cut nor enlarged.
  @Test func templatesKeepTheirSize() async throws {
    try await Server().application.test(.live) { client in
      for size in ["112x140", "112x112", "112", "56x70"] {
        let meta = try await Self.meta(client, "avatar/\(size)?template=arcface-112")
        let side = size == "56x70" ? 56 : 112
        #expect(meta.size == PixelSize(width: side, height: side), "\(size)")
      }
    }
  }
}
