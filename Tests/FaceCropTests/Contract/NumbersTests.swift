import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// For any numbers a call returns a result or a typed error, and the process continues.
@Suite struct NumbersTests {
  private static let doubles: [Double] = [
    .nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, -1, 0.3, 1, 1e9,
  ]
  private static let integers: [Int] = [.min, .min + 1, -1, 0, 1, 65_535, 65_536, Int(Int32.max), .max - 1, .max]

  private static let face = Face(
    box: NormalizedRect(x: 0.4, y: 0.3, width: 0.2, height: 0.3), score: 0.9,
    landmarks: FaceLandmarks(
      rightEye: NormalizedPoint(x: 0.45, y: 0.4), leftEye: NormalizedPoint(x: 0.55, y: 0.4),
      nose: NormalizedPoint(x: 0.5, y: 0.45), mouthRight: NormalizedPoint(x: 0.46, y: 0.5),
      mouthLeft: NormalizedPoint(x: 0.54, y: 0.5)))

  /// Returns requests in which one number is each of those.
  private static func requests() -> [CropRequest] {
    var requests: [CropRequest] = []
    func add(_ change: (inout CropRequest) -> Void) {
      var request = CropRequest()
      request.search.faces = .largest
      request.composition.layout = .framing(.avatar)
      change(&request)
      requests.append(request)
    }
    for value in doubles {
      for side in [\Padding.top, \.right, \.bottom, \.left] {
        add { $0.composition.layout.padding[keyPath: side] = value }
        add {
          $0.composition.layout = .faces()
          $0.composition.layout.padding[keyPath: side] = value
        }
      }
      for part in [\Framing.faceRatio, \.largestFaceRatio, \.eyeLine, \.headroom] {
        for edge in [EdgePolicy.shift, .pad] {
          add {
            var framing = Framing.avatar
            framing[keyPath: part] = value
            $0.composition.layout = .framing(framing, edge: edge)
          }
        }
      }
      add { $0.composition.layout.aspect = AspectRatio(width: value, height: 1) }
      add { $0.composition.layout.aspect = AspectRatio(width: 1, height: value) }
      add { $0.composition.layout.aspect = AspectRatio(width: value, height: value) }
      add { $0.composition.layout = .heads(aspect: AspectRatio(width: value, height: 1)) }
      add { $0.composition.layout = .fill(AspectRatio(width: value, height: 1)) }
      add {
        var template = FaceTemplate.arcFace112
        template.points[2] = FaceTemplate.Point(x: value, y: 3)
        $0.composition.layout = .template(template)
      }
      add { $0.search.smallestFace = .fraction(value) }
      add { $0.output.resolution = value }
    }
    for value in integers {
      add { $0.search.faces = .number(value) }
      add { $0.search.smallestFace = .pixels(value) }
      add { $0.output.smallestSide = value }
      for fit in FaceTemplate.Fit.allCases {
        add {
          $0.composition.layout = .template(
            FaceTemplate(
              name: "x", size: PixelSize(width: value, height: 3), points: FaceTemplate.arcFace112.points, fit: fit))
        }
      }
      for size in [
        OutputSize.longSide(value), .width(value), .height(value), .exact(width: value, height: 9),
        .exact(width: 9, height: value),
      ] {
        add { $0.output.sizes = [size] }
      }
    }
    return requests
  }

  private static func picture() throws -> ImageSource {
    .bytes(try JPEGRecipe.baseline420.encode(Pixels.testPattern(width: 64, height: 48)))
  }

  private static func isTyped(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      #expect(error is FaceCropError || error is ImageRequestError, "\(error)")
    }
  }

  @Test func requestsForCrops() async throws {
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]))
    let picture = try Self.picture()
    let info = try await cropper.info(of: picture)
    for request in Self.requests() {
      _ = info.memory(for: request)
      await Self.isTyped { _ = try await cropper.crop(picture, request: request) }
      await Self.isTyped { _ = try await cropper.cutLosslessly(picture, request: request) }
      await Self.isTyped { for try await _ in cropper.crops(of: picture, request: request) {} }
      await Self.isTyped {
        _ = try await cropper.plan(for: picture, search: request.search, composition: request.composition)
      }
      await Self.isTyped { _ = try await cropper.detect(in: picture, search: request.search) }
    }
  }

  /// A number that is not finite is reported before anything is decoded.
  @Test func numbersAreCheckedBeforeTheImage() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    for value in [Double.nan, .infinity] {
      var request = CropRequest()
      request.composition.layout.padding.top = value
      let error = await #expect(throws: FaceCropError.self) {
        _ = try await cropper.crop(.file("/nonexistent"), request: request)
      }
      #expect(error?.kind == "invalid")
    }
  }

  /// Requests are keys of dictionaries, and NaN does not equal itself.
  @Test func requestsToManagers() async throws {
    let manager = ImageManager(
      configuration: with(ImageManager.Configuration()) { $0.detector = StubDetector(found: [Self.face]) })
    let caching = CachingImageManager(manager: manager)
    let picture = try JPEGRecipe.baseline420.encode(Pixels.testPattern(width: 64, height: 48))
    let asset = ImageAsset.bytes(picture)
    var crops = Self.requests().map { ImageCrop.faces($0) }
    for value in Self.doubles {
      for rect in [
        NormalizedRect(x: value, y: 0, width: 0.5, height: 0.5),
        NormalizedRect(x: 0, y: value, width: 0.5, height: 0.5),
        NormalizedRect(x: 0, y: 0, width: value, height: 0.5), NormalizedRect(x: 0, y: 0, width: 0.5, height: value),
      ] {
        crops.append(.normalizedCropRect(rect))
      }
    }
    for crop in crops {
      let options = with(ImageRequestOptions()) { $0.crop = crop }
      for each in [manager, caching] as [any ImageRequesting] {
        await Self.isTyped { _ = try await each.image(for: asset, options: options) }
      }
      caching.startCaching([asset], options: options)
      caching.stopCaching([asset], options: options)
    }
    let nan = with(ImageRequestOptions()) {
      $0.crop = .normalizedCropRect(NormalizedRect(x: .nan, y: 0, width: 1, height: 1))
    }
    let error = await #expect(throws: ImageRequestError.self) { _ = try await caching.image(for: asset, options: nan) }
    #expect(error?.isOfRequest == true)
    for width in Self.integers {
      for height in Self.integers {
        for mode in [ContentMode.aspectFit, .aspectFill] {
          let size = PixelSize(width: width, height: height)
          await Self.isTyped { _ = try await caching.image(for: asset, targetSize: size, contentMode: mode) }
        }
      }
    }
  }

  private static let durations: [Duration] = [
    .zero, .nanoseconds(1), .seconds(-1), .seconds(Int64.min), .seconds(Int64.max), .seconds(Int64.max / 1_000),
    .microseconds(Int64.min),
  ]

  @Test func durations() async throws {
    let picture = try JPEGRecipe.baseline420.encode(Pixels.testPattern(width: 64, height: 48))
    for duration in Self.durations {
      let manager = ImageManager(
        configuration: with(ImageManager.Configuration()) {
          $0.detector = StubDetector(); $0.deadline = duration
        })
      await Self.isTyped { _ = try await manager.image(for: .bytes(picture)) }
      let other = ImageManager(configuration: with(ImageManager.Configuration()) { $0.detector = StubDetector() })
      await Self.isTyped {
        _ = try await other.image(for: .bytes(picture), options: with(ImageRequestOptions()) { $0.deadline = duration })
      }
      var limits = Limits()
      limits.time = duration
      let cropper = FaceCropper(detector: StubDetector(), limits: limits)
      await Self.isTyped { _ = try await cropper.crop(.bytes(picture)) }
    }
    // A long duration gives no deadline.
    let manager = ImageManager(
      configuration: with(ImageManager.Configuration()) {
        $0.detector = StubDetector(); $0.deadline = .seconds(Int64.max)
      })
    _ = try await manager.image(for: .bytes(picture))
  }

  @Test func configurations() async throws {
    let asset = ImageAsset.bytes(try JPEGRecipe.baseline420.encode(Pixels.testPattern(width: 64, height: 48)))
    for value in Self.integers {
      var configurations = Array(
        repeating: with(ImageManager.Configuration()) { $0.detector = StubDetector() }, count: 4)
      // No more at once than there can be threads.
      configurations[0].maximumConcurrentDecodes = min(value, 8)
      configurations[1].maximumWaitingRequests = value
      configurations[2].memoryBudget = value
      configurations[3].keptDetections = value
      for configuration in configurations {
        let caching = CachingImageManager(manager: ImageManager(configuration: configuration), memoryBudget: value)
        await Self.isTyped { _ = try await caching.image(for: asset) }
        await Self.isTyped { _ = try await caching.image(for: asset) }
      }
      let importer = ImageImporter(
        options: with(ImageImporter.Options()) {
          ($0.longestSide, $0.jpegQuality, $0.maximumConcurrentImports) = (value, value, min(value, 8))
        },
        manager: ImageManager(configuration: with(ImageManager.Configuration()) { $0.detector = StubDetector() }))
      _ = await importer.importAll([asset])
    }
  }

  @Test func plans() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let picture = try Self.picture()
    let size = PixelSize(width: 64, height: 48)
    var plans: [CropPlan] = []
    for value in Self.doubles {
      let rects = [
        NormalizedRect(x: value, y: 0, width: 0.5, height: 0.5), NormalizedRect(x: 0, y: 0, width: value, height: 0.5),
      ]
      for rect in rects {
        let whole = NormalizedRect.whole
        var crops = [CropPlan.Crop(region: rect, faces: [])]
        crops.append(CropPlan.Crop(region: whole, frame: rect, faces: []))
        crops.append(CropPlan.Crop(region: whole, turn: .init(degrees: 5, rect: rect), faces: []))
        crops.append(CropPlan.Crop(region: whole, turn: .init(degrees: value, rect: whole), faces: []))
        plans += crops.map { CropPlan(source: size, detector: "", faces: [], crops: [$0]) }
        let face = Face(box: rect, score: value)
        plans.append(
          CropPlan(source: size, detector: "", faces: [face], crops: [CropPlan.Crop(region: whole, faces: [0])]))
      }
    }
    for plan in plans {
      await Self.isTyped { _ = try await cropper.render(plan, from: picture) }
      await Self.isTyped { _ = try await cropper.cutLosslessly(picture, plan: plan) }
    }
    for index in Self.integers {
      let plan = CropPlan(
        source: size, detector: "", faces: [], crops: [CropPlan.Crop(region: .whole, faces: [index])])
      let error = await #expect(throws: FaceCropError.self) { _ = try await cropper.render(plan, from: picture) }
      #expect(error?.kind == "invalid")
    }
  }

  @Test func plannersAndGeometry() async throws {
    for value in Self.doubles {
      for rect in [
        NormalizedRect(x: value, y: value, width: value, height: value),
        NormalizedRect(x: 0.1, y: 0.1, width: value, height: 0.2),
      ] {
        let face = Face(box: rect, score: 0.9)
        await Self.isTyped {
          _ = try CropPlanner().crops(for: [face], in: PixelSize(width: 64, height: 48))
        }
        for side in Self.integers { _ = PixelRect(covering: rect, in: PixelSize(width: side, height: side)) }
        _ = rect.union(.whole).clamped()
      }
    }
    let view = PixelView(PixelBuffer(Pixels.testPattern(width: 8, height: 6)))
    for x in Self.integers {
      for width in Self.integers {
        let rect = PixelRect(x: x, y: width, width: width, height: x)
        _ = view.cropping(to: rect)?.buffer()
        for orientation in Orientation.allCases {
          _ = orientation.stored(rect, in: PixelSize(width: x, height: width))
          _ = orientation.displayed(rect, in: PixelSize(width: x, height: width))
        }
        await Self.isTyped {
          _ = try CropPlanner().crops(for: [Self.face], in: PixelSize(width: x, height: width))
        }
        await Self.isTyped {
          _ = try SheetLayout(.init(paper: .a4), print: PixelSize(width: x, height: width), count: width)
        }
      }
    }
    for value in Self.doubles {
      for measures in [
        SheetLayout.Measures(paper: PaperSize(width: value, height: value)), .init(paper: .a4, gap: value),
        .init(paper: .a4, margin: value), .init(paper: .a4, resolution: value),
      ] {
        await Self.isTyped {
          _ = try SheetLayout(measures, print: PixelSize(width: 100, height: 100), count: nil)
        }
      }
    }
  }

  @Test func qualitiesAndLimits() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let picture = try Self.picture()
    let crop = try await cropper.crop(picture).crops[0]
    let info = try await cropper.info(of: picture)
    for value in Self.doubles {
      var other = crop
      (other.resolution, other.exif, other.xmp, other.colorProfile) = (value, [1, 2, 3], [9], [1, 2, 3])
      for format in [OutputFormat.jpeg(quality: 80), .png, .webp(quality: 80), .tiff] {
        await Self.isTyped { _ = try await cropper.encode(other, as: format) }
      }
      guard !CropOutput.resolutions.contains(value) else { continue }
      let error = await #expect(throws: FaceCropError.self) { try await cropper.encode(other, as: .png) }
      #expect(error?.kind == "invalid")
    }
    for value in Self.integers {
      for format in [OutputFormat.jpeg(quality: value), .webp(quality: value), .avif(quality: 85, speed: value)] {
        _ = info.memory(for: CropRequest(), as: format)
        await Self.isTyped { _ = try await cropper.encode(crop, as: format) }
        await Self.isTyped { _ = try await cropper.encode(crop, as: format, atMost: 500) }
        await Self.isTyped { _ = try await cropper.encode(crop, as: .png, atMost: value) }
      }
      for key in [
        \Limits.pixels, \.side, \.pixelsPerByte, \.fileBytes, \.scans, \.frames, \.coefficientBytes, \.metadataBytes,
        \.regionBytes, \.resultBytes, \.imageBytes, \.heifBytes, \.encodingBytes, \.tiles,
      ] as [WritableKeyPath<Limits, Int>] {
        var limits = Limits()
        limits[keyPath: key] = value
        let limited = FaceCropper(detector: StubDetector(), limits: limits)
        await Self.isTyped { _ = try await limited.crop(picture) }
        await Self.isTyped { _ = try await limited.encode(crop, as: .webpLossless) }
        _ = TilePlan(for: PixelSize(width: 9_000, height: 100), faces: [], most: value)
      }
      let progress = OverallProgress(outputs: value)
      progress.expect(outputs: value)
    }
  }
}
