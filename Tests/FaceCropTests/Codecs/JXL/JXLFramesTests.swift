import TestSupport
import Testing

@testable import FaceCrop

/// The frames of JPEG XL animations.
@Suite struct JXLFramesTests {
  /// Returns different images without transparent pixels, whose colors would be free.
  private static func images(_ channels: Int, width: Int = 70, height: Int = 46, count: Int = 5) -> [Pixels] {
    (0..<count).map { index in
      var samples = Pixels.noise(width: width, height: height, channels: channels, seed: UInt64(index)).samples
      if channels % 2 == 0 {
        for place in stride(from: channels - 1, to: samples.count, by: channels) { samples[place] |= 1 }
      }
      return Pixels(width: width, height: height, channels: channels, samples: samples)
    }
  }

  /// Returns an image in three colors, with the same alpha.
  private static func inColor(_ image: Pixels) -> Pixels {
    guard image.channels < 3 else { return image }
    let samples = stride(from: 0, to: image.samples.count, by: image.channels).flatMap { place in
      [image.samples[place], image.samples[place]] + image.samples[place..<place + image.channels]
    }
    return Pixels(width: image.width, height: image.height, channels: image.channels + 2, samples: samples)
  }

  private static func frames(
    _ file: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false
  ) throws -> (pixels: [Pixels], milliseconds: [Int], plays: Int, faults: Set<CropWarning>) {
    let job = Job.forTests(limits: limits)
    return try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: allowsDamage, job: job) {
      (session) throws(FaceCropError) in
      var reader = try session.animation(job)
      var (pixels, milliseconds, faults): ([Pixels], [Int], Set<CropWarning>) = ([], [], [])
      while let frame = try reader.draw() {
        pixels.append(Pixels(frame.pixels))
        milliseconds.append(frame.milliseconds)
        faults = frame.faults
      }
      return (pixels, milliseconds, reader.plays, faults)
    }
  }

  /// Every frame is the image that was encoded, with its time, in gray and color, and with transparency.
  @Test(arguments: 1...4, [false, true]) func framesAreImages(channels: Int, hasContainer: Bool) throws {
    let images = Self.images(channels)
    for plays in [0, 3] {
      let recipe = JXLRecipe().with { ($0.hasContainer, $0.plays) = (hasContainer, plays) }
      let file = try recipe.encode(frames: images)
      let header = try withSession(file) { (session) throws(FaceCropError) in session.header }
      #expect(header.isAnimated && header.frameCount == 5)
      let shown = try Self.frames(file)
      #expect(shown.pixels == images.map(Self.inColor))
      #expect(shown.milliseconds == [100, 200, 300, 400, 500] && shown.plays == plays && shown.faults.isEmpty)
    }
  }

  /// The layers below a later frame count, too.
  @Test(.enabled(if: !JXLRecipe.countsMemory), arguments: [(16, true), (17, false)])
  func layersBelowLaterFramesAreFew(layers: Int, fits: Bool) throws {
    let file = HostileJXL.layers(layers, side: 1_100, follows: true)
    if fits {
      #expect(try Self.frames(file).pixels.count == 2)
    } else {
      let error = #expect(throws: FaceCropError.self) { try Self.frames(file) }
      #expect(error == .unsupported("it has more than 16 layers (save it as one layer)"))
    }
  }

  /// Transparent pixels show the frames before. libjxl keeps these, and has the memory for them.
  @Test func framesAreBlended() throws {
    let images = (0..<6).map { index in
      var samples = Pixels.noise(width: 500, height: 400, channels: 4, seed: UInt64(index)).samples
      for place in stride(from: 3, to: samples.count, by: 4) {
        samples[place] = index == 0 || place / 4 % 6 == index ? 255 : 0
      }
      return Pixels(width: 500, height: 400, channels: 4, samples: samples)
    }
    let shown = try Self.frames(JXLRecipe().with { $0.blends = true }.encode(frames: images))
    #expect(shown.pixels.count == images.count)
    var canvas = images[0].samples
    for (image, frame) in zip(images, shown.pixels) {
      for place in stride(from: 0, to: canvas.count, by: 4) where image.samples[place + 3] == 255 {
        canvas.replaceSubrange(place..<place + 4, with: image.samples[place..<place + 4])
      }
      let wanted = Pixels(width: 500, height: 400, channels: 4, samples: canvas)
      #expect(frame == Pixels(PixelBuffer(wanted).inColor()))
    }
  }

  /// The crop is the same as from a lossless animation of the frames.
  @Test func animationsAreCropped() async throws {
    let images = Self.images(3, width: 200, height: 200)
    let file = try JXLRecipe().encode(frames: images)
    let face = Face(box: NormalizedRect(x: 0.3, y: 0.3, width: 0.4, height: 0.4), score: 0.9)
    let cropper = FaceCropper(detector: StubDetector(found: [face]))
    var crops: [EncodedCrop] = []
    for try await step in cropper.animatedCrops(of: .bytes(file), as: .webpLossless) {
      if case .crop(let crop) = step { crops.append(crop) }
    }
    let crop = try #require(crops.first)
    let shown = try referenceDecodeWebPAnimation(crop.bytes)
    #expect(shown.count == 5 && crop.milliseconds == 1_500)
    let region = crop.region
    for (image, frame) in zip(images, shown) {
      let wanted = image.cropped(x: region.x, y: region.y, width: region.width, height: region.height)
      #expect(frame.pixels == wanted.rgba)
    }
    let best = try await cropper.crop(.bytes(file), request: CropRequest(search: FaceSearch(animation: .best)))
    #expect(best.crops.count == 1)
  }

  // MARK: Limits and damage

  private static func error(_ file: [UInt8], _ change: (inout Limits) -> Void) -> FaceCropError? {
    do {
      _ = try frames(file, limits: with(Limits(), change))
      return nil
    } catch {
      return error as? FaceCropError
    }
  }

  @Test func animationsAreLimited() throws {
    let file = try JXLRecipe().encode(frames: Self.images(3))
    let area = 70 * 46
    #expect(Self.error(file) { $0.frames = 5 } == nil)
    #expect(Self.error(file) { $0.frames = 4 } == .overLimit(.frames, actual: 5, allowed: 4))
    // No more are counted than one above the limit.
    #expect(Self.error(file) { $0.frames = 2 } == .overLimit(.frames, actual: 3, allowed: 2))
    #expect(Self.error(file) { $0.animationPixels = 5 * area } == nil)
    #expect(
      Self.error(file) { $0.animationPixels = 5 * area - 1 }
        == .overLimit(.animationPixels, actual: 5 * area, allowed: 5 * area - 1))
    // 15 bytes for a sample, the pixels, and four frames that libjxl may keep.
    let bytes = area * (3 * 15 + 3 + 3 * 16)
    #expect(Self.error(file) { $0.heifBytes = bytes } == nil)
    #expect(
      Self.error(file) { $0.heifBytes = bytes - 1 } == .overLimit(.heifBytes, actual: bytes, allowed: bytes - 1))
    let (still, all) = (CropRequest(), CropRequest(search: FaceSearch(animation: .best)))
    let info = try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests())
    #expect(info.frameCount == 5 && info.memory(for: all) >= info.memory(for: still) + area * (16 + 48))
  }

  /// The frames before the end of the file are there, and part of the last one.
  @Test func truncatedAnimationsAreJudged() throws {
    let images = Self.images(3, width: 300, height: 200)
    let file = try JXLRecipe().encode(frames: images)
    let cut = Array(file.prefix(file.count * 7 / 10))
    let fault = FaceCropError.truncated(intactRows: 0, rows: 200, coarse: true)
    #expect(Self.error(cut) { _ in } == fault)
    let shown = try Self.frames(cut, allowsDamage: true)
    #expect(shown.pixels.count == 4 && Array(shown.pixels.prefix(3)) == Array(images.prefix(3)))
    #expect(shown.faults == [.truncated(intactRows: 0, rows: 200, coarse: true)])
  }

  @Test func noCutOrFlipIsMoreThanAnError() throws {
    var random = SplitMix64(seed: 7)
    let whole = try JXLRecipe().with { $0.blends = true }.encode(frames: Self.images(4, width: 30, height: 20))
    for _ in 0..<60 {
      var bytes = Array(whole.prefix(Int.random(in: whole.count / 2...whole.count, using: &random)))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        bytes[Int.random(in: 2..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      _ = try? Self.frames(
        bytes, limits: with(Limits()) { $0.animationPixels = 1_000_000 }, allowsDamage: Bool.random(using: &random))
    }
  }

  @Test func cancellationReachesLaterFrames() throws {
    let file = try JXLRecipe().encode(frames: Self.images(3, width: 300, height: 200))
    let job = Job.forTests()
    #expect(throws: FaceCropError.cancelled) {
      try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: false, job: job) {
        (session) throws(FaceCropError) in
        let source = try session.frames()
        _ = try source?.frame(0)
        job.cancellation.cancel()
        _ = try source?.frame(1)
      }
    }
  }
}
