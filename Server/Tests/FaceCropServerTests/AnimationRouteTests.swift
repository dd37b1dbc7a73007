import FaceCrop
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FaceCropServer

/// The option `animation`, over sockets.
@Suite(.timeLimit(.minutes(5))) struct AnimationRouteTests {
  private static let delays: [UInt8] = [5, 7, 9, 11]

  /// Returns a GIF of the portrait that moves to the left, a hundredth of its width in each frame.
  static func wave() async throws -> [UInt8] {
    var file: [UInt8] = []
    for (index, delay) in delays.enumerated() {
      var options = ImageRequestOptions()
      options.crop = .normalizedCropRect(NormalizedRect(x: 0.01 * Double(index), y: 0, width: 0.75, height: 0.75))
      let still = try await ImageManager().image(
        for: .bytes(Pictures.astronaut), targetSize: PixelSize(width: 200, height: 200), options: options
      ).encoded(as: .gif)
      // The screen, then the frame behind its graphic control extension, then the end.
      var frame = still[13...].dropLast()
      frame[frame.startIndex + 4] = delay
      file += index == 0 ? Array(still[..<13]) + frame : Array(frame)
    }
    return file + [0x3B]
  }

  private static func info(_ response: TestResponse) async throws -> ImageInfo {
    try await FaceCropper().info(of: .bytes(Array(buffer: response.body)))
  }

  /// All frames are in a response that can have them, and their file is that of the command.
  @Test func allFramesAreKept() async throws {
    let wave = try await Self.wave()
    try await Server().application.test(.live) { client in
      for (path, accept, format) in [
        ("100.webp", "", ImageFormat.webp), ("100.gif", "", .gif), ("100", "", .gif),
        ("100.auto", "image/avif,image/webp,*/*", .webp), ("100.auto", "image/avif,*/*", .gif),
      ] {
        let response = try await client.execute(
          uri: "/crop/avatar/\(path)?animation=keep", method: .post, headers: [.accept: accept],
          body: ByteBuffer(bytes: wave))
        #expect(response.status == .ok, "\(String(buffer: response.body))")
        let info = try await Self.info(response)
        #expect(info.format == format && info.frameCount == 4 && info.size.longSide == 100, "\(path), \(accept)")
        #expect(response.headers[.contentType] == format.mediaType)
      }
      // Without the option, and for the best frame, there is one.
      for query in ["", "?animation=first", "?animation=best"] {
        let response = try await client.avatar("100.webp\(query)", wave)
        #expect(try await Self.info(response).frameCount == 1)
      }
      let still = try await client.avatar("100?animation=keep")
      #expect(try await Self.info(still).format == .jpeg)
      // The JSON is about the response, which has all frames.
      for (path, isFirst) in [("100?animation=keep", false), ("100.auto?animation=keep", false), ("100", true)] {
        let meta = try await client.execute(
          uri: "/meta/avatar/\(path)", method: .post, body: ByteBuffer(bytes: wave))
        let text = String(buffer: meta.body)
        #expect(meta.status == .ok && text.contains("\"region\""))
        #expect(text.contains("only its first frame was used") == isFirst, "\(path)")
      }
    }
  }

  /// Three gray frames in JPEG XL, of a tenth, two tenths and three tenths of a second.
  private static let gray: [UInt8] = [
    0xFF, 0x0A, 0x47, 0x04, 0x4D, 0x00, 0x20, 0x28, 0x6E, 0x09, 0x08, 0x02, 0x01, 0x00, 0x48, 0x00,
    0x4B, 0x12, 0x09, 0x12, 0x18, 0x38, 0x04, 0x41, 0x48, 0xB1, 0x0C, 0xFE, 0x1F, 0x10, 0xA9, 0x52,
    0x67, 0x00, 0x08, 0x02, 0x0A, 0x00, 0x00, 0x48, 0x00, 0x4B, 0x12, 0x09, 0x12, 0x18, 0x38, 0x04,
    0x41, 0x48, 0xB1, 0x6C, 0xFE, 0x1F, 0xD0, 0x89, 0x4D, 0x67, 0x0A, 0x08, 0x02, 0x0E, 0x04, 0x00,
    0x48, 0x00, 0x4B, 0x12, 0x09, 0x12, 0x18, 0x38, 0x04, 0x41, 0x48, 0xB1, 0x15, 0xFC, 0x3F, 0x40,
    0x04, 0x97, 0xCE, 0x10,
  ]

  @Test func framesOfJPEGXLAreKept() async throws {
    try await Server().application.test(.live) { client in
      for (path, count) in [("32.gif?animation=keep", 3), ("32.webp?animation=keep", 3), ("32.webp", 1)] {
        let response = try await client.execute(
          uri: "/crop/crop/\(path)", method: .post, body: ByteBuffer(bytes: Self.gray))
        #expect(response.status == .ok, "\(String(buffer: response.body))")
        #expect(try await Self.info(response).frameCount == count, "\(path)")
      }
    }
  }

  /// The library's image manager gives the frames of the cropper, with their delays.
  @Test func framesAreThoseOfTheLibrary() async throws {
    let wave = try await Self.wave()
    var request = CropRequest(search: Preset.avatar.search, composition: Preset.avatar.composition)
    request.output.sizes = [.longSide(96)]
    var made: [UInt8] = []
    for try await step in FaceCropper().animatedCrops(of: .bytes(wave), request: request, as: .gif) {
      if case .crop(let crop) = step { made = crop.bytes }
    }
    let wanted = made
    try await Server().application.test(.live) { client in
      let response = try await client.avatar("96.gif?animation=keep", wave)
      #expect(Array(buffer: response.body) == wanted)
    }
  }

  /// A cached response is that of its own policy.
  @Test func policiesHaveKeysOfTheirOwn() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await Data(Self.wave()).write(to: folder.appending(path: "wave.gif"))
    try await Server(.patient { $0.folder = folder.path }).application.test(.live) { client in
      for _ in 0..<2 {
        for (policy, count) in [("keep", 4), ("first", 1), ("best", 1)] {
          let response = try await client.execute(
            uri: "/crop/avatar/64.webp?src=wave.gif&animation=\(policy)", method: .get)
          #expect(try await Self.info(response).frameCount == count, "\(policy)")
        }
      }
    }
  }

  /// The pixels of all frames are limited, before any is decoded.
  @Test func animationsAreLimited() async throws {
    let wave = try await Self.wave()
    // Ten times as many pixels as one image may have, which has 40,000.
    let server = Server(.patient { $0.pixels = 40_000 })
    try await server.application.test(.live) { client in
      try await client.expect(.ok, "64.webp?animation=keep", wave)
      // The same frames three times.
      let long = wave.dropLast() + (wave.dropFirst(13).dropLast()) + wave.dropFirst(13)
      try await client.expect(.ok, "64.webp", Array(long))
      try await client.expect(.unprocessableContent, "64.webp?animation=keep", Array(long))
      try await client.expect(.unprocessableContent, "64.webp?animation=best", Array(long))
      let meta = try await client.execute(
        uri: "/meta/avatar/64?animation=keep", method: .post, body: ByteBuffer(bytes: Array(long)))
      #expect(meta.status == .unprocessableContent)
    }
    #expect(server.isIdle)
  }
}
