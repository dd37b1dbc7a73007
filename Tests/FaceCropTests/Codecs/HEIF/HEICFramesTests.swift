#if HEIF
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// The frames of HEIC sequences, none of which is predicted from another.
  @Suite struct HEICFramesTests {
    private static let times = [40, 70, 100]

    private static func images(width: Int = 80, height: Int = 64) throws -> [CodedItem] {
      try times.indices.map { index in
        try CodedItem(Pixels.testPattern(width: width, height: height, seed: UInt64(index)), codec: .hevc)
      }
    }

    private static func file(_ images: [CodedItem], _ change: (inout HEIFSequenceBuilder) -> Void = { _ in }) -> [UInt8]
    {
      HEIFBuilder(images[0]).encoded(with: with(HEIFSequenceBuilder(images, times: times), change))
    }

    private static func frames(
      _ file: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false
    ) throws -> (pixels: [PixelBuffer], milliseconds: [Int], faults: Set<CropWarning>) {
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
        return (pixels, milliseconds, faults)
      }
    }

    private static func still(_ item: CodedItem) throws -> PixelBuffer {
      try withSession(HEIFBuilder(item).encoded()) { (session) throws(FaceCropError) in
        try session.region(PixelRect(x: 0, y: 0, width: item.width, height: item.height))
      }
    }

    /// Frames equal still images with the same data, and differ from each other.
    @Test func framesAreImages() throws {
      let images = try Self.images()
      let shown = try Self.frames(Self.file(images))
      #expect(try shown.pixels == images.map(Self.still))
      #expect(Set(shown.pixels.map(\.bytes)).count == 3)
      #expect(shown.milliseconds == Self.times && shown.faults.isEmpty)
      let file = Self.file(images)
      let info = try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests())
      #expect(info.format == .heic && info.isAnimated && info.frameCount == 3)
    }

    @Test func sequencesAreCropped() async throws {
      let images = try Self.images(width: 200, height: 200)
      let face = Face(box: NormalizedRect(x: 0.3, y: 0.3, width: 0.4, height: 0.4), score: 0.9)
      let cropper = FaceCropper(detector: StubDetector(found: [face]))
      var crops: [EncodedCrop] = []
      for try await step in cropper.animatedCrops(of: .bytes(Self.file(images)), as: .webpLossless) {
        if case .crop(let crop) = step { crops.append(crop) }
      }
      let crop = try #require(crops.first)
      let shown = try referenceDecodeWebPAnimation(crop.bytes)
      #expect(shown.count == 3 && crop.milliseconds == Self.times.reduce(0, +))
      for (image, frame) in zip(images, shown) {
        let region = crop.region
        let wanted = Pixels(try Self.still(image)).cropped(
          x: region.x, y: region.y, width: region.width, height: region.height)
        #expect(frame.pixels == wanted.rgba)
      }
    }

    /// libde265 gets no image that refers to others.
    @Test func predictedImagesAreRefused() throws {
      var images = try Self.images()
      // Lengths of four bytes stand before the units; those of slices become the type of predicted ones.
      var place = 0
      while place + 4 < images[1].data.count {
        let type = images[1].data[place + 4] >> 1 & 0x3F
        if type < 32 { images[1].data[place + 4] = 1 << 1 }
        place += 4 + images[1].data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      let fault = FaceCropError.unsupported(
        "frame 1: the HEVC image is predicted from other images (choose the first frame)")
      #expect(throws: fault) { try Self.frames(Self.file(images)) }
      // The first frame is read.
      _ = try decoded(Self.file(images))
    }

    @Test func sequencesAreLimited() throws {
      let images = try Self.images()
      func error(_ file: [UInt8], _ change: (inout Limits) -> Void = { _ in }) -> FaceCropError? {
        do {
          _ = try Self.frames(file, limits: with(Limits(), change))
          return nil
        } catch {
          return error as? FaceCropError
        }
      }
      #expect(error(Self.file(images)) { $0.frames = 2 } == .overLimit(.frames, actual: 3, allowed: 2))
      #expect(error(Self.file(images)) { $0.heifBytes = 600 * 3_072 }?.kind == "limit")
      #expect(
        error(Self.file(images) { $0.images[0].configuration = [] })
          == .corrupt("the sequence has no HEVC configuration"))
      let small = try Self.images(width: 64, height: 64)
      #expect(
        error(HEIFBuilder(images[0]).encoded(with: HEIFSequenceBuilder(small, times: Self.times)))
          == .unsupported("the sequence has 64×64 pixels, unlike the still image (choose the first frame)"))
    }

    @Test func damagedFramesAreJudged() throws {
      let images = try Self.images()
      let file = Self.file(images)
      let cut = Array(file.dropLast(images[2].data.count / 2))
      #expect(throws: FaceCropError.truncated(intactRows: 0, rows: 64, coarse: false)) { try Self.frames(cut) }
      let shown = try Self.frames(cut, allowsDamage: true)
      #expect(shown.pixels.count == 3 && shown.pixels[2] == shown.pixels[1])
      #expect(shown.faults == [.truncated(intactRows: 0, rows: 64, coarse: false)])
    }
  }
#endif
