#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// Scalable images, whose operating point selects the layers.
  @Suite struct AV1LayersTests {
    /// Two spatial layers of 16 × 16 gray pixels, made with libaom: the first is 60, the second 200. Operating point 0 has
    /// both layers, and point 1 the first one.
    private static let data: [UInt8] = [
      0x12, 0x00, 0x0A, 0x0B, 0x00, 0x13, 0x01, 0x00, 0x80, 0x80, 0xCF, 0xFC, 0xDA, 0xF8, 0x2A, 0x32, 0x0C,
      0x10, 0x00, 0x94, 0x00, 0x41, 0x0A, 0x39, 0x53, 0xFA, 0x4E, 0xF6, 0x80, 0x36, 0x08, 0x13, 0x30, 0x03,
      0xC0, 0x00, 0x00, 0x00, 0x46, 0x94, 0x00, 0xA2, 0x8A, 0x80, 0x00, 0x00, 0x03, 0x8A, 0xA5, 0x42, 0x40,
    ]

    private static func level(_ properties: [[UInt8]]) throws -> Int {
      var builder = HEIFBuilder()
      builder.brand = "avif"
      let own = [HEIFBuilder.size(16, 16), HEIFBuilder.box("av1C", [0x81, 0, 0x1C, 0])]
      builder.items = [.init(type: "av01", properties: own + properties, data: data)]
      return try withSession(builder.encoded()) { (session) throws(FaceCropError) in
        Int(try session.region(PixelRect(whole: session.header.size, scale: 8)).bytes[100])
      }
    }

    @Test func theOperatingPointSelectsTheLayers() throws {
      #expect(try abs(Self.level([]) - 200) <= 4)
      #expect(try abs(Self.level([HEIFBuilder.box("a1op", [0])]) - 200) <= 4)
      #expect(try abs(Self.level([HEIFBuilder.box("a1op", [1])]) - 60) <= 4)
      for content in [[32], [255], []] as [[UInt8]] {
        let error = #expect(throws: FaceCropError.self) { try Self.level([HEIFBuilder.box("a1op", content)]) }
        #expect(error?.kind == "corrupt")
      }
    }
  }
#endif
