import FaceCrop
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// The server has the library's presets, like the command, whose `PresetTests` compare it with the library.
@Suite(.timeLimit(.minutes(5))) struct PresetRouteTests {
  /// The sizes are those that an image manager decodes at the cropper's scale: it oversamples less, for speed.
  @Test(arguments: Preset.allCases, [300, 4_000])
  func responsesAreThoseOfTheLibrary(preset: Preset, side: Int) async throws {
    try await compare(preset, side, .jpeg, Pictures.astronaut)
  }

  @Test(arguments: [Preset.crop, .avatar, .fill], [ImageFormat.jpeg, .png, .webp, .avif])
  func formatsAreThoseOfTheLibrary(preset: Preset, format: ImageFormat) async throws {
    try await compare(preset, 100, format, Pictures.faceless())
    try await compare(preset, 300, format, Pictures.astronaut)
  }

  private static func warnings(
    _ client: some TestClientProtocol, _ path: String, _ body: [UInt8]
  ) async throws -> [String] {
    let response = try await client.execute(uri: "/meta/\(path)", method: .post, body: ByteBuffer(bytes: body))
    #expect(response.status == .ok, "\(String(buffer: response.body))")
    let meta = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any]
    return try #require(meta?["warnings"] as? [String])
  }

  /// A client that uploads a photo for a document learns which rules the output breaks.
  @Test func brokenRulesAreWarnings() async throws {
    let cropper = FaceCropper()
    for (preset, standard) in [("passport", PhotoStandard.passport), ("passport:us", .passportUS)] {
      let made = try await cropper.crop(
        .bytes(Pictures.astronaut),
        request: CropRequest(
          search: FaceSearch(faces: .prominent, noFace: .person), composition: Composition(.framing(standard.framing)),
          output: CropOutput(sizes: [.longSide(300)])))
      let check = try await cropper.check(
        .bytes(try await cropper.encode(made.crops[0], as: .jpeg(quality: 85))), by: standard, measuresBackground: false
      )
      let broken = check.findings.filter(\.isBroken).map(\.rule.name)
      #expect(broken.contains("eye-distance") && !broken.contains("faces"))
      try await Server().application.test(.live) { client in
        let found = try await Self.warnings(client, "\(preset)/300", Pictures.astronaut)
        let rules = found.filter { $0.contains("misses the \(preset) rule") }
        #expect(rules.count == broken.count, "\(found)")
        for name in broken { #expect(rules.contains { $0.contains("rule '\(name)': ") }, "\(name)") }
        // As with the command, an output without a face is not measured.
        let faceless = try await Self.warnings(client, "\(preset)/300", try await Pictures.faceless())
        #expect(!faceless.contains { $0.contains("misses") })
        #expect(try await Self.warnings(client, "avatar/300", Pictures.astronaut).allSatisfy { !$0.contains("misses") })
      }
    }
  }

  /// Without a format, the output has that of the image, as long as it can be transparent. `/meta` refuses the same.
  @Test func transparencyFollowsTheImage() async throws {
    let image = try await ImageManager().image(for: .bytes(Pictures.astronaut))
    let files: [(OutputFormat, String?)] = [
      (.jpeg(quality: 85), nil), (.tiff, nil), (.gif, nil), (.png, "image/png"), (.webp(quality: 85), "image/webp"),
      (.avif(quality: 85), "image/avif"),
    ]
    try await Server().application.test(.live) { client in
      for (format, type) in files {
        let body = ByteBuffer(bytes: try await image.encoded(as: format))
        for option in ["shape=circle", "bg=transparent"] {
          for kind in ["crop", "meta"] {
            let response = try await client.execute(uri: "/\(kind)/avatar/64?\(option)", method: .post, body: body)
            #expect(response.status == (type == nil ? .badRequest : .ok), "\(kind), \(format), \(option)")
            if type == nil {
              let name = format.imageFormat.name
              #expect(
                String(buffer: response.body).contains("the output of a \(name) image is JPEG"), "\(kind), \(option)")
            } else if kind == "crop" {
              #expect(response.headers[.contentType] == type)
              let info = try await FaceCropper().info(of: .bytes(Array(buffer: response.body)))
              #expect(info.hasTransparency)
            }
          }
        }
      }
    }
  }

  /// Positions belong to the rotated image, so the response has the rotation.
  @Test func rotationsAreNamed() async throws {
    let whole = CropPlan(
      source: PixelSize(width: 512, height: 512), rotation: .clockwise, detector: "", faces: [],
      crops: [CropPlan.Crop(region: .whole, faces: [])])
    let cropper = FaceCropper()
    let lying = try await cropper.encode(
      try await cropper.render(whole, from: .bytes(Pictures.astronaut)).crops[0], as: .png)
    try await Server().application.test(.live) { client in
      for (body, query, rotation) in [
        (lying, "?upright=auto", 270), (Pictures.astronaut, "?upright=auto", 0), (lying, "", nil),
        (Pictures.astronaut, "?upright=off", nil),
      ] as [([UInt8], String, Int?)] {
        let response = try await client.execute(
          uri: "/meta/avatar/64\(query)", method: .post, body: ByteBuffer(bytes: body))
        let meta = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any]
        #expect(meta != nil && meta?["rotation"] as? Int == rotation, "\(query)")
      }
    }
  }

  private func compare(_ preset: Preset, _ side: Int, _ format: ImageFormat, _ bytes: [UInt8]) async throws {
    let cropper = FaceCropper()
    let request = CropRequest(
      search: preset.search, composition: preset.composition, output: CropOutput(sizes: [.longSide(side)]))
    let crop = try await cropper.crop(.bytes(bytes), request: request).crops[0]
    let file = try await cropper.encode(crop, as: OutputFormat(format))
    try await Server(
      .patient {
        $0.unsafe = true
        $0.largestSide = 4_000
      }
    ).application.test(.live) { client in
      let ending = format == .jpeg ? "jpg" : format.rawValue
      let response = try await client.execute(
        uri: "/crop/\(preset.name)/\(side).\(ending)", method: .post, body: ByteBuffer(bytes: bytes))
      #expect(response.status == .ok)
      #expect(Array(buffer: response.body) == file, "\(preset.name), \(side), \(format)")
    }
  }
}
