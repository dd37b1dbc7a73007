import TestSupport
import Testing

@testable import FaceCrop

/// The frames of animated files, and the files that facecrop writes.
@Suite struct AnimationTests {
  private struct Playback {
    var pixels: [Pixels] = []
    var areOpaque: [Bool] = []
    var milliseconds: [Int] = []
    var plays = 0
  }

  private static func shown(
    _ file: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false, job: Job? = nil
  ) throws -> Playback {
    let job = job ?? .forTests(limits: limits)
    return try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: allowsDamage, job: job) {
      (session) throws(FaceCropError) in
      var reader = try session.animation(job)
      var shown = Playback()
      shown.plays = reader.plays
      while let frame = try reader.draw() {
        shown.pixels.append(Pixels(frame.pixels).rgba)
        shown.areOpaque.append(frame.pixels.format == .rgb)
        shown.milliseconds.append(frame.milliseconds)
      }
      return shown
    }
  }

  // MARK: Reading

  /// All disposals, places, delays and repetitions.
  @Test(arguments: [false, true]) func framesOfGIFsAreDrawn(isInterlaced: Bool) throws {
    for seed in 0..<12 as Range<UInt64> {
      let animation = AnimationBuilder.random(width: 23, height: 17, count: 9, seed: seed)
      let shown = try Self.shown(animation.gif(isInterlaced: isInterlaced))
      #expect(shown.pixels == animation.shown, "seed \(seed)")
      #expect(shown.milliseconds == animation.frames.map { 10 * $0.delay })
      #expect(shown.plays == animation.repetitions.map { $0 == 0 ? 0 : $0 + 1 })
    }
    var once = AnimationBuilder.random(width: 5, height: 5, count: 2, seed: 1)
    once.repetitions = nil
    #expect(try Self.shown(once.gif()).plays == 1)
  }

  /// A canvas whose pixels are all opaque is in RGB, and follows each change between opaque and transparent.
  @Test func opaqueCanvasesHaveNoAlpha() throws {
    var counts = [0, 0]
    for seed in 0..<12 as Range<UInt64> {
      var animation = AnimationBuilder.random(width: 23, height: 17, count: 12, seed: seed)
      for index in [0, 4, 9] {
        animation.frames[index].pixels = Pixels(width: 23, height: 17, color: [UInt8(index), 9, 200, 255])
        (animation.frames[index].x, animation.frames[index].y) = (0, 0)
      }
      let shown = try Self.shown(animation.gif())
      #expect(shown.pixels == animation.shown, "seed \(seed)")
      let areOpaque = animation.shown.map { picture in
        stride(from: 3, to: picture.samples.count, by: 4).allSatisfy { picture.samples[$0] == 255 }
      }
      #expect(shown.areOpaque == areOpaque, "seed \(seed)")
      for isOpaque in areOpaque { counts[isOpaque ? 1 : 0] += 1 }
    }
    #expect(counts[0] > 20 && counts[1] > 20, "both kinds occur: \(counts)")
  }

  /// The canvas is the screen, and only the first frame can enlarge it.
  @Test(arguments: [false, true]) func framesAreCutAtTheScreen(isInterlaced: Bool) throws {
    var animation = AnimationBuilder.random(width: 20, height: 20, count: 4, seed: 5)
    animation.frames[0].pixels = Pixels(width: 20, height: 20, color: [1, 2, 3, 255])
    (animation.frames[0].x, animation.frames[0].y) = (0, 0)
    for (x, y) in [(15, 3), (3, 15), (19, 19), (25, 0), (0, 25)] {
      animation.frames[2].pixels = Pixels(width: 9, height: 9, color: [200, 100, 50, 255])
      (animation.frames[2].x, animation.frames[2].y) = (x, y)
      #expect(try Self.shown(animation.gif(isInterlaced: isInterlaced)).pixels == animation.shown, "\(x), \(y)")
    }
    // Only the part on the screen is held.
    animation.frames[2].pixels = Pixels(width: 900, height: 1_100, color: [200, 100, 50, 255])
    (animation.frames[2].x, animation.frames[2].y) = (7, 4)
    var limits = Limits()
    limits.imageBytes = 16 * 20 * 20
    let shown = try Self.shown(animation.gif(isInterlaced: isInterlaced), limits: limits)
    #expect(shown.pixels == animation.shown)
  }

  /// A frame of an animated PNG has no more data than its pixels, and the file's colors once.
  @Test func framesOfPNGsHaveTheirBytes() throws {
    var animation = AnimationBuilder(width: 20, height: 20)
    animation.frames = (0..<3).map { AnimationBuilder.Frame(.noise(width: 20, height: 20, channels: 3, seed: $0).rgba) }
    let file = animation.png()
    let colors = PNGBuilder.chunk("tRNS", [0, 1, 0, 2, 0, 3])
    let many = [[UInt8]](repeating: colors, count: 1_000).flatMap { $0 }
    // Behind the first data they have no effect; before them only the first has.
    let start = try #require(file.firstRange(of: Array("fcTL".utf8))).lowerBound - 4
    for changed in [file.dropLast(12) + many + file.suffix(12), file[..<start] + many + file[start...]] {
      #expect(try Self.shown(Array(changed)).pixels == animation.shown)
    }
    // Bytes behind the end of the compressed pixels, in a chunk of their own.
    let junk = PNGBuilder.chunk("fdAT", [0, 0, 0, 9] + [UInt8](repeating: 7, count: 2 << 20))
    #expect(throws: FaceCropError.corrupt("a frame of 20×20 has more data than its pixels")) {
      try Self.shown(Array(file.dropLast(12) + junk + file.suffix(12)))
    }
    // Chunks without data, more than fit into the memory of the estimate.
    let empty = [[UInt8]](repeating: PNGBuilder.chunk("fdAT", [0, 0, 0, 9]), count: 5_000).flatMap { $0 }
    #expect(try Self.shown(Array(file.dropLast(12) + empty + file.suffix(12))).pixels == animation.shown)
  }

  /// The memory for all frames is known from the header: the codes of a later frame count.
  @Test func theLargestFrameIsEstimated() throws {
    let request = CropRequest(search: FaceSearch(animation: .keep))
    func memory(_ file: [UInt8]) throws -> Int {
      try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests()).memory(for: request, as: .gif)
    }
    let plain = try HostileWebP.laterGroups(side: 8)
    let many = try HostileWebP.laterGroups(side: 392)
    // 9,604 groups of five tables.
    #expect(try memory(many) - memory(plain) > 9_604 * 10_000)
    // More than may be held is refused when the frame is decoded, and a damaged frame, too.
    let tooMany = try HostileWebP.laterGroups(side: 1_024)
    #expect(try memory(tooMany) > Limits().imageBytes)
    #expect(throws: FaceCropError.self) { try Self.shown(tooMany) }
    #expect(try memory(Array(many.dropLast(20_000))) > 0)
  }

  @Test func framesOfPNGsAreDrawn() throws {
    for seed in 0..<8 as Range<UInt64> {
      var animation = AnimationBuilder.random(width: 19, height: 21, count: 7, seed: seed)
      animation.frames[0].pixels = Pixels.testPattern(width: 19, height: 21).rgba
      (animation.frames[0].x, animation.frames[0].y) = (0, 0)
      animation.frames[3].isBlended = false
      let shown = try Self.shown(animation.png())
      #expect(shown.pixels == animation.shown, "seed \(seed)")
      #expect(shown.milliseconds == animation.frames.map { 10 * $0.delay })
    }
  }

  /// libwebp's own decoder of animations is the reference.
  @Test func framesOfWebPsAreDrawn() throws {
    let (width, height) = (40, 30)
    for isLossless in [true, false] {
      var chunks = [WebPBuilder.extended(flags: 18, width: width, height: height), WebPBuilder.animation]
      for index in 0..<8 {
        let pixels = PNGBuilder(width: 20, height: 16, color: .rgba, seed: UInt64(index)).pixels
        let file = try encodeWebP(pixels, quality: isLossless ? nil : 80)
        let picture = WebPBuilder.chunks(of: file).filter { ["VP8L", "VP8 ", "ALPH"].contains($0.name) }
        var frame = WebPBuilder.frame(picture[0], x: 2 * index, y: index / 2 * 2, width: 20, height: 16)
        for other in picture.dropFirst() {
          frame.data += Array(other.name.utf8) + UInt32(other.data.count).littleEndianBytes + other.data
          if other.data.count % 2 == 1 { frame.data.append(0) }
        }
        // Blending, and clearing.
        frame.data[15] = UInt8(index & 3)
        chunks.append(frame)
      }
      let file = WebPBuilder.file(chunks)
      let expected = try referenceDecodeWebPAnimation(file)
      let shown = try Self.shown(file)
      #expect(shown.pixels.count == 8 && shown.plays == 0)
      #expect(shown.milliseconds.reduce(0, +) == expected.last?.end)
      for (own, other) in zip(shown.pixels, expected) {
        // Colors of transparent pixels do not show; libwebp rounds down at each of up to eight blends.
        #expect(own.overBlack.maximumDifference(from: other.pixels.overBlack) <= 4)
      }
    }
  }

  // MARK: Writing

  private static func encoded(
    _ frames: [Pixels], milliseconds: [Int], as format: OutputFormat, plays: Int = 0
  ) throws -> [UInt8] {
    let buffers = frames.map { PixelBuffer($0) }
    let encoder = try Codecs.animationEncoder(
      for: EncoderInput(pixels: buffers[0]), as: format, plays: plays, job: .forTests())
    for (buffer, time) in zip(buffers, milliseconds) { try encoder.add(buffer, milliseconds: time) }
    return try encoder.finish()
  }

  /// Frames with few colors stay exact, whatever appears, changes and vanishes between them.
  @Test(arguments: [OutputFormat.gif, .webpLossless]) func writtenFramesComeBack(format: OutputFormat) throws {
    for seed in 0..<12 as Range<UInt64> {
      let animation = AnimationBuilder.random(width: 31, height: 22, count: 8, seed: seed)
      // libwebp joins frames that show the same.
      let times = (1...8).map { 20 * $0 }
      for plays in [0, 1, 5] {
        let file = try Self.encoded(animation.shown, milliseconds: times, as: format, plays: plays)
        let shown = try Self.shown(file)
        #expect(shown.plays == plays)
        #expect(shown.milliseconds.reduce(0, +) == times.reduce(0, +))
        if format == .gif {
          #expect(shown.pixels == animation.shown, "seed \(seed)")
          #expect(shown.milliseconds == times)
        } else {
          #expect(try referenceDecodeWebPAnimation(file).last?.pixels.overBlack == animation.shown.last?.overBlack)
        }
      }
    }
  }

  /// Repetitions have 16 bits. More must not become few, or forever.
  @Test(arguments: [(OutputFormat.gif, 65_536), (.webpLossless, 65_535)])
  func manyRepetitionsAreTheMost(format: OutputFormat, most: Int) throws {
    let frames = (0..<2).map { Pixels(width: 4, height: 4, color: [UInt8($0 * 20), 0, 0, 255]) }
    for plays in [65_537, 65_538, 1 << 31] {
      #expect(try Self.shown(Self.encoded(frames, milliseconds: [50, 50], as: format, plays: plays)).plays == most)
    }
  }

  /// Times are rounded to hundredths of a second without a drift.
  @Test func delaysDoNotDrift() throws {
    let frames = (0..<9).map { Pixels(width: 4, height: 4, color: [UInt8($0 * 20), 0, 0, 255]) }
    let file = try Self.encoded(frames, milliseconds: [Int](repeating: 33, count: 9), as: .gif)
    #expect(try Self.shown(file).milliseconds.reduce(0, +) == 300)
  }

  /// More colors than a palette has give 256 near ones.
  @Test func manyColorsAreReduced() throws {
    let portrait = try astronaut().cropped(x: 150, y: 30, width: 160, height: 160)
    let file = try Codecs.encode(
      EncoderInput(pixels: PixelBuffer(portrait)), as: .gif, background: .white, job: .forTests())
    let decoded = try withSession(file) { (session) throws(FaceCropError) in
      try session.region(PixelRect(x: 0, y: 0, width: 160, height: 160))
    }
    let squares = zip(Pixels(decoded).samples, portrait.samples).reduce(0.0) {
      $0 + Double((Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)))
    }
    // A peak signal-to-noise ratio above 36 dB.
    #expect(squares / Double(portrait.samples.count) < 16)
    #expect(try referenceDecodeGIF(file).width == 160)
  }

  /// giflib reads every still picture, at all numbers of colors.
  @Test func stillGIFsAreExact() throws {
    for count in [1, 2, 3, 4, 5, 16, 17, 128, 255, 256] {
      let samples = (0..<60 * 40).flatMap { (pixel: Int) -> [UInt8] in
        let color = pixel * 7 % count
        return [UInt8(color), UInt8(color * 3 & 255), UInt8(255 - color)]
      }
      let picture = Pixels(width: 60, height: 40, channels: 3, samples: samples)
      let file = try Codecs.encode(
        EncoderInput(pixels: PixelBuffer(picture)), as: .gif, background: .white, job: .forTests())
      let decoded = try withSession(file) { (session) throws(FaceCropError) in
        #expect(!session.header.isAnimated && session.warnings.isEmpty)
        return try session.region(PixelRect(x: 0, y: 0, width: 60, height: 40))
      }
      #expect(Pixels(decoded) == picture, "\(count) colors")
      #expect(try referenceDecodeGIF(file).height == 40)
    }
  }

  // MARK: Limits

  private static func error(_ file: [UInt8], _ change: (inout Limits) -> Void) -> FaceCropError? {
    var limits = Limits()
    change(&limits)
    do {
      _ = try shown(file, limits: limits)
      return nil
    } catch {
      return error as? FaceCropError
    }
  }

  /// The pixels of all frames, and the bytes of the canvas, are limited before the first frame is decoded.
  @Test func allFramesAreLimited() throws {
    let file = AnimationBuilder.random(width: 30, height: 20, count: 6, seed: 2).gif()
    #expect(Self.error(file) { $0.animationPixels = 3_600 } == nil)
    #expect(
      Self.error(file) { $0.animationPixels = 3_599 } == .overLimit(.animationPixels, actual: 3_600, allowed: 3_599))
    #expect(Self.error(file) { $0.imageBytes = 9_599 } == .overLimit(.imageBytes, actual: 9_600, allowed: 9_599))
    // Frames that reach out of the screen count with all of their pixels.
    var large = AnimationBuilder(width: 2, height: 2)
    large.frames = (0..<3).map { _ in AnimationBuilder.Frame(Pixels(width: 2, height: 2, color: [1, 1, 1, 255])) }
    large.frames[2].pixels = Pixels(width: 200, height: 100, color: [5, 5, 5, 255])
    #expect(
      Self.error(large.gif()) { $0.animationPixels = 20_000 }
        == .overLimit(.animationPixels, actual: 20_008, allowed: 20_000))
  }

  @Test func animationsCanBeCancelled() throws {
    let job = Job.forTests()
    let file = AnimationBuilder.random(width: 30, height: 20, count: 6, seed: 2).gif()
    try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: false, job: job) {
      (session) throws(FaceCropError) in
      var reader = try session.animation(job)
      _ = try reader.draw()
      job.cancellation.cancel()
      #expect(throws: FaceCropError.cancelled) { _ = try reader.draw() }
    }
  }

  /// A damaged frame is an error, or draws its intact rows.
  @Test func damagedFramesAreJudged() throws {
    var animation = AnimationBuilder(width: 40, height: 40)
    animation.frames = (0..<3).map { index in
      AnimationBuilder.Frame(Pixels(width: 40, height: 40, color: [UInt8(index * 90), 10, 10, 255]))
    }
    let whole = animation.gif()
    let cut = Array(whole.dropLast(900))
    #expect(throws: FaceCropError.self) { try Self.shown(cut) }
    let shown = try Self.shown(cut, allowsDamage: true)
    #expect(shown.pixels.count == 3 && Array(shown.pixels.prefix(2)) == Array(animation.shown.prefix(2)))
    #expect(Array(shown.pixels[2].samples.prefix(4)) == [180, 10, 10, 255])
    #expect(Array(shown.pixels[2].samples.suffix(4)) == [90, 10, 10, 255])
  }

  /// Frames outside of the canvas, and an image that is no frame, are refused.
  @Test func invalidPNGsAreRefused() throws {
    var animation = AnimationBuilder.random(width: 19, height: 21, count: 3, seed: 4)
    animation.frames[0].pixels = Pixels.testPattern(width: 19, height: 21).rgba
    (animation.frames[0].x, animation.frames[0].y) = (0, 0)
    animation.frames[1].x = 19
    #expect(throws: FaceCropError.corrupt("the frame 1 of the animation is invalid")) {
      try Self.shown(animation.png())
    }
    var still = PNGBuilder(width: 20, height: 10)
    still.before = [("acTL", UInt32(3).bigEndianBytes + [0, 0, 0, 0])]
    #expect(
      throws: FaceCropError.unsupported(
        "the image of the PNG file is no frame of its animation (choose the first frame)")
    ) { try Self.shown(still.encoded()) }
  }
}

extension Pixels {
  /// RGBA over black, in which colors of transparent pixels do not count.
  fileprivate var overBlack: Pixels {
    var result = samples
    for place in stride(from: 0, to: samples.count, by: 4) {
      for channel in 0..<3 {
        result[place + channel] = UInt8(Int(samples[place + channel]) * Int(samples[place + 3]) / 255)
      }
    }
    return Pixels(width: width, height: height, channels: 4, samples: result)
  }
}
