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
