#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// The frames of AVIF sequences. `Tests/Reference/run --animations` compares predicted frames with Pillow's.
  @Suite struct AVIFFramesTests {
    private static let times = [40, 70, 100, 130, 165]

    /// Returns images of one size, and the builder of their file.
    private static func images(
      width: Int = 70, height: Int = 46, depth: Int = 8, chroma: String = "444"
    ) throws -> [CodedItem] {
      try (0..<times.count).map { index in
        let picture = Pixels.testPattern(width: width, height: height, seed: UInt64(index))
        return try CodedItem(picture, codec: .av1, depth: depth, chroma: chroma)
      }
    }

    private static func frames(
      _ file: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false
    ) throws -> (pixels: [PixelBuffer], milliseconds: [Int], plays: Int, faults: Set<CropWarning>) {
      let job = Job.forTests(limits: limits)
      return try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: allowsDamage, job: job) {
        (session) throws(FaceCropError) in
        var reader = try session.animation(job)
        var (pixels, milliseconds, faults): ([PixelBuffer], [Int], Set<CropWarning>) = ([], [], [])
        while let frame = try reader.draw() {
          pixels.append(frame.pixels)
          milliseconds.append(frame.milliseconds)
          faults = frame.faults
        }
        return (pixels, milliseconds, reader.plays, faults)
      }
    }

    private static func still(_ item: CodedItem) throws -> PixelBuffer {
      try withSession(HEIFBuilder(item).encoded()) { (session) throws(FaceCropError) in
        try session.region(PixelRect(x: 0, y: 0, width: item.width, height: item.height))
      }
    }

    /// Frames equal still images with the same data, in every layout of the tables.
    @Test(arguments: [(8, "444"), (8, "420"), (12, "420")]) func framesAreImages(depth: Int, chroma: String) throws {
      let images = try Self.images(depth: depth, chroma: chroma)
      let wanted = try images.map(Self.still)
      for (perChunk, isWide, bits) in [(100, false, 32), (2, false, 32), (1, true, 16), (3, true, 32)] {
        var sequence = HEIFSequenceBuilder(images, times: Self.times)
        (sequence.perChunk, sequence.hasWideOffsets, sequence.sizeBits) = (perChunk, isWide, bits)
        let shown = try Self.frames(HEIFBuilder(images[0]).encoded(with: sequence))
        #expect(shown.pixels == wanted, "\(perChunk), \(bits)")
        #expect(shown.milliseconds == Self.times && shown.plays == 0 && shown.faults.isEmpty)
      }
    }

    /// A track's configuration is not copied if it is longer than any real one.
    @Test func longConfigurationsAreRefused() throws {
      var images = try Self.images()
      let still = HEIFBuilder(images[0])
      for (bytes, isRead) in [(16_000, true), (20_000, false)] {
        let free = [0x7A, UInt8(bytes & 127 | 128), UInt8(bytes >> 7 & 127 | 128), UInt8(bytes >> 14)]
        images[0].configuration = HEIFBuilder.box(
          "av1C", Array(images[1].configuration.dropFirst(8)) + free + [UInt8](repeating: 0, count: bytes))
        let file = still.encoded(with: HEIFSequenceBuilder(images, times: Self.times))
        if isRead {
          #expect(try Self.frames(file).pixels.count == 5)
        } else {
          #expect(throws: FaceCropError.corrupt("the sequence has no AV1 configuration")) { try Self.frames(file) }
        }
      }
    }

    @Test func repetitionsAreRead() throws {
      let images = try Self.images()
      for (plays, expected) in [(0, 0), (1, 1), (2, 2), (7, 7), (nil, 0)] as [(Int?, Int)] {
        var sequence = HEIFSequenceBuilder(images, times: Self.times)
        sequence.plays = plays
        #expect(try Self.frames(HEIFBuilder(images[0]).encoded(with: sequence)).plays == expected)
      }
    }

    @Test(arguments: [false, true]) func alphaIsATrackOfItsOwn(isPremultiplied: Bool) throws {
      let images = try Self.images()
      let masks = try (0..<5).map { index in
        try CodedItem(Pixels.testPattern(width: 70, height: 46, channels: 1, seed: UInt64(index + 9)), codec: .av1)
      }
      var builder = HEIFBuilder(images[0])
      builder.references.append(("auxl", builder.add(masks[0], [HEIFBuilder.alpha]), [1]))
      if isPremultiplied { builder.references.append(("prem", 1, [2])) }
      var sequence = HEIFSequenceBuilder(images, times: Self.times)
      (sequence.alpha, sequence.isPremultiplied) = (masks, isPremultiplied)
      let file = builder.encoded(with: sequence)
      let shown = try Self.frames(file)
      let first = try withSession(file) { (session) throws(FaceCropError) in
        try session.region(PixelRect(x: 0, y: 0, width: 70, height: 46))
      }
      #expect(shown.pixels[0] == first)
      for (frame, mask) in zip(shown.pixels, masks) {
        let opacity = stride(from: 3, to: frame.bytes.count, by: 4).map { frame.bytes[$0] }
        let wanted = try Self.still(mask).inGray().bytes
        #expect(frame.format == .rgba && opacity == wanted)
      }
      sequence.alpha.removeLast()
      #expect(throws: FaceCropError.self) { try Self.frames(builder.encoded(with: sequence)) }
    }

    /// The crop is the same as from a lossless animation of the frames, and the header has their number.
    @Test func sequencesAreCropped() async throws {
      let images = try Self.images(width: 200, height: 200)
      let file = HEIFBuilder(images[0]).encoded(with: HEIFSequenceBuilder(images, times: Self.times))
      let info = try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests())
      #expect(info.isAnimated && info.frameCount == 5)
      let face = Face(box: NormalizedRect(x: 0.3, y: 0.3, width: 0.4, height: 0.4), score: 0.9)
      let cropper = FaceCropper(detector: StubDetector(found: [face]))
      var crops: [EncodedCrop] = []
      for try await step in cropper.animatedCrops(of: .bytes(file), as: .webpLossless) {
        if case .crop(let crop) = step { crops.append(crop) }
      }
      let crop = try #require(crops.first)
      let shown = try referenceDecodeWebPAnimation(crop.bytes)
      #expect(shown.count == 5 && crop.milliseconds == Self.times.reduce(0, +))
      for (image, frame) in zip(images, shown) {
        let region = crop.region
        let wanted = Pixels(try Self.still(image)).cropped(
          x: region.x, y: region.y, width: region.width, height: region.height)
        #expect(frame.pixels == wanted.rgba)
      }
      let best = try await cropper.crop(.bytes(file), request: CropRequest(search: FaceSearch(animation: .best)))
      #expect(best.crops.count == 1)
    }

    /// Frames that libaom predicted from earlier ones show what was drawn: a white square that moves over four colors.
    /// Frames are larger than the step in which memory is given back.
    @Test func framesArePredicted() throws {
      let shown = try Self.frames(fixtureBytes("predicted.avif"))
      #expect(shown.milliseconds == [50, 70, 90, 110] && shown.plays == 0)
      let colors = [[200, 60, 40], [40, 160, 70], [50, 70, 190], [210, 200, 90]]
      for (index, frame) in shown.pixels.enumerated() {
        let square = PixelRect(x: 64 + 192 * index, y: 448, width: 128, height: 128)
        for y in stride(from: 20, to: 1_024, by: 41) {
          for x in stride(from: 12, to: 1_280, by: 41) {
            let isInside = (square.x..<square.x + 128).contains(x) && (square.y..<square.y + 128).contains(y)
            let color = isInside ? [250, 250, 250] : colors[y / 512 * 2 + x / 640]
            let start = 3 * (y * 1_280 + x)
            let isNear = zip(frame.bytes[start..<start + 3], color).allSatisfy { abs(Int($0.0) - $0.1) <= 12 }
            #expect(isNear, "frame \(index), \(x), \(y): \(frame.bytes[start..<start + 3])")
          }
        }
      }
    }

    // MARK: Limits and damage

    private static func error(_ file: [UInt8], _ change: (inout Limits) -> Void = { _ in }) -> FaceCropError? {
      var limits = Limits()
      change(&limits)
      do {
        _ = try frames(file, limits: limits)
        return nil
      } catch {
        return error as? FaceCropError
      }
    }

    @Test func sequencesAreLimited() throws {
      let images = try Self.images()
      let builder = HEIFBuilder(images[0])
      let file = builder.encoded(with: HEIFSequenceBuilder(images, times: Self.times))
      let pixels = 5 * 70 * 46
      #expect(Self.error(file) { $0.animationPixels = pixels } == nil)
      #expect(
        Self.error(file) { $0.animationPixels = pixels - 1 }
          == .overLimit(.animationPixels, actual: pixels, allowed: pixels - 1))
      #expect(Self.error(file) { $0.frames = 4 } == .overLimit(.frames, actual: 5, allowed: 4))
      // dav1d may keep ten frames, which have whole blocks of 128 pixels.
      let kept = 10 * 192 * 192 * 3
      #expect(Self.error(file) { $0.heifBytes = kept } != nil)
      #expect(Self.error(file) { $0.heifBytes = kept + 70 * 46 * 3 + 3 * images.map(\.data.count).max()! } == nil)
      // A table names more images than it has, or a track of other images than the still one.
      for change in [
        { $0.size = (72, 46) }, { $0.times = [5] },
        { $0.images[0].configuration = [] },
      ] as [(inout HEIFSequenceBuilder) -> Void] {
        var sequence = HEIFSequenceBuilder(images, times: Self.times)
        change(&sequence)
        #expect(Self.error(builder.encoded(with: sequence)) != nil)
      }
      let small = HEIFSequenceBuilder(try Self.images(width: 64, height: 40), times: Self.times)
      #expect(
        Self.error(builder.encoded(with: small))
          == .unsupported("the sequence has 64×40 pixels, unlike the still image (choose the first frame)"))
      var deep = HEIFSequenceBuilder(try Self.images(depth: 12), times: Self.times)
      #expect(Self.error(builder.encoded(with: deep))?.kind == "unsupported")
      deep.images = try Self.images(width: 96, height: 64)
      #expect(Self.error(builder.encoded(with: deep))?.kind == "unsupported")
    }

    /// A table of one size needs no bytes for its images, so their number is checked before they are listed.
    @Test func imagesOfOneSizeAreLimited() throws {
      let images = try Self.images()
      var sequence = HEIFSequenceBuilder(images, times: Self.times)
      sequence.namedCount = 1_000_000
      let file = HEIFBuilder(images[0]).encoded(with: sequence)
      let job = Job.forTests()
      let error = #expect(throws: FaceCropError.self) {
        try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: false, job: job) {
          (session) throws(FaceCropError) in _ = try session.animation(job)
        }
      }
      #expect(error == .overLimit(.frames, actual: 1_000_000, allowed: job.limits.frames))
      #expect(job.cancellation.steps < 10_000)
    }

    /// Every change of a byte in the tables gives frames or an error.
    @Test func brokenTablesAreErrors() throws {
      let images = try Self.images()
      let still = HEIFBuilder(images[0]).encoded()
      let file = still + HEIFSequenceBuilder(images, times: Self.times).boxes(at: still.count)
      let end = try #require(file.indices.last { file[$0...].starts(with: Array("mdat".utf8)) })
      for place in still.count..<end {
        for value in [0, 0x7F, 0xFF] as [UInt8] where file[place] != value {
          var changed = file
          changed[place] = value
          _ = Self.error(changed) { $0.animationPixels = 100_000 }
        }
      }
    }

    @Test func damagedFramesAreJudged() throws {
      let images = try Self.images()
      let file = HEIFBuilder(images[0]).encoded(with: HEIFSequenceBuilder(images, times: Self.times))
      let cut = Array(file.dropLast(images[4].data.count / 2))
      #expect(Self.error(cut) == .truncated(intactRows: 0, rows: 46, coarse: false))
      let shown = try Self.frames(cut, allowsDamage: true)
      #expect(shown.pixels.count == 5 && shown.pixels[4] == shown.pixels[3])
      #expect(shown.faults == [.truncated(intactRows: 0, rows: 46, coarse: false)])
      var broken = HEIFSequenceBuilder(images, times: Self.times)
      broken.images[2].data = [UInt8](repeating: 0x5A, count: 300)
      let file2 = HEIFBuilder(images[0]).encoded(with: broken)
      #expect(Self.error(file2)?.kind == "corrupt")
      let rest = try Self.frames(file2, allowsDamage: true)
      let next = try Self.still(images[3])
      #expect(rest.pixels[2] == rest.pixels[1] && rest.pixels[3] == next)
    }
  }
#endif
