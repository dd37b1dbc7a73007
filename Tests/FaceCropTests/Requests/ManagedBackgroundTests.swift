import TestSupport
import Testing

@testable import FaceCrop

/// New backgrounds in the responses of an image manager, on portraits.
struct ManagedBackgroundTests {
  private static func options(
    _ background: Background, padding: Double = 1, _ change: (inout ImageRequestOptions) -> Void = { _ in }
  ) -> ImageRequestOptions {
    ImageManagerTests.options {
      $0.crop = .faces(
        CropRequest(
          search: FaceSearch(faces: .largest), composition: Composition(.faces(padding: Padding(padding))),
          output: CropOutput(background: background)))
      change(&$0)
    }
  }

  private static func portrait() throws -> ImageAsset { .bytes(try fixtureBytes("astronaut.jpg")) }

  private static func corner(_ response: ImageResponse) -> [UInt8] { Pixels(response.image.buffer())[0, 0] }

  /// The manager and the cropper make the same pixels.
  @Test(arguments: [Background.Fill.color(BackgroundColor(red: 9, green: 8, blue: 7)), .transparent, .blur(0.05)])
  func pixelsAreThoseOfTheCropper(fill: Background.Fill) async throws {
    let options = Self.options(Background(fill))
    guard case .faces(let request) = options.crop else { return }
    let response = try await ImageManager().image(for: Self.portrait(), options: options)
    let crop = try await FaceCropper().crop(.bytes(fixtureBytes("astronaut.jpg")), request: request).crops[0]
    #expect(response.image.buffer() == crop.pixels)
    #expect(response.warnings == [])
  }

  /// Previews are in front of the same background, and an image behind them is decoded once.
  @Test func previewsHaveIt() async throws {
    let image = BackgroundImage(
      bytes: PNGBuilder(Pixels(width: 30, height: 10, channels: 3, samples: Array(repeating: 77, count: 900)))
        .encoded(), memory: 1 << 20)
    let asset = ImageAsset.bytes(try JPEGRecipe.baseline444.encode(largePortrait(width: 2_000, height: 1_500)))
    var responses: [ImageResponse] = []
    for try await response in ImageManager().images(
      for: asset, options: Self.options(Background(.image(image)), padding: 0.5))
    { responses.append(response) }
    #expect(responses.map(\.isDegraded) == [true, false])
    #expect(responses.map(Self.corner) == [[77, 77, 77], [77, 77, 77]])
  }

  /// The memory of a cut-out follows from the target, so the codec's next larger size is resized to it.
  @Test(arguments: [DeliveryMode.fast, .highQuality], [ResizeMode.fast, .exact])
  func fastIsExact(delivery: DeliveryMode, mode: ResizeMode) async throws {
    let asset = ImageAsset.bytes(try JPEGRecipe.baseline444.encode(largePortrait(width: 1_200, height: 1_200)))
    let options = Self.options(Background(.color(.white)), padding: 0) {
      ($0.deliveryMode, $0.resizeMode) = (delivery, mode)
    }
    let response = try await ImageManager().image(
      for: asset, targetSize: PixelSize(width: 100, height: 100), options: options)
    #expect(response.image.size.longSide == 100)
  }

  /// Noise is no person.
  @Test func anUnsureCutoutIsAWarningOrAnError() async throws {
    let asset = ImageAsset.bytes(PNGBuilder(Pixels.noise(width: 800, height: 800)).encoded())
    let face = Face(box: NormalizedRect(x: 0.45, y: 0.45, width: 0.05, height: 0.05), score: 1)
    let manager = ImageManagerTests.manager(StubDetector(found: [face]))
    let response = try await manager.image(for: asset, options: Self.options(Background(.color(.white)), padding: 5))
    #expect(response.warnings.map(\.kind) == ["cutout"])
    let error = await #expect(throws: ImageRequestError.self) {
      try await manager.image(
        for: asset, options: Self.options(Background(.color(.white), failsIfUnsure: true), padding: 5))
    }
    guard case .image(.unsureCutout) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// The memory for a background image decides whether a request is admitted.
  @Test func backgroundsCountInTheBudget() async throws {
    let image = BackgroundImage(bytes: [], memory: 600 << 20)
    let error = await #expect(throws: ImageRequestError.self) {
      try await ImageManager().image(for: Self.portrait(), options: Self.options(Background(.image(image))))
    }
    guard case .overBudget = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// Outputs of all sizes and shapes come from one decoded image: later calls do not read the file.
  @Test func aBackgroundImageIsDecodedOnce() throws {
    let job = Job(limits: Limits(), cancellation: Cancellation(), progress: nil)
    let pattern = Pixels.testPattern(width: 640, height: 480)
    let image = BackgroundImage(bytes: PNGBuilder(pattern).encoded(), memory: 1 << 20)
    let unreadable = BackgroundImage(bytes: [], memory: 1 << 20)
    for sides in [[(512, 512), (128, 128)], [(80, 100), (400, 500), (40, 50)], [(300, 100), (100, 300), (640, 480)]] {
      let sizes = sides.map { PixelSize(width: $0.0, height: $0.1) }
      let decoder = BackgroundDecoder(for: sizes)
      _ = try decoder.picture(of: image, covering: sizes[0], job)
      for size in sizes {
        let shared = try decoder.picture(of: unreadable, covering: size, job)
        let alone = try BackgroundDecoder(for: []).picture(of: image, covering: size, job)
        #expect(shared.size == size)
        #expect(Pixels(shared).meanDifference(from: Pixels(alone)) < 3, "\(size)")
      }
    }
  }

  /// Shapes that differ widely need no more than the image has.
  @Test func aSharedBackgroundImageIsNotEnlarged() throws {
    let job = Job(
      limits: with(Limits()) { $0.regionBytes = 1 << 20 }, cancellation: Cancellation(), progress: nil)
    let image = BackgroundImage(
      bytes: PNGBuilder(Pixels.testPattern(width: 100, height: 100)).encoded(), memory: 1 << 20)
    let sizes = [PixelSize(width: 2_000, height: 20), PixelSize(width: 20, height: 2_000)]
    let decoder = BackgroundDecoder(for: sizes)
    for size in sizes { #expect(try decoder.picture(of: image, covering: size, job).size == size) }
  }
}
