import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Crops of animations: the best frame, and all frames by one steady region.
@Suite struct AnimatedCropTests {
  private static let delays = [40, 70, 100, 130, 160, 190]

  /// The portrait six times, a level brighter each time, with a small square that moves along its upper edge.
  private static func frames() throws -> [Pixels] {
    let portrait = try astronaut().cropped(x: 100, y: 0, width: 260, height: 240)
    return (0..<6).map { index in
      var samples = portrait.samples.map { UInt8(min(Int($0) + index, 255)) }
      for row in 2..<14 {
        for column in 0..<12 {
          let place = 3 * (row * portrait.width + column + 8 * index)
          samples.replaceSubrange(place..<place + 3, with: [255, 0, 0])
        }
      }
      return Pixels(width: portrait.width, height: portrait.height, channels: 3, samples: samples)
    }
  }

  private static func animation(_ frames: [Pixels], as format: OutputFormat = .webpLossless) throws -> [UInt8] {
    let encoder = try Codecs.animationEncoder(
      for: EncoderInput(pixels: PixelBuffer(frames[0])), as: format, plays: 3, job: .forTests())
    for (frame, delay) in zip(frames, delays) { try encoder.add(PixelBuffer(frame), milliseconds: delay) }
    return try encoder.finish()
  }

  private static func crops(
    of file: [UInt8], plan: CropPlan? = nil, request: CropRequest = CropRequest(), as format: OutputFormat,
    by cropper: FaceCropper = FaceCropper()
  ) async throws -> (plan: CropPlan, crops: [EncodedCrop], warnings: [CropWarning]) {
    var (known, crops, found): (CropPlan?, [EncodedCrop], [CropWarning]) = (nil, [], [])
    for try await step in cropper.animatedCrops(of: .bytes(file), plan: plan, request: request, as: format) {
      switch step {
      case .planned(let plan, _): known = plan
      case .crop(let crop): crops.append(crop)
      case .finished(let warnings): found = warnings
      }
    }
    return (try #require(known), crops, found)
  }

  // MARK: All frames

  /// Every frame of the output is the same region of its frame, so nothing jitters. Delays and repetitions stay.
  @Test func stillPeopleDoNotJitter() async throws {
    let frames = try Self.frames()
    let made = try await Self.crops(of: Self.animation(frames), as: .webpLossless)
    let crop = try #require(made.crops.first)
    #expect(made.crops.count == 1 && made.warnings.isEmpty)
    #expect(crop.frameCount == 6 && crop.plays == 3 && crop.milliseconds == Self.delays.reduce(0, +))
    #expect(made.plan.faces.count == 1 && made.plan.animationFrame == 0)
    let shown = try referenceDecodeWebPAnimation(crop.bytes)
    let region = crop.region
    #expect(shown.count == 6)
    for (frame, own) in zip(frames, shown) {
      let wanted = frame.cropped(x: region.x, y: region.y, width: region.width, height: region.height)
      #expect(own.pixels == wanted.rgba)
    }
    #expect(shown.last?.end == crop.milliseconds)
    // The plan alone gives the same file.
    let again = try await Self.crops(of: Self.animation(frames), plan: made.plan, as: .webpLossless)
    #expect(again.crops.map(\.bytes) == [crop.bytes])
  }

  /// Sizes have files of their own, and GIF keeps the delays of all frames.
  @Test func severalSizesAsGIF() async throws {
    var request = CropRequest()
    request.composition.layout = .framing(.avatar)
    request.output.sizes = [.longSide(64), .longSide(32)]
    let made = try await Self.crops(of: Self.animation(Self.frames(), as: .gif), request: request, as: .gif)
    #expect(made.crops.map(\.size.longSide) == [64, 32])
    for crop in made.crops {
      let info = try await FaceCropper().info(of: .bytes(crop.bytes))
      #expect(info.format == .gif && info.frameCount == 6 && info.size == crop.size)
      #expect(crop.milliseconds == Self.delays.reduce(0, +))
    }
  }

  /// The region contains a moving head in every frame that is searched.
  @Test func movingHeadsStayInTheRegion() async throws {
    let portrait = try astronaut()
    let frames = (0..<6).map { portrait.cropped(x: 60 + 12 * $0, y: 0, width: 260, height: 240) }
    var request = CropRequest()
    request.composition.layout = .heads()
    let made = try await Self.crops(of: Self.animation(frames), request: request, as: .webpLossless)
    let region = try #require(made.crops.first).region
    for frame in frames {
      let face = try #require(
        try await FaceCropper().detect(in: .bytes(PNGBuilder(frame).encoded()), findsHeads: true).faces.first)
      let head = try #require(face.head)
      #expect(Double(region.x) <= head.left.position * 260 + 1)
      #expect(Double(region.x + region.width) >= head.right.position * 260 - 1)
    }
  }

  /// A profile and a packet take far more time than a small frame. They are read once for all frames, crops, and sizes.
  @Test func profilesAndPacketsAreReadOnce() throws {
    let frames = try Self.frames()
    let profile = ICCBuilder.profile(.displayP3, padding: 50_000)
    let xmp = CreditBuilder.packet(
      properties: "<photoshop:Credit>Fixture</photoshop:Credit>" + String(repeating: " ", count: 50_000))
    let encoder = try Codecs.animationEncoder(
      for: EncoderInput(pixels: PixelBuffer(frames[0]), colorProfile: profile, xmp: xmp), as: .webpLossless, plays: 1,
      job: .forTests())
    for frame in frames { try encoder.add(PixelBuffer(frame), milliseconds: 40) }
    let file = try encoder.finish()
    let half = NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let plan = CropPlan(
      source: PixelSize(width: 260, height: 240), detector: "stub", faces: [],
      crops: [CropPlan.Crop(region: .whole, faces: []), CropPlan.Crop(region: half, faces: [])])
    let output = CropOutput(sizes: [.longSide(64), .longSide(32)], metadata: .keep)
    let cropper = FaceCropper(detector: StubDetector())
    var options = with(ImageRequestOptions()) {
      $0.crop = .faces(CropRequest(search: FaceSearch(animation: .keep))); $0.deliveryMode = .highQuality
    }
    options.encoding = ImageEncoding(.webpLossless)
    let request = ImageRequest(.bytes(file), options: options)
    var crops: [EncodedCrop] = []
    var (steps, managerSteps) = (0, 0)
    let job = Job.forTests()
    try Codecs.withSession(file.span, isFileMapping: false, allowsDamage: false, job: job) {
      (session) throws(FaceCropError) in
      let start = job.cancellation.steps
      let made = try cropper.animate(plan, session, output, .webpLossless, job) { crops.append($0) }
      if let last = made.last { crops.append(last) }
      steps = job.cancellation.steps - start
      let known = Detection(
        size: plan.source, orientation: .up, detector: "stub", faces: [], warnings: [], path: .sequential)
      _ = try cropper.answer(request, session, known: known, job)
      managerSteps = job.cancellation.steps - start - steps
    }
    #expect(crops.map(\.crop) == [0, 0, 1, 1])
    #expect(crops.allSatisfy { $0.frameCount == 6 && $0.xmp != nil })
    // Their bytes are counted.
    let once = profile.count + xmp.count
    #expect((once..<2 * once).contains(steps))
    #expect((profile.count..<2 * profile.count).contains(managerSteps))
  }

  @Test func otherFormatsAreRefused() async throws {
    let file = try Self.animation(Self.frames())
    for format in [OutputFormat.jpeg(quality: 80), .png, .tiff] {
      await #expect(throws: FaceCropError.noAnimation(in: format.imageFormat)) {
        try await Self.crops(of: file, as: format)
      }
    }
    // An image without frames gives one.
    let still = try encodePNG(Self.frames()[0])
    let made = try await Self.crops(of: still, as: .gif)
    #expect(made.crops.first?.frameCount == 1 && made.crops.first?.plays == 1)
  }

  /// All frames count, before any is decoded, and their memory is in the estimate.
  @Test func animationsAreLimitedAndEstimated() async throws {
    let file = try Self.animation(Self.frames())
    var limits = Limits()
    limits.animationPixels = 6 * 260 * 240 - 1
    let cropper = FaceCropper(limits: limits)
    await #expect(
      throws: FaceCropError.overLimit(.animationPixels, actual: 6 * 260 * 240, allowed: 6 * 260 * 240 - 1)
    ) { try await Self.crops(of: file, as: .gif, by: cropper) }
    // The first frame alone is not affected.
    _ = try await cropper.crop(.bytes(file))
    limits = Limits()
    limits.resultBytes = 1_000
    await #expect(throws: FaceCropError.self) {
      try await Self.crops(of: file, as: .gif, by: FaceCropper(limits: limits))
    }

    let info = try await FaceCropper().info(of: .bytes(file))
    #expect(info.isAnimated && info.frameCount == 6)
    var request = CropRequest()
    let first = info.memory(for: request, as: .webpLossless)
    request.search.animation = .best
    let best = info.memory(for: request, as: .webpLossless)
    request.search.animation = .keep
    let keep = info.memory(for: request, as: .webpLossless)
    #expect(best >= first + 16 * 260 * 240 && keep >= best + 6 * 260 * 240 * 4)
  }

  // MARK: The best frame

  /// A face at a fixed place, so that only the pixels decide.
  private static let face = Face(box: NormalizedRect(x: 0.3, y: 0.3, width: 0.4, height: 0.4), score: 0.9)

  /// Six frames, of which only the fourth is sharp.
  private static func blurred() -> [Pixels] {
    let sharp = Pixels.testPattern(width: 200, height: 200, seed: 3)
    let soft = sharp.averaged(by: 8).resizedBilinear(width: 200, height: 200)
    return (0..<6).map { index in index == 3 ? sharp : soft.addingNoise(amplitude: 1, seed: UInt64(index)) }
  }

  private static var best: CropRequest { CropRequest(search: FaceSearch(animation: .best)) }

  /// The plan has the frame, and its output is that of the frame as an image.
  @Test(arguments: [OutputFormat.webpLossless, .gif]) func theSharpestFrameIsTaken(format: OutputFormat) async throws {
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]))
    let file = try Self.animation(Self.blurred(), as: format)
    let result = try await cropper.crop(.bytes(file), request: Self.best)
    #expect(result.plan.animationFrame == 3)
    #expect(!result.warnings.contains(.firstFrameOnly))
    if format == .webpLossless {
      let still = try await cropper.crop(.bytes(encodePNG(Self.blurred()[3])))
      #expect(result.crops.map(\.pixels) == still.crops.map(\.pixels))
    }
    let text = try JSONEncoder().encode(result.plan)
    #expect(String(decoding: text, as: UTF8.self).contains("\"animationFrame\":3"))
    let plan = try JSONDecoder().decode(CropPlan.self, from: text)
    #expect(try await cropper.render(plan, from: .bytes(file)).crops.map(\.pixels) == result.crops.map(\.pixels))
    let detection = try await cropper.detect(in: .bytes(file), search: Self.best.search)
    #expect(detection.animationFrame == 3)
    // The first frame is the default, with a warning.
    let first = try await cropper.crop(.bytes(file))
    #expect(first.plan.animationFrame == 0 && first.warnings.first == .firstFrameOnly)
    #expect(try !String(decoding: JSONEncoder().encode(first.plan), as: UTF8.self).contains("animationFrame"))
  }

  /// Closed eyes lose, however sharp the face is. The mesh only chooses the frame.
  @Test func openEyesPrecedeSharpness() async throws {
    let frames = try [sleepingAstronaut(), softAstronaut(), sleepingAstronaut()]
    let file = try Self.animation(frames)
    let cropper = FaceCropper()
    let detection = try await cropper.detect(in: .bytes(file), search: Self.best.search)
    #expect(detection.animationFrame == 1)
    #expect(detection.faces.count == 1 && detection.faces.allSatisfy { isAstronaut($0) && $0.mesh == nil })
  }

  /// Plans of frames that an image lacks are refused.
  @Test func plansNeedTheirFrame() async throws {
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]))
    let file = try Self.animation(Self.blurred())
    let still = try encodePNG(Self.blurred()[0])
    var plan = try await cropper.plan(for: .bytes(file))
    for (source, frame) in [(file, 6), (file, -1), (still, 1)] {
      plan.animationFrame = frame
      await #expect(throws: FaceCropError.notAnimated(frame: frame)) {
        try await cropper.render(plan, from: .bytes(source))
      }
    }
    plan.animationFrame = 2
    await #expect(throws: FaceCropError.self) { try await Self.crops(of: file, plan: plan, as: .gif) }
  }

  /// Requests for the first and the best frame share no faces.
  @Test func imageManagersTakeTheBestFrame() async throws {
    var configuration = ImageManager.Configuration()
    configuration.detector = StubDetector(found: [Self.face])
    let manager = ImageManager(configuration: configuration)
    let asset = ImageAsset.bytes(try Self.animation(Self.blurred()))
    var views: [PixelView] = []
    for request in [CropRequest(), Self.best] {
      let options = with(ImageRequestOptions()) {
        $0.crop = .faces(request); $0.deliveryMode = .highQuality
      }
      views.append(
        try await manager.image(for: asset, targetSize: PixelSize(width: 64, height: 64), options: options).image)
    }
    #expect(views[0] != views[1])
  }

  /// The file of a request for all frames has them, with or without a cache, and other files have one.
  @Test func imageManagersKeepAllFrames() async throws {
    let frames = try Self.frames()
    var configuration = ImageManager.Configuration()
    configuration.detector = StubDetector(found: [Self.face])
    let managers: [any ImageRequesting] = [
      ImageManager(configuration: configuration),
      CachingImageManager(manager: ImageManager(configuration: configuration)),
    ]
    let asset = ImageAsset.bytes(try Self.animation(frames))
    let target = PixelSize(width: 64, height: 64)
    var request = CropRequest(search: FaceSearch(animation: .keep))
    request.output.sizes = [.longSide(64)]
    let made = try await Self.crops(
      of: Self.animation(frames), request: request, as: .webpLossless,
      by: FaceCropper(detector: StubDetector(found: [Self.face])))
    let wanted = try referenceDecodeWebPAnimation(try #require(made.crops.first).bytes)
    for manager in managers {
      var options = with(ImageRequestOptions()) {
        $0.crop = .faces(request); $0.deliveryMode = .highQuality
      }
      // Pixels of one frame may be cached, but answer no request for all.
      let still = try await manager.image(for: asset, targetSize: target, options: options)
      #expect(still.file == nil)
      for encoding in [
        ImageEncoding(.webpLossless), ImageEncoding(sourceFormatAmong: .jpeg(quality: 80), .gif, .webpLossless),
      ] {
        options.encoding = encoding
        let response = try await manager.image(for: asset, targetSize: target, options: options)
        let file = try #require(response.file)
        #expect(file.format == .webp && response.image.size.longSide == 64)
        let shown = try referenceDecodeWebPAnimation(file.bytes)
        #expect(shown.map(\.end) == wanted.map(\.end) && shown.last?.end == Self.delays.reduce(0, +))
        // Managers oversample less.
        for (own, other) in zip(shown, wanted) {
          #expect(own.pixels.meanDifference(from: other.pixels) < 2)
        }
      }
      options.encoding = ImageEncoding(.gif)
      let gif = try #require(try await manager.image(for: asset, targetSize: target, options: options).file)
      #expect(try await FaceCropper().info(of: .bytes(gif.bytes)).frameCount == 6)
      options.encoding = ImageEncoding(.jpeg(quality: 80))
      await #expect(throws: ImageRequestError.image(.noAnimation(in: .jpeg))) {
        try await manager.image(for: asset, targetSize: target, options: options)
      }
      let photo = try await manager.image(
        for: .bytes(encodePNG(frames[0])), targetSize: target, options: options)
      #expect(photo.file?.format == .jpeg)
    }
  }

  /// Requests for all frames stop between frames.
  @Test(.timeLimit(.minutes(1))) func imageManagersStopBetweenFrames() async throws {
    var configuration = ImageManager.Configuration()
    configuration.detector = StubDetector(found: [Self.face])
    let manager = ImageManager(configuration: configuration)
    var options = with(ImageRequestOptions()) {
      $0.crop = .faces(CropRequest(search: FaceSearch(animation: .keep))); $0.deliveryMode = .highQuality
    }
    options.encoding = ImageEncoding(.gif)
    let request = ImageRequest(.bytes(try Self.animation(Self.frames())), options: options)
    await #expect(throws: ImageRequestError.cancelled) {
      try await manager.response(
        to: request, events: RequestEvents(progress: { $0.phase == .render ? .stop : .goOn }))
    }
    // The slot is free as soon as the frame is.
    while manager.statistics.running > 0 { await Task.yield() }
  }

  /// Frames cost as much as images.
  @Test func framesCost() async throws {
    let info = try await FaceCropper().info(of: .bytes(Self.animation(Self.frames())))
    var request = CropRequest()
    #expect(info.cost(for: request) == info.cost)
    request.search.animation = .best
    #expect(info.cost(for: request) == 6 * info.cost)
    request.search.animation = .keep
    #expect(info.cost(for: request) == 12 * info.cost)
    // Each frame has its own cut-out, whatever its size.
    request.output.background = Background(.color(.white))
    #expect(info.cost(for: request) > 12 * info.cost + 6)
    request.output.background = nil
    let still = try await FaceCropper().info(of: .bytes(encodePNG(Self.frames()[0])))
    #expect(still.cost(for: request) == still.cost)
  }

  // MARK: Steady faces

  private static func detection(_ boxes: [NormalizedRect]) -> Detection {
    Detection(
      size: PixelSize(width: 200, height: 100), orientation: .up, detector: "",
      faces: boxes.map { Face(box: $0, score: 0.8) },
      warnings: [], path: .sequential)
  }

  /// A face is one if it moves by less than its height between frames, and rare faces do not count.
  @Test func steadyFacesContainAllPlaces() throws {
    let places = [0.2, 0.22, 0.25, 0.21].map { NormalizedRect(x: $0, y: 0.3, width: 0.1, height: 0.2) }
    var frames = places.map { Self.detection([$0]) }
    frames[2].faces.append(Face(box: NormalizedRect(x: 0.8, y: 0.1, width: 0.1, height: 0.2), score: 0.9))
    frames.insert(Self.detection([]), at: 0)
    let merged = try #require(SteadyFaces.merged(frames))
    #expect(merged.faces.count == 1)
    let box = merged.faces[0].box
    #expect(abs(box.x - 0.2) < 1e-9 && abs(box.maxX - 0.35) < 1e-9 && box.y == 0.3)
    // Two people stay two.
    let pair = (0..<4).map { index in
      Self.detection([
        NormalizedRect(x: 0.2 + 0.01 * Double(index), y: 0.3, width: 0.1, height: 0.2),
        NormalizedRect(x: 0.6, y: 0.3, width: 0.1, height: 0.2),
      ])
    }
    #expect(SteadyFaces.merged(pair)?.faces.count == 2)
    #expect(SteadyFaces.merged([Self.detection([])])?.faces.isEmpty == true)
  }

  @Test func framesAreSpread() {
    #expect(FaceCropper.spread(8, over: 3) == [0, 1, 2])
    #expect(FaceCropper.spread(4, over: 100) == [0, 33, 66, 99])
  }
}
