import Glibc
import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Whole images with hidden faces from an image manager.
@Suite(.serialized, .endsIfItHangs) struct ManagedBlurTests {
  /// A detector that finds the face once it is opened.
  private final class GatedDetector: TestDetector, Sendable {
    let name = "gated"
    private let isOpen = Mutex(false)
    private let begun = Mutex(0)

    var passes: Int { begun.withLock { $0 } }

    func open() { isOpen.withLock { $0 = true } }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
      begun.withLock { $0 += 1 }
      while !isOpen.withLock({ $0 }) { usleep(1_000) }
      return [ImageManagerTests.face]
    }
  }

  private static let doubtful = Face(box: NormalizedRect(x: 0.1, y: 0.6, width: 0.15, height: 0.2), score: 0.5)
  private static let detector = StubDetector(found: [ImageManagerTests.face, doubtful])

  private static func manager(
    _ detector: any FaceDetector = detector, _ change: (inout ImageManager.Configuration) -> Void = { _ in }
  ) -> ImageManager {
    var configuration = with(ImageManager.Configuration()) { $0.detector = detector }
    // Sanitizers are slow.
    configuration.limits.time = .seconds(3_600)
    // The detector would find its faces in each tile.
    configuration.limits.tiles = 1
    change(&configuration)
    return ImageManager(configuration: configuration)
  }

  private static func jpeg(_ recipe: JPEGRecipe = .baseline420) throws -> [UInt8] {
    try recipe.encode(.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5))
  }

  private static func png() -> [UInt8] {
    PNGBuilder(.testPattern(width: 331, height: 250, channels: 3, seed: 5)).encoded()
  }

  // MARK: Results

  private static let requests = [
    BlurRequest(), BlurRequest(mode: .pixelate, shape: .box, margin: 0.5), BlurRequest(faces: .only([2])),
    BlurRequest(mode: .solid, faces: .except([1, 7]), metadata: .strip),
    BlurRequest(smallestFace: .fraction(0.25)),
  ]

  /// The manager and the cropper make the same bytes, for each kind of file, also from the faces of an earlier request.
  @Test(arguments: ["4:2:0", "progressive", "CMYK", "png"]) func bytesAreThoseOfTheCropper(name: String) async throws {
    let recipes: [String: JPEGRecipe] = [
      "4:2:0": .baseline420, "progressive": .progressive, "CMYK": JPEGRecipe(color: .cmyk),
    ]
    let bytes = try recipes[name].map { try Self.jpeg($0) } ?? Self.png()
    let manager = Self.manager()
    for request in Self.requests {
      for format in [nil, OutputFormat.jpeg(quality: 60), .png, .webp(quality: 70)] {
        let made = try await manager.blurredImage(
          for: .bytes(bytes), blur: request, keepsBlocks: format == nil,
          options: with(ImageRequestOptions()) { $0.encoding = format.map { ImageEncoding($0) } })
        let wanted = try await FaceCropper(detector: Self.detector, limits: with(Limits()) { $0.tiles = 1 }).blur(
          .bytes(bytes), request: request, as: format)
        let isSame = made == wanted
        #expect(isSame, "\(request) \(String(describing: format))")
      }
    }
    #expect(manager.statistics.detections == 1, "all requests share the search")
    #expect(manager.statistics.decodes == manager.statistics.requests)
  }

  /// A JPEG is encoded again only if it becomes another format, or has to.
  @Test func blocksAreKeptUnlessTheFormatChanges() async throws {
    let (jpeg, png) = (ImageAsset.bytes(try Self.jpeg()), ImageAsset.bytes(Self.png()))
    let ways = ImageEncoding(sourceFormatAmong: .jpeg(quality: 85), .webp(quality: 85))
    func result(_ asset: ImageAsset, _ encoding: ImageEncoding?, keeps: Bool = true) async throws -> String {
      let image = try await Self.manager().blurredImage(
        for: asset, keepsBlocks: keeps, options: with(ImageRequestOptions()) { $0.encoding = encoding })
      return "\(image.format.rawValue)\(image.keepsBlocks ? " kept" : "")"
    }
    #expect(try await result(jpeg, nil) == "jpeg kept")
    #expect(try await result(jpeg, ways) == "jpeg kept")
    #expect(try await result(jpeg, ways, keeps: false) == "jpeg")
    #expect(try await result(jpeg, nil, keeps: false) == "jpeg")
    #expect(try await result(jpeg, ImageEncoding(.webp(quality: 85))) == "webp")
    #expect(try await result(png, nil) == "png")
    #expect(try await result(png, ways) == "jpeg")
  }

  @Test func doubtsAreReported() async throws {
    let image = try await Self.manager().blurredImage(
      for: .bytes(Self.png()), blur: BlurRequest(faces: .except([7])))
    #expect(image.doubtfulFaces == [2] && image.plan.crops.count == 2)
    #expect(image.warnings.contains(.doubtfulFaces([2])) && image.warnings.contains(.missingFaces([7])))
  }

  // MARK: Sharing

  /// A search for faces to hide finds more than that of a crop, so neither has the faces of the other.
  @Test func cropsHaveTheirOwnSearch() async throws {
    let manager = Self.manager()
    let asset = ImageAsset.bytes(try Self.jpeg())
    let options = ImageManagerTests.options { $0.crop = .faces(CropRequest(composition: Composition(.faces()))) }
    _ = try await manager.blurredImage(for: asset)
    _ = try await manager.image(for: asset, options: options)
    #expect(manager.statistics.detections == 2)
  }

  @Test func equalRequestsAreOneDecode() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector)
    let asset = ImageAsset.bytes(try Self.jpeg())
    let tasks = (0..<5).map { number in
      Task {
        try await manager.blurredImage(
          for: asset, blur: BlurRequest(mode: number == 4 ? .solid : .blur))
      }
    }
    try await eventually { manager.statistics.requests == 5 && detector.passes > 0 }
    #expect(manager.runningWork >= 2)
    detector.open()
    var images: [BlurredImage] = []
    for task in tasks { images.append(try await task.value) }
    #expect(manager.statistics.shared == 3 && manager.statistics.decodes == 2 && manager.statistics.detections == 1)
    let areShared = images[0] == images[3] && images[0].bytes != images[4].bytes
    #expect(areShared)
    #expect(manager.runningWork == 0)
  }

  @Test func cancelledRequestsLeaveNothing() async throws {
    let detector = GatedDetector()
    let manager = Self.manager(detector)
    let asset = ImageAsset.bytes(try Self.jpeg())
    let task = Task { try await manager.blurredImage(for: asset) }
    try await eventually { detector.passes > 0 }
    task.cancel()
    await #expect(throws: ImageRequestError.image(.cancelled)) { try await task.value }
    detector.open()
    try await eventually { manager.statistics.running == 0 && manager.statistics.reservedBytes == 0 }
    #expect(manager.runningWork == 0 && manager.statistics.cancelledDecodes == 1)
    await #expect(throws: ImageRequestError.image(.cancelled)) {
      try await manager.blurredImage(for: asset) { _ in .stop }
    }
  }

  // MARK: Limits

  /// A request is admitted by the memory that hiding may take, in the format that it becomes.
  @Test func memoryIsThatOfBlur() async throws {
    let kinds: [([UInt8], ImageEncoding?)] = [
      (try Self.jpeg(), nil), (try Self.jpeg(.progressive), nil), (try Self.jpeg(), ImageEncoding(.avif(quality: 85))),
      (Self.png(), nil), (Self.png(), ImageEncoding(.webpLossless)),
    ]
    for (bytes, encoding) in kinds {
      let info = try await FaceCropper(limits: with(Limits()) { $0.tiles = 1 }).info(of: .bytes(bytes))
      let needed = info.memory(for: BlurRequest(), as: encoding?.formats[0])
      let budget = needed - 1
      await #expect(throws: ImageRequestError.overBudget(needed: needed, budget: budget)) {
        try await Self.manager { $0.memoryBudget = budget }.blurredImage(
          for: .bytes(bytes), options: with(ImageRequestOptions()) { $0.encoding = encoding })
      }
    }
  }

  /// Hiding reads the whole image, so it is expensive earlier than a crop.
  @Test func largeImagesLeaveAPlace() async throws {
    // The header of a JPEG with 40 megapixels, in front of the data of a small one.
    var large = try Self.jpeg()
    let frame = try #require(large.indices.first { large[$0] == 0xFF && large[$0 + 1] == 0xC0 })
    large.replaceSubrange(frame + 5..<frame + 9, with: [0x13, 0x88, 0x1F, 0x40])
    for (bytes, isExpensive) in [(large, true), (try Self.jpeg(), false)] {
      let info = try await FaceCropper().info(of: .bytes(bytes))
      let key = BlurKey(
        asset: AssetVersion(id: ImageAsset.bytes(bytes).id), blur: BlurRequest(), encoding: nil,
        keepsBlocks: true)
      #expect(key.demand(of: info).isExpensive == isExpensive)
      #expect(try ImageRequest(.bytes(bytes)).demand(of: info).isExpensive == false)
    }
  }

  @Test func deadlinesEndRequests() async throws {
    let detector = GatedDetector()
    let asset = ImageAsset.bytes(try Self.jpeg())
    for own in [nil, Duration.milliseconds(50)] {
      let manager = Self.manager(detector) { $0.deadline = own == nil ? .milliseconds(50) : .seconds(3_600) }
      await #expect(throws: ImageRequestError.deadlineExceeded) {
        try await manager.blurredImage(for: asset, options: with(ImageRequestOptions()) { $0.deadline = own })
      }
    }
    detector.open()
  }

  /// NaN does not equal itself, so it is refused before the request is a key.
  @Test func wrongNumbersAreRefused() async throws {
    let manager = Self.manager()
    for blur in [
      BlurRequest(margin: .nan), BlurRequest(margin: 3), BlurRequest(faces: .only([0])),
      BlurRequest(smallestFace: .fraction(.nan)),
    ] {
      let error = await #expect(throws: ImageRequestError.self) {
        try await manager.blurredImage(for: .file("/none"), blur: blur)
      }
      #expect(error?.isOfRequest == true)
    }
    #expect(manager.statistics.decodes == 0)
  }

  @Test func remoteImagesNeedPermission() async throws {
    struct Loader: AssetLoader {
      func load(
        _ id: ImageAsset.ID, atMost limit: Int, progress: @escaping @Sendable (Int, Int?) -> Void
      ) async throws -> [UInt8] { try ManagedBlurTests.jpeg() }
    }
    let manager = Self.manager { $0.loader = Loader() }
    let asset = ImageAsset.remote(ImageAsset.ID(rawValue: "a"))
    await #expect(throws: ImageRequestError.networkAccessNotAllowed) {
      try await manager.blurredImage(for: asset)
    }
    let image = try await manager.blurredImage(
      for: asset, options: with(ImageRequestOptions()) { $0.isNetworkAccessAllowed = true })
    #expect(image.keepsBlocks)
  }
}
