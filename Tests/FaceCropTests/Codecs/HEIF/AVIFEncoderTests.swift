#if HEIF
  import CHEIFShim
  import TestSupport
  import Testing

  @testable import FaceCrop

  @Suite struct AVIFEncoderTests {
    private static func encode(
      _ crop: EncoderInput, quality: Int = 90, _ subsampling: ChromaSubsampling = .automatic, speed: Int = 9
    ) throws -> [UInt8] {
      try AVIFEncoder.encode(crop, quality: quality, subsampling: subsampling, speed: speed, job: .forTests())
    }

    /// Returns smooth colors, which show chroma subsampling but not coding losses.
    private static func picture(width: Int, height: Int, channels: Int) -> Pixels {
      var samples: [UInt8] = []
      for y in 0..<height {
        for x in 0..<width {
          let colors = [x * 255 / width, y * 255 / height, 255 - (x + y) * 255 / (width + height)]
          let alpha = (x * 7 + y * 3) % 256 / 64 * 85
          samples += (colors + [alpha]).prefix(channels).map { UInt8($0) }
        }
      }
      return Pixels(width: width, height: height, channels: channels, samples: samples)
    }

    /// libaom may crash where an allocation fails, so the whole memory is asked for before.
    @Test(arguments: [(0, FCStatus.ok), (1 << 20, .ok), (1 << 47, .outOfMemory)])
    func theMemoryIsAskedForFirst(memory: Int, expected: FCStatus) {
      let rows = [UInt8](repeating: 90, count: 64 * 64)
      let cancellation = Cancellation()
      var (color, alpha, message) = unsafe (FCBytes(), FCBytes(), FCMessage())
      let status = unsafe rows.withUnsafeBufferPointer { rows in
        unsafe fcheif_encode_av1(
          FCHEIFEncoding(
            width: 64, height: 64, channels: 1, rows: rows.baseAddress!, stride: 64, capacity: rows.count, quality: 50,
            speed: 9, chroma: .YUV420, primaries: 1, transfer: 13, matrix: 1, memory: memory,
            cancellation: cancellation.flag),
          &color, &alpha, &message)
      }
      withExtendedLifetime(cancellation) {}
      #expect(status == expected)
      unsafe #expect((color.count > 0) == (expected == .ok))
      unsafe fcheif_file_free(color)
    }

    /// libheif and our decoder return the pixels for every size and chroma subsampling.
    @Test(arguments: ChromaSubsampling.allCases) func othersReadTheSamePixels(subsampling: ChromaSubsampling) throws {
      for (width, height) in [(64, 48), (65, 47), (1, 1), (2, 131)] {
        for channels in [1, 3, 4] {
          let picture = Self.picture(width: width, height: height, channels: channels)
          let file = try Self.encode(EncoderInput(picture), quality: 97, subsampling)
          let read = try referenceDecodeHEIF(file)
          #expect(read.width == width && read.height == height)
          func difference(_ channel: Int, of other: Pixels) -> Int {
            (0..<width * height).map { index in
              let own = picture.samples[index * channels + (channels == 1 ? 0 : channel)]
              return abs(Int(own) - Int(other.samples[index * 4 + channel]))
            }.reduce(0, +) / (width * height)
          }
          // Neighbors in a narrow image differ too much to share their color.
          let isWide = width > 2 || channels == 1 || subsampling == .yuv444 || subsampling == .automatic
          for channel in 0..<3 where isWide {
            #expect(difference(channel, of: read) <= 3, "\(width)x\(height)x\(channels)")
          }
          if channels == 4 { #expect(difference(3, of: read) <= 3) }
        }
      }
    }

    /// White, black and the primaries stay: the range is full, and the matrix is the declared one.
    @Test func colorsAreWhatTheyWere() throws {
      for color in [[255, 255, 255], [0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255], [128, 128, 128]] as [[UInt8]] {
        let file = try Self.encode(EncoderInput(Pixels(width: 32, height: 32, color: color)), quality: 99)
        let read = try referenceDecodeHEIF(file)
        let own = try decoded(file)
        for pixels in [Array(read[7, 9].prefix(3)), own[7, 9]] {
          #expect(zip(pixels, color).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(color): \(pixels)")
        }
      }
    }

    /// More quality takes more bytes, and the speed changes only coding losses.
    @Test func qualityAndSpeedDoWhatTheySay() throws {
      let crop = EncoderInput(Pixels.testPattern(width: 200, height: 160))
      let sizes = try [20, 50, 80, 95].map { try Self.encode(crop, quality: $0).count }
      #expect(sizes == sizes.sorted() && sizes[3] > 2 * sizes[0], "\(sizes)")
      #expect(try Self.encode(crop, quality: 80, .yuv444).count > Self.encode(crop, quality: 80, .yuv420).count)
      for speed in [0, 4, 9] {
        let read = try referenceDecodeHEIF(Self.encode(crop, quality: 95, speed: speed))
        #expect(Pixels(crop.pixels).rgba.meanDifference(from: read) < 6)
      }
      for (quality, speed) in [(0, 9), (101, 9), (80, -1), (80, 10)] {
        #expect(throws: FaceCropError.self) { try Self.encode(crop, quality: quality, speed: speed) }
      }
    }

    @Test func profileAndMetadataAreInIt() async throws {
      var crop = EncoderInput(Pixels.testPattern(width: 40, height: 30))
      let profile = ICCBuilder.profile(.displayP3)
      crop.colorProfile = profile
      crop.resolution = 300
      crop.xmp = XMPPacket.written(Credits(creators: ["A. Photographer"])).packet
      let header = try withSession(Self.encode(crop)) { $0.header }
      #expect(header.profile == profile)
      #expect(header.exif.flatMap { EXIF($0) }?.resolution == 300)
      #expect(header.credits.read().credits.creators == ["A. Photographer"])
    }

    /// The file has the brands that readers need, and malformed AV1 units are refused.
    @Test func theFileSaysWhatIsInIt() throws {
      let crop = EncoderInput(Pixels.testPattern(width: 40, height: 30))
      for (subsampling, brand) in [(.yuv420, "MA1B"), (.yuv444, "MA1A")] as [(ChromaSubsampling, String)] {
        let beginning = try Self.encode(crop, subsampling).prefix(32)
        #expect(String(decoding: beginning, as: UTF8.self) == "\0\0\0\u{20}ftypavif\0\0\0\0avifmif1miaf\(brand)")
      }
      let size = PixelSize(width: 40, height: 30)
      for units in [[], [0x0A, 1], [0x12, 0, 0x0A, 6, 0x18, 0], [0x0A, 6, 0x00, 0x00, 0x00]] as [[UInt8]] {
        #expect(AVIFFile(size: size, color: units, alpha: [], chroma: .yuv420, colors: .sRGB).written() == nil)
      }
    }

    @Test func itIsBoundedAndCancelled() throws {
      let crop = EncoderInput(Pixels.testPattern(width: 200, height: 160))
      var limits = Limits()
      limits.encodingBytes = 100_000
      #expect(throws: FaceCropError.self) {
        try AVIFEncoder.encode(crop, quality: 80, subsampling: .automatic, speed: 9, job: .forTests(limits: limits))
      }
      let cancellation = Cancellation()
      cancellation.cancel()
      let job = Job(limits: Limits(), cancellation: cancellation, progress: nil)
      #expect(throws: FaceCropError.cancelled) {
        try AVIFEncoder.encode(crop, quality: 80, subsampling: .automatic, speed: 9, job: job)
      }
    }
  }
#endif
