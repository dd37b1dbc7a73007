import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// The promises of the Photos API, one by one, with small real files.
struct ImageManagerTests {
  static func jpeg(_ width: Int = 1_600, _ height: Int = 1_200, orientation: UInt16 = 1) throws -> [UInt8] {
    try JPEGRecipe.baseline420.with {
      if orientation != 1 { $0.segments = [.exif(EXIFBuilder.tiff(orientation: orientation))] }
    }.encode(Pixels.testPattern(width: width, height: height))
  }

  static func manager(_ detector: any FaceDetector = StubDetector()) -> ImageManager {
    var configuration = ImageManager.Configuration()
    configuration.detector = detector
    // Sanitizers are slow.
    configuration.limits.time = .seconds(3_600)
    return ImageManager(configuration: configuration)
  }

  static func options(_ change: (inout ImageRequestOptions) -> Void) -> ImageRequestOptions {
    var options = ImageRequestOptions()
    change(&options)
    return options
  }

  static let face = Face(
    box: NormalizedRect(x: 0.4, y: 0.3, width: 0.2, height: 0.3), score: 0.9, landmarks: nil)

  // MARK: The same as FaceCropper

  /// A response has the warnings of a crop, and a minimum of the sides counts.
  @Test func warningsAreThoseOfACrop() async throws {
    let faces = [0.1, 0.6].map {
      Face(box: NormalizedRect(x: $0, y: 0.02, width: 0.2, height: 0.3), score: 0.9, landmarks: nil)
    }
    let detector = StubDetector(found: faces)
    var request = CropRequest(composition: Composition(.framing(.avatar)))
    request.output.sizes = [.exact(width: 3_000, height: 3_000)]
    let file = try Self.jpeg()
    let crop = try await FaceCropper(detector: detector).crop(.bytes(file), request: request)
    #expect(Set(crop.warnings.map(\.kind)).isSuperset(of: ["frame", "smaller"]))
    func options(_ request: CropRequest) -> ImageRequestOptions {
      Self.options {
        $0.crop = .faces(request)
        $0.isCutToTarget = true
      }
    }
    let response = try await Self.manager(detector).image(
      for: .bytes(file), targetSize: PixelSize(width: 3_000, height: 3_000), contentMode: .aspectFill,
      options: options(request))
    #expect(response.image.size == crop.crops[0].pixels.size)
    #expect(Set(response.warnings) == Set(crop.warnings))
    request.output.smallestSide = response.image.size.longSide + 1
    let error = await #expect(throws: ImageRequestError.self) {
      try await Self.manager(detector).image(
        for: .bytes(file), targetSize: PixelSize(width: 3_000, height: 3_000), contentMode: .aspectFill,
        options: options(request))
    }
    #expect(error?.kind == "too-small")
  }

  /// Without resizing, a cut gives the target's shape and keeps the resolution.
  @Test(arguments: [ResizeMode.none, .fast, .exact]) func cutsHaveTheShapeOfTheTarget(mode: ResizeMode) async throws {
    let options = Self.options {
      $0.resizeMode = mode
      $0.isCutToTarget = true
      $0.deliveryMode = .highQuality
    }
    let response = try await Self.manager().image(
      for: .bytes(Self.jpeg()), targetSize: PixelSize(width: 100, height: 50), contentMode: .aspectFill,
      options: options)
    #expect(response.region == NormalizedRect(x: 0, y: 1.0 / 6, width: 1, height: 2.0 / 3))
    let size = response.image.size
    #expect(size.width == 2 * size.height && (mode == .exact ? size.width == 100 : size.width > 100))
    if mode == .none { #expect(size == PixelSize(width: 1_600, height: 800)) }
  }

  /// The plan of a response gives its image again.
  @Test func plansGiveTheSameImage() async throws {
    let (detector, file) = (StubDetector(found: [Self.face]), try Self.jpeg())
    let response = try await Self.manager(detector).image(
      for: .bytes(file), targetSize: PixelSize(width: 100, height: 50), contentMode: .aspectFill,
      options: Self.options {
        $0.crop = .faces(framing: .avatar)
        $0.resizeMode = .none
        $0.isCutToTarget = true
      })
    let plan = response.plan
    #expect(plan.crops.count == 1 && plan.crops[0].faces == [0] && plan.detector == detector.name)
    let again = try await FaceCropper(detector: detector).render(plan, from: .bytes(file))
    #expect(again.crops.map(\.pixels) == [response.image.buffer()])
  }

  @Test func templatesAreNotCut() async throws {
    let face = LevelingTests.face(
      PixelRect(x: 700, y: 400, width: 300, height: 300), leaning: 5, in: PixelSize(width: 1_600, height: 1_200))
    var request = CropRequest()
    request.search.faces = .largest
    request.composition.layout = .template(.arcFace112)
    let response = try await Self.manager(StubDetector(found: [face])).image(
      for: .bytes(Self.jpeg()), targetSize: PixelSize(width: 112, height: 50), contentMode: .aspectFill,
      options: Self.options {
        $0.crop = .faces(request)
        $0.isCutToTarget = true
      })
    #expect(response.image.size.width == response.image.size.height)
  }

  // MARK: Sizes

  @Test(arguments: [
    (PixelSize(width: 400, height: 400), ContentMode.aspectFit, PixelSize(width: 400, height: 300)),
    (PixelSize(width: 400, height: 400), .aspectFill, PixelSize(width: 533, height: 400)),
    (PixelSize(width: 1_000, height: 150), .aspectFit, PixelSize(width: 200, height: 150)),
    (.maximum, .aspectFit, PixelSize(width: 1_600, height: 1_200)),
    (.maximum, .aspectFill, PixelSize(width: 1_600, height: 1_200)),
    (PixelSize(width: 9_000, height: 9_000), .aspectFit, PixelSize(width: 1_600, height: 1_200)),
  ])
  func targetSizes(target: PixelSize, mode: ContentMode, size: PixelSize) async throws {
    let response = try await Self.manager().image(for: .bytes(Self.jpeg()), targetSize: target, contentMode: mode)
    #expect(response.image.size == size)
    #expect(!response.isDegraded)
    #expect(response.sourceSize == PixelSize(width: 1_600, height: 1_200))
    let larger = PixelSize(width: 9_000, height: 6_750)
    #expect(response.warnings == (target.width == 9_000 ? [.smaller(requested: larger, actual: size)] : []))
  }

  /// A target size is requested, unless no output can have it; without resizing, it does not count.
  @Test(
    arguments: [
      (PixelSize(width: 256, height: 256), .aspectFit, PixelSize(width: 256, height: 192)),
      (PixelSize(width: 256, height: 256), .aspectFill, PixelSize(width: 341, height: 256)),
      (PixelSize(width: 320, height: .max), .aspectFit, PixelSize(width: 320, height: 240)),
      (PixelSize(width: 65_535, height: 65_535), .aspectFit, PixelSize(width: 65_535, height: 49_151)),
      (PixelSize(width: 65_536, height: 65_536), .aspectFit, nil),
      (PixelSize(width: 320, height: .max), .aspectFill, nil), (PixelSize(width: 160, height: 999), .aspectFit, nil),
      (.maximum, .aspectFit, nil), (.maximum, .aspectFill, nil),
    ] as [(PixelSize, ContentMode, PixelSize?)])
  func smallerOutputsAreTold(target: PixelSize, mode: ContentMode, requested: PixelSize?) async throws {
    let asset = ImageAsset.bytes(try Self.jpeg(160, 120))
    let made = PixelSize(width: 160, height: 120)
    let wanted: [CropWarning] = requested.map { [.smaller(requested: $0, actual: made)] } ?? []
    for resizing in [ResizeMode.exact, .fast, .none] {
      let options = Self.options { $0.resizeMode = resizing }
      let response = try await Self.manager().image(for: asset, targetSize: target, contentMode: mode, options: options)
      #expect(response.image.size == made && response.warnings == (resizing == .none ? [] : wanted))
    }
    guard let requested, requested.width < 1_000 else { return }
    let enlarged = try await Self.manager().image(
      for: asset, targetSize: target, contentMode: mode,
      options: Self.options { $0.allowsUpscaling = target.height < .max })
    #expect(enlarged.warnings == (target.height < .max ? [] : wanted))
  }

  /// A face crop without a cut to the target has the warning of a crop with this longer side.
  @Test func aSmallFaceCropIsToldAsByTheCropper() async throws {
    let (detector, file) = (StubDetector(found: [Self.face]), try Self.jpeg(160, 120))
    guard case .faces(var request) = ImageCrop.faces(framing: .avatar) else { return }
    request.output.sizes = [.longSide(256)]
    let crop = try await FaceCropper(detector: detector).crop(.bytes(file), request: request)
    let response = try await Self.manager(detector).image(
      for: .bytes(file), targetSize: PixelSize(width: 256, height: 256),
      options: Self.options { $0.crop = .faces(framing: .avatar) })
    #expect(crop.warnings.contains { $0.kind == "smaller" })
    #expect(Set(response.warnings) == Set(crop.warnings))
  }

  @Test(arguments: [
    (PixelSize(width: 400, height: 400), ContentMode.aspectFit, PixelSize(width: 400, height: 300)),
    (PixelSize(width: 400, height: 400), .aspectFill, PixelSize(width: 533, height: 400)),
    (PixelSize(width: 40, height: 40), .aspectFill, PixelSize(width: 53, height: 40)),
    (.maximum, .aspectFit, PixelSize(width: 160, height: 120)),
  ])
  func enlarged(target: PixelSize, mode: ContentMode, size: PixelSize) async throws {
    let (manager, asset) = (Self.manager(), ImageAsset.bytes(try Self.jpeg(160, 120)))
    let options = Self.options { $0.allowsUpscaling = true }
    let response = try await manager.image(for: asset, targetSize: target, contentMode: mode, options: options)
    #expect(response.image.size == size)
    // A request without it is another request.
    let own = try await manager.image(for: asset, targetSize: target, contentMode: mode)
    #expect(own.image.size.width <= 160)
  }

  @Test(arguments: [
    (PixelSize(width: 65_536, height: 1), ContentMode.aspectFit),
    (PixelSize(width: 65_535, height: 65_535), .aspectFill),
    (PixelSize(width: .max, height: 5), .aspectFill),
  ])
  func enlargingHasAnEnd(target: PixelSize, mode: ContentMode) async throws {
    let error = await #expect(throws: ImageRequestError.self) {
      try await Self.manager().image(
        for: .bytes(Self.jpeg(160, 120)), targetSize: target, contentMode: mode,
        options: Self.options { $0.allowsUpscaling = true })
    }
    #expect(error?.isOfRequest == true)
  }

  @Test func resizeModes() async throws {
    let asset = ImageAsset.bytes(try Self.jpeg())
    let target = PixelSize(width: 500, height: 500)
    func size(_ mode: ResizeMode) async throws -> PixelSize {
      try await Self.manager().image(for: asset, targetSize: target, options: Self.options { $0.resizeMode = mode })
        .image.size
    }
    #expect(try await size(.none) == PixelSize(width: 1_600, height: 1_200))
    // Half the image: three eighths would suffice, but libjpeg-turbo has no fast code for them.
    #expect(try await size(.fast) == PixelSize(width: 800, height: 600))
    #expect(try await size(.exact) == PixelSize(width: 500, height: 375))
  }

  @Test func orientationIsAppliedUnlessTheOriginalIsWanted() async throws {
    let asset = ImageAsset.bytes(try Self.jpeg(640, 480, orientation: 6))
    let manager = Self.manager()
    let current = try await manager.image(for: asset)
    let original = try await manager.image(for: asset, options: Self.options { $0.version = .original })
    #expect(current.image.size == PixelSize(width: 480, height: 640))
    #expect(original.image.size == PixelSize(width: 640, height: 480))
    #expect(original.image.buffer().upright(.right) == current.image.buffer())
    #expect(ImageVersion.unadjusted == .original)
  }

  @Test func normalizedCropRect() async throws {
    let jpeg = try Self.jpeg(640, 480, orientation: 6)
    let rect = NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
    let response = try await Self.manager().image(
      for: .bytes(jpeg), options: Self.options { $0.crop = .normalizedCropRect(rect) })
    let whole = Pixels(try await Self.manager().image(for: .bytes(jpeg)).image.buffer())
    #expect(Pixels(response.image.buffer()) == whole.cropped(x: 120, y: 320, width: 240, height: 160))
    #expect(response.region == rect)
    let outside = NormalizedRect(x: 0.9, y: 0, width: 0.5, height: 1)
    let error = await #expect(throws: ImageRequestError.self) {
      try await Self.manager().image(
        for: .bytes(jpeg), options: Self.options { $0.crop = .normalizedCropRect(outside) })
    }
    guard case .image(let fault)? = error else { Issue.record("\(error as Any)"); return }
    #expect(fault.kind == "invalid" && "\(fault)".contains("rectangle"))
  }

  // MARK: Faces

  @Test func aSecondSizeNeedsNoSecondLook() async throws {
    let manager = Self.manager(StubDetector(found: [Self.face]))
    let asset = ImageAsset.bytes(try Self.jpeg())
    let options = Self.options { $0.crop = .faces(framing: .avatar) }
    let large = try await manager.image(for: asset, targetSize: PixelSize(width: 300, height: 300), options: options)
    let small = try await manager.image(for: asset, targetSize: PixelSize(width: 64, height: 64), options: options)
    #expect(large.faces.map(\.box) == [Self.face.box] && small.faces == large.faces)
    #expect(large.region == small.region && large.region != .whole)
    #expect(large.image.size == PixelSize(width: 300, height: 300) && small.image.size.width == 64)
    let portrait = try await manager.image(for: asset, options: Self.options { $0.crop = .faces(framing: .portrait) })
    #expect(portrait.region.area > large.region.area)
    #expect(manager.statistics.detections == 1)
    #expect(manager.statistics.decodes == 3)
    // A framing that needs more exact heads detects again.
    let tight = try await manager.image(for: asset, options: Self.options { $0.crop = .faces(framing: .tight) })
    #expect(tight.region.area < large.region.area)
    #expect(manager.statistics.detections == 2)
  }

  /// A detection pass without attention does not serve a request that needs it.
  @Test func aLookThatKnowsLessIsDoneAgain() async throws {
    let manager = Self.manager()
    let asset = ImageAsset.bytes(try Self.jpeg())
    for policy in [NoFacePolicy.center, .attention, .attention, .center] {
      _ = try await manager.image(
        for: asset, options: Self.options { $0.crop = .faces(framing: .avatar, noFace: policy) })
    }
    #expect(manager.statistics.detections == 2)
  }

  /// A rotated image's faces are elsewhere in the stored image.
  @Test func aLookAtTheOriginalIsNoLookAtThePicture() async throws {
    let asset = ImageAsset.bytes(try Self.jpeg(640, 480, orientation: 6))
    let manager = Self.manager(StubDetector(found: [Self.face]))
    for (version, size) in [
      (ImageVersion.original, PixelSize(width: 640, height: 480)), (.current, PixelSize(width: 480, height: 640)),
    ] {
      let options = Self.options {
        $0.crop = .faces(framing: .avatar)
        $0.version = version
      }
      let answer = try await manager.image(for: asset, options: options)
      let alone = try await Self.manager(StubDetector(found: [Self.face])).image(for: asset, options: options)
      #expect(answer == alone && answer.sourceSize == size)
    }
    #expect(manager.statistics.detections == 2)
  }

  /// Every request sees the same faces. Heads are found only for the wanted faces, once for each choice and accuracy, and
  /// for documents by the mesh.
  @Test func everyRequestSeesTheSameFaces() async throws {
    let small = Face(box: NormalizedRect(x: 0.1, y: 0.1, width: 0.1, height: 0.1), score: 0.9)
    let manager = Self.manager(StubDetector(found: [Self.face, small]))
    let asset = ImageAsset.bytes(try Self.jpeg())
    for (selection, framing) in [
      (FaceSelection.largest, Framing.avatar), (.union, .avatar), (.largest, .passport), (.largest, .tight),
    ] {
      let answer = try await manager.image(
        for: asset, options: Self.options { $0.crop = .faces(framing: framing, selection: selection) })
      #expect(answer.faces.map(\.box) == [Self.face.box, small.box])
    }
    #expect(manager.statistics.detections == 4)
  }

  @Test func noFaceIsAnErrorWhereItIsWanted() async throws {
    let asset = ImageAsset.bytes(try Self.jpeg())
    for policy in [NoFacePolicy.fail, .skip] {
      await #expect(throws: ImageRequestError.image(.noFace)) {
        try await Self.manager().image(
          for: asset, options: Self.options { $0.crop = .faces(framing: nil, noFace: policy) })
      }
    }
  }

  // MARK: Delivery

  @Test func opportunisticGivesADegradedPictureFirst() async throws {
    let manager = Self.manager()
    let asset = ImageAsset.bytes(try Self.jpeg())
    var pictures: [ImageResponse] = []
    for try await picture in manager.images(for: asset) { pictures.append(picture) }
    #expect(pictures.map(\.isDegraded) == [true, false])
    #expect(pictures[0].image.size.longSide < pictures[1].image.size.longSide)
    #expect(pictures[0].region == pictures[1].region)
    // The small one would not be faster.
    pictures = []
    for try await picture in manager.images(for: asset, targetSize: PixelSize(width: 100, height: 100)) {
      pictures.append(picture)
    }
    #expect(pictures.map(\.isDegraded) == [false])
    pictures = []
    for try await picture in manager.images(for: asset, options: Self.options { $0.deliveryMode = .highQuality }) {
      pictures.append(picture)
    }
    #expect(pictures.map(\.isDegraded) == [false])
  }

  @Test func degradedFaceCropShowsTheSameRegion() async throws {
    let manager = Self.manager(StubDetector(found: [Self.face]))
    var pictures: [ImageResponse] = []
    let options = Self.options { $0.crop = .faces(framing: .portrait) }
    for try await picture in manager.images(for: .bytes(try Self.jpeg()), options: options) { pictures.append(picture) }
    #expect(pictures.map(\.isDegraded) == [true, false])
    #expect(pictures[0].region == pictures[1].region)
    #expect(manager.statistics.detections == 1)
  }

  /// The overview of the detection pass exists anyway, so that a small crop has a preview, too.
  @Test func smallFaceCropsHaveAPreview() async throws {
    let manager = Self.manager(StubDetector(found: [Self.face]))
    let gray = try JPEGRecipe.gray.encode(.testPattern(width: 1_600, height: 1_200, channels: 1))
    for (number, target) in [60, 400].enumerated() {
      var pictures: [ImageResponse] = []
      let options = Self.options { $0.crop = .faces(framing: .avatar) }
      let stream = manager.images(
        for: .bytes(gray, id: ImageAsset.ID(rawValue: "\(number)")),
        targetSize: PixelSize(width: target, height: target), options: options)
      for try await picture in stream { pictures.append(picture) }
      #expect(pictures.map(\.isDegraded) == [true, false])
      #expect(pictures[0].region == pictures[1].region && pictures[1].image.size.width == target)
      #expect(pictures[0].image.size.longSide <= target)
    }
    #expect(manager.statistics.detections == 2)
  }

  @Test func fastTakesAPreviewThatAgrees() async throws {
    func answer(_ preview: (Int, Int), target: Int, orientation: UInt16 = 1) async throws -> ImageResponse {
      let thumbnail = try JPEGRecipe.baseline420.encode(.testPattern(width: preview.0, height: preview.1))
      let exif = EXIFBuilder.tiff(orientation: orientation, thumbnail: thumbnail)
      let jpeg = try JPEGRecipe.baseline420.with { $0.segments = [.exif(exif)] }
        .encode(.testPattern(width: 1_600, height: 1_200))
      return try await Self.manager().image(
        for: .bytes(jpeg), targetSize: PixelSize(width: target, height: target),
        options: Self.options { $0.deliveryMode = .fast })
    }
    let preview = try await answer((160, 120), target: 120)
    #expect(preview.isDegraded && preview.image.size == PixelSize(width: 160, height: 120))
    let turned = try await answer((160, 120), target: 120, orientation: 6)
    #expect(turned.isDegraded && turned.image.size == PixelSize(width: 120, height: 160))
    // Too small, or another shape, as if the image was cropped and its preview was not.
    #expect(try await !answer((160, 120), target: 161).isDegraded)
    #expect(try await !answer((160, 100), target: 120).isDegraded)
  }

  // MARK: Locations of images

  @Test func notFoundAndAccessDeniedAreTold() async throws {
    let folder = FilePath("/tmp/facecrop-manager-\(UInt32.random(in: .min ... .max))")
    let missing = folder.appending("a.jpg")
    await #expect(throws: ImageRequestError.notFound(missing.string)) {
      try await Self.manager().image(for: .file(missing))
    }
    #expect(ImageRequestError(.permissionDenied, missing) == .accessDenied(missing.string))
  }

  private struct Loader: AssetLoader {
    let bytes: [UInt8]
    func load(
      _ id: ImageAsset.ID, atMost limit: Int, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> [UInt8] {
      guard id.rawValue == "here" else { throw FixtureError("404") }
      return bytes
    }
  }

  @Test func networkAccessIsOffByDefault() async throws {
    var configuration = ImageManager.Configuration()
    configuration.detector = StubDetector()
    configuration.loader = Loader(bytes: try Self.jpeg(64, 48))
    let manager = ImageManager(configuration: configuration)
    let here = ImageAsset.remote(ImageAsset.ID(rawValue: "here"))
    await #expect(throws: ImageRequestError.networkAccessNotAllowed) { try await manager.image(for: here) }
    let allowed = Self.options { $0.isNetworkAccessAllowed = true }
    #expect(try await manager.image(for: here, options: allowed).image.size.width == 64)
    await #expect(throws: ImageRequestError.networkAccessNotAllowed) {
      try await Self.manager().image(for: here, options: allowed)
    }
    do {
      _ = try await manager.image(for: .remote(ImageAsset.ID(rawValue: "away")), options: allowed)
      Issue.record("it was loaded")
    } catch {
      guard case .loadingFailed = error else { throw error }
    }
  }
}
