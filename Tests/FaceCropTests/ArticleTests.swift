import FaceCrop
import Foundation
import Testing

/// The code of the concept articles and of the tutorial, so that it compiles. Each block stands here as it does there.
private enum Concepts {
  static func plans(
    _ cropper: FaceCropper, _ source: ImageSource, _ search: FaceSearch, _ composition: Composition
  ) async throws -> (CropResult<RenderedCrop>, CropPlan, CropPlan) {
    let plan = try await cropper.plan(for: source, search: search, composition: composition)
    let json = try JSONEncoder().encode(plan)

    let stored = try JSONDecoder().decode(CropPlan.self, from: json)
    let result = try await cropper.render(stored, from: source)

    var edited = plan
    guard edited.crops.first?.faces.isEmpty == false else { throw FaceCropError.noFace }
    edited.crops[0].region = NormalizedRect(x: 0.25, y: 0.1, width: 0.5, height: 0.5)
    edited.crops[0].frame = nil
    edited.crops[0].turn = nil
    edited.crops[0].template = nil

    if let rect = edited.crops[0].turn?.rect {
      edited.crops[0].turn?.rect = NormalizedRect(
        x: rect.x + rect.width / 10, y: rect.y + rect.height / 10,
        width: 0.8 * rect.width, height: 0.8 * rect.height)
      edited.crops[0].region = .whole
    }

    let height = 0.6
    let width = height * 4 / 5 * Double(plan.source.height) / Double(plan.source.width)
    edited.crops[0].region = NormalizedRect(x: 0.5 - width / 2, y: 0.1, width: width, height: height)

    let whole = CropPlan(
      source: plan.source, detector: "none", faces: [],
      crops: [CropPlan.Crop(region: .whole, faces: [])])
    return (result, edited, whole)
  }

  static func coordinates(_ cropper: FaceCropper, _ source: ImageSource) async throws {
    let detection = try await cropper.detect(in: source)
    for face in detection.faces {
      let displayed = PixelRect(covering: face.box, in: detection.size)
      let storedSize = detection.orientation.applied(to: detection.size)
      let stored = detection.orientation.stored(displayed, in: storedSize)
      print(displayed, stored)
    }

    let result = try await cropper.crop(source)
    for crop in result.crops {
      guard let landmarks = crop.landmarks(in: result.plan) else { continue }
      let x = landmarks.leftEye.x * Double(crop.size.width)
      let y = landmarks.leftEye.y * Double(crop.size.height)
      print("left eye at \(x), \(y)")
    }
  }

  static func raisedLimits(of configuration: inout ImageManager.Configuration) {
    configuration.limits.fileBytes = 200 << 20
    configuration.limits.pixels = 200_000_000
    configuration.limits.regionBytes = 4 * 200_000_000
    configuration.memoryBudget = 1 << 30
  }

  static func chips(_ cropper: FaceCropper, _ source: ImageSource) async throws {
    var request = CropRequest()
    request.search.faces = .each
    request.search.smallestFace = .pixels(60)
    request.composition.layout = .template(.arcFace112)
    for try await step in cropper.crops(of: source, request: request) {
      guard case .crop(let chip) = step else { continue }
      let png = try await cropper.encode(chip, as: .png)
      print(chip.size, png.count, chip.matrix!)
    }

    let mine = FaceTemplate(
      name: "mine", size: PixelSize(width: 96, height: 112),
      points: [(30, 52), (66, 52), (48, 72), (34, 92), (63, 92)].map { FaceTemplate.Point(x: $0.0, y: $0.1) })
    request.composition.layout = .template(mine)
  }

  static func manyPhotos(_ cropper: FaceCropper, _ paths: [String], _ request: CropRequest) async {
    let files = OrderedResults(of: paths, concurrency: 4) { (path) async throws(FaceCropError) in
      let result = try await cropper.crop(.file(path), request: request)
      return try await cropper.encode(result.crops[0], as: .jpeg(quality: 85))
    }
    for await file in files {
      print(paths[file.index], file.completed, file.total, file.result)
    }
  }

  struct FakeImages: ImageRequesting {
    func response(
      to request: ImageRequest, events: RequestEvents
    ) async throws(ImageRequestError) -> ImageResponse {
      let size = PixelSize(width: 2, height: 2)
      let pixels = PixelBuffer(size: size, format: .gray, bytes: [0, 85, 170, 255])
      let plan = CropPlan(source: size, detector: "fake", faces: [], crops: [])
      return ImageResponse(image: PixelView(pixels), plan: plan, format: .jpeg)
    }
  }

  static func errors(_ cropper: FaceCropper, _ source: ImageSource) async {
    do {
      _ = try await cropper.crop(source)
    } catch FaceCropError.overLimit(let limit, let actual, let allowed) {
      print("\(limit): \(actual) exceeds \(allowed)")
    } catch FaceCropError.truncated(let intactRows, let rows, _) {
      print("\(intactRows) of \(rows) rows are there")
    } catch {
      print(error)
    }
  }

  static func caching(_ assets: [ImageAsset], _ size: PixelSize, _ options: ImageRequestOptions) async throws {
    let disk = try DiskCache(folder: "/var/cache/avatars", budget: 1 << 30)
    let manager = CachingImageManager(memoryBudget: 64 << 20, disk: disk)
    let avatar = try await manager.image(for: .file("portrait.jpg"), targetSize: size, options: options)
    print(avatar.image.size, manager.statistics.memoryHits, manager.statistics.diskHits)

    manager.startCaching(assets, targetSize: size, contentMode: .aspectFill)
    manager.stopCachingForAllAssets()
  }

  static func ownCache(
    _ cropper: FaceCropper, _ upload: [UInt8], _ request: CropRequest
  ) async throws -> [UInt8] {
    let folder = try CacheFolder(folder: "/var/cache/crops", ending: "jpg", budget: 1 << 30)
    let name = CacheFolder.name(of: [
      ImageAsset.bytes(upload).id.rawValue, StableKey(request).text, "jpeg 85",
      "\(StableKey.version)", "\(AlgorithmRevision.current)",
    ])
    if let file = await folder.bytes(named: name) { return file }
    let result = try await cropper.crop(.bytes(upload), request: request)
    let file = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85))
    await folder.store(file, named: name)
    return file
  }

  /// Fetches images by an HTTP client that streams bodies.
  struct WebLoader: AssetLoader {
    struct TooLarge: Error {}
    let body: @Sendable (_ url: String) async throws -> AsyncThrowingStream<[UInt8], any Error>

    func load(
      _ id: ImageAsset.ID, atMost limit: Int,
      progress: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void
    ) async throws -> [UInt8] {
      var bytes: [UInt8] = []
      for try await part in try await body(id.rawValue) {
        guard bytes.count + part.count <= limit else { throw TooLarge() }
        bytes += part
        progress(bytes.count, nil)
      }
      try Task.checkCancellation()  // a cancelled stream ends early
      return bytes
    }
  }

  static func remote(_ loader: WebLoader, _ url: String) async throws -> ImageResponse {
    var configuration = ImageManager.Configuration()
    configuration.loader = loader
    let manager = ImageManager(configuration: configuration)
    var options = ImageRequestOptions()
    options.isNetworkAccessAllowed = true
    let asset = ImageAsset.remote(ImageAsset.ID(rawValue: url))
    let response = try await manager.image(for: asset, options: options)
    return response
  }
}

enum Tutorial {
  /// Turns uploads into square avatars.
  struct AvatarService {
    let manager: ImageManager

    init() {
      var configuration = ImageManager.Configuration()
      configuration.memoryBudget = 256 << 20  // bytes, for all images in progress
      configuration.maximumWaitingRequests = 32  // the next request fails at once
      configuration.deadline = .seconds(10)  // for each request
      configuration.limits.fileBytes = 20 << 20
      configuration.limits.pixels = 50_000_000
      manager = ImageManager(configuration: configuration)
    }

    /// Returns a JPEG file of the largest face. `progress` gets fractions from 0 to 1.
    func avatar(
      of upload: [UInt8], side: Int, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(ImageRequestError) -> [UInt8] {
      var options = ImageRequestOptions()
      options.crop = .faces(framing: .avatar, noFace: .fail)
      options.deliveryMode = .highQuality
      options.encoding = ImageEncoding(.jpeg(quality: 85))
      let size = PixelSize(width: side, height: side)
      let response = try await manager.image(
        for: .bytes(upload), targetSize: size, options: options
      ) { report in
        progress(report.fraction)
        return .goOn
      }
      return response.file!.bytes
    }
  }

  static func program() async throws {
    let service = AvatarService()
    let upload = try Data(contentsOf: URL(filePath: "portrait.jpg"))
    let avatar = try await service.avatar(of: [UInt8](upload), side: 256) { fraction in
      print("\(Int(100 * fraction)) %")
    }
    try Data(avatar).write(to: URL(filePath: "avatar.jpg"))
  }

  static func cancel(_ service: AvatarService, _ upload: Data) async throws {
    let task = Task { try await service.avatar(of: [UInt8](upload), side: 256) }
    task.cancel()
    do {
      _ = try await task.value
    } catch ImageRequestError.image(.cancelled) {
      print("cancelled")
    }
  }

  static func status(of error: ImageRequestError) -> Int {
    switch error {
    case .overloaded: 429
    case .deadlineExceeded: 504
    case .overBudget: 413
    case .notFound: 404
    case .accessDenied, .networkAccessNotAllowed: 403
    case .loadingFailed: 502
    case .wouldBlock: 500
    case .image(let error):
      switch error {
      case .cancelled: 499
      case .overLimit(.time, _, _): 504
      case .outOfMemory: 503
      case .modelMissing, .modelUnusable, .detectorFailed, .libraryMissing: 500
      case .invalidRequest, .planMismatch: 400
      case .unsupported: 415
      case .overLimit(.fileBytes, _, _): 413
      case .unreadable, .corrupt, .truncated, .overLimit: 422
      case .noFace, .tooSmall, .formatLimit, .tooLarge, .unsureCutout: 422
      }
    }
  }

  static func answers(_ service: AvatarService, _ upload: Data) async {
    do throws(ImageRequestError) {
      let avatar = try await service.avatar(of: [UInt8](upload), side: 256)
      print("\(avatar.count) bytes")
    } catch {
      print(status(of: error), error)
    }
  }
}

struct ArticleTests {
  private static let catalog = DocumentationTests.root.appending(path: "Sources/FaceCrop/FaceCrop.docc")

  /// Every article of the catalog.
  private static let articles: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: catalog.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted()
  }()

  /// The files that compile the articles' code: those here, and the example that the tutorial ends with.
  private static let sources = [
    "Tests/FaceCropTests/ArticleTests.swift", "Tests/FaceCropTests/DocumentationTests.swift",
    "Examples/AvatarService/Sources/AvatarService/AvatarService.swift",
  ]

  /// The lines without indentation, remarks, imports, and those that only keep the compiler quiet.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { line in
      let code = line.hasPrefix("//") ? "" : line.components(separatedBy: " //")[0]
      return code.trimmingCharacters(in: .whitespaces).replacing("static func status", with: "func status")
    }.filter { !$0.isEmpty && $0 != "_ = file" && !$0.hasPrefix("import ") }
  }

  @Test func thereAreArticles() {
    #expect(Self.articles.count >= 13)
  }

  @Test(arguments: articles)
  func codeIsCompiled(article: String) throws {
    let text = try String(contentsOf: Self.catalog.appending(path: article), encoding: .utf8)
    let compiled = try Self.sources.map { path in
      Self.lines(try String(contentsOf: DocumentationTests.root.appending(path: path), encoding: .utf8))
    }
    for block in text.components(separatedBy: "```swift\n").dropFirst() {
      let wanted = Self.lines(block.components(separatedBy: "\n```")[0])
      let isCompiled = compiled.contains { lines in lines.indices.contains { lines[$0...].starts(with: wanted) } }
      #expect(isCompiled, "no test compiles this: \(wanted.joined(separator: "\n"))")
    }
  }

  /// Asks until there is an answer: beside all other tests at once, the service's ten seconds may be over.
  private func answer(
    _ service: Tutorial.AvatarService, _ upload: [UInt8]
  ) async -> Result<[UInt8], ImageRequestError> {
    for _ in 0..<60 {
      do throws(ImageRequestError) {
        return .success(try await service.avatar(of: upload, side: 64))
      } catch {
        if error != .deadlineExceeded { return .failure(error) }
      }
    }
    return .failure(.deadlineExceeded)
  }

  @Test func theTutorialsServiceAnswers() async throws {
    let service = Tutorial.AvatarService()
    let portrait = try Data(contentsOf: DocumentationTests.root.appending(path: "Tests/Fixtures/astronaut.jpg"))
    let avatar = try await answer(service, [UInt8](portrait)).get()
    #expect(avatar.starts(with: [0xFF, 0xD8]))
    guard case .failure(let fault) = await answer(service, Array("no image".utf8)) else {
      Issue.record("it took a text for an image")
      return
    }
    #expect(Tutorial.status(of: fault) == 415)
  }

  @Test func theLoaderFetchesAnImage() async throws {
    let url = DocumentationTests.root.appending(path: "Tests/Fixtures/astronaut.jpg")
    let portrait = [UInt8](try Data(contentsOf: url))
    let loader = Concepts.WebLoader { name in
      guard name == "https://example.com/a.jpg" else { throw ImageRequestError.notFound(name) }
      return AsyncThrowingStream { continuation in
        for start in stride(from: 0, to: portrait.count, by: 10_000) {
          continuation.yield(Array(portrait[start...].prefix(10_000)))
        }
        continuation.finish()
      }
    }
    let response = try await Concepts.remote(loader, "https://example.com/a.jpg")
    #expect(response.image.size == PixelSize(width: 512, height: 512))
    await #expect(throws: ImageRequestError.self) { try await Concepts.remote(loader, "https://example.com/b.jpg") }
    await #expect(throws: Concepts.WebLoader.TooLarge.self) {
      try await loader.load(
        ImageAsset.ID(rawValue: "https://example.com/a.jpg"), atMost: portrait.count - 1, progress: { _, _ in })
    }
  }

  @Test func aStoredPlanRendersAndAnEditedOneIsAnother() async throws {
    let source = ImageSource.file(DocumentationTests.root.appending(path: "Tests/Fixtures/astronaut.jpg").path)
    let (result, edited, whole) = try await Concepts.plans(FaceCropper(), source, FaceSearch(), Composition())
    #expect(result.crops.count == 1 && edited != result.plan)
    let all = try await FaceCropper().render(whole, from: source)
    #expect(all.crops.map(\.size) == [PixelSize(width: 512, height: 512)])
  }
}
