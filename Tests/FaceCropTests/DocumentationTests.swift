import FaceCrop
import Foundation
import Synchronization
import Testing

/// The code of README.md and the articles, so that it compiles; each block is copied here unchanged.
private enum Snippets {
  static func readMe() async throws {
    let upload = try Data(contentsOf: URL(filePath: "portrait.jpg"))
    let cropper = FaceCropper()
    var request = CropRequest()
    request.search.faces = .prominent
    request.search.noFace = .bestGuess
    request.composition.layout = .framing(.avatar)
    request.output.sizes = [.longSide(512), .longSide(128)]

    let result = try await cropper.crop(.data(upload), request: request) { progress in
      print(progress.phase, progress.fraction)
    }
    for (number, crop) in result.crops.enumerated() {
      let jpeg = try await cropper.encode(crop, as: .jpeg(quality: 85))
      try Data(jpeg).write(to: URL(filePath: "avatar-\(number).jpg"))
    }
  }

  static func landingPage() async throws {
    let cropper = FaceCropper()
    let result = try await cropper.crop(.file("portrait.jpg"))
    let jpeg = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85))
    _ = jpeg
  }

  static func ownDetector() -> FaceCropper {
    struct PassportDetector: FaceDetector, ReadyFaceDetector {
      let name = "passport"
      let input = DetectorInput(format: .rgb, sufficientSide: 320)

      func prepare() throws -> any ReadyFaceDetector { self }

      func faces(in image: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] {
        let box = NormalizedRect(x: 0.25, y: 0.2, width: 0.5, height: 0.5)
        return [Face(box: box, score: 1)]
      }
    }

    let cropper = FaceCropper(detector: PassportDetector())
    return cropper
  }

  static func twoPhases(_ cropper: FaceCropper, _ source: ImageSource) async throws {
    var request = CropRequest()
    request.search.faces = .prominent
    request.search.noFace = .bestGuess
    request.composition.layout = .framing(.avatar)
    request.output.sizes = [.longSide(512), .longSide(128)]
    let plan = try await cropper.plan(for: source, search: request.search, composition: request.composition)

    let result = try await cropper.render(plan, from: source, output: request.output)
    for crop in result.crops {
      let file = try await cropper.encode(crop, as: .webp(quality: 80))
      _ = file
    }

    for try await step in cropper.crops(of: source, request: request) {
      guard case .crop(let crop) = step else { continue }
      let file = try await cropper.encode(crop, as: .webp(quality: 80))
      _ = file
    }
  }

  static func fromPhotos(_ asset: ImageAsset, _ picked: [ImageAsset]) async throws {
    let library = PhotoLibrary(directory: "/srv/photos")
    let manager = CachingImageManager()
    let cell = PixelSize(width: 256, height: 256)
    let newest = try await library.fetchAssets(PhotoFetchOptions(limit: 50))
    manager.startCaching(newest.map(\.asset), targetSize: cell, contentMode: .aspectFill)
    for photo in newest {
      let thumbnail = try await manager.image(for: photo.asset, targetSize: cell, contentMode: .aspectFill)
      print(photo.name, thumbnail.image.size)
    }

    var options = ImageRequestOptions()
    options.crop = .faces(framing: .avatar)
    for try await response in manager.images(for: asset, targetSize: cell, options: options) {
      print(response.isDegraded, response.faces.count)
    }

    let importer = ImageImporter()
    let results = await importer.importAll(picked) { completed, total in print("\(completed) of \(total)") }
    _ = results
  }

  static func inAServer(_ body: [UInt8]) async throws -> (Int, [UInt8]) {
    var configuration = ImageManager.Configuration()
    configuration.memoryBudget = 256 << 20
    configuration.maximumWaitingRequests = 16
    configuration.deadline = .seconds(10)
    configuration.limits.pixels = 50_000_000
    let manager = ImageManager(configuration: configuration)

    do throws(ImageRequestError) {
      var options = ImageRequestOptions()
      options.crop = .faces(framing: .avatar, noFace: .fail)
      options.priority = .high
      options.encoding = ImageEncoding(.jpeg(quality: 85))
      let size = PixelSize(width: 256, height: 256)
      let avatar = try await manager.image(for: .bytes(body), targetSize: size, options: options)
      return (200, avatar.file!.bytes)
    } catch {
      return (status(of: error), Array("\(error)".utf8))
    }
  }

  private static func status(of error: ImageRequestError) -> Int { Tutorial.status(of: error) }

  static func raisedLimits() {
    var limits = Limits()
    limits.pixels = 200_000_000
    limits.regionBytes = 4 * limits.pixels
    limits.resultBytes = 4 * limits.pixels
    let cropper = FaceCropper(limits: limits)
    _ = cropper
  }

  static func limitsAndErrors(_ source: ImageSource, _ request: CropRequest) async throws {
    var limits = Limits()
    limits.fileBytes = 20 << 20
    limits.pixels = 60_000_000
    limits.time = .seconds(5)
    let cropper = FaceCropper(limits: limits)

    let info = try await cropper.info(of: source)
    print(info.size, info.memory, info.memory(for: request), info.cost)

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
}

/// Answers by other images, and tells each outcome with the phases before it, in the task of the request.
struct ObservedImages: ImageRequesting {
  typealias Span = (name: String, start: ContinuousClock.Instant, end: ContinuousClock.Instant)

  let images: any ImageRequesting
  let answered: @Sendable (ImageRequest, ImageRequestError?, [Span]) -> Void

  func response(
    to request: ImageRequest, events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse {
    // FaceCrop reports from threads of its own, where task-local values are nil.
    let spans = Mutex<[Span]>([("wait", .now, .now)])
    let note = { @Sendable (name: String?) in
      spans.withLock { spans in
        spans[spans.count - 1].end = .now
        if let name, spans[spans.count - 1].name != name { spans.append((name, .now, .now)) }
      }
    }
    var observed = events
    observed.progress = { report in
      note(report.phase.rawValue)
      return events.progress?(report) ?? .goOn
    }
    do throws(ImageRequestError) {
      let response = try await images.response(to: request, events: observed)
      note(nil)
      answered(request, nil, spans.withLock { $0 })
      return response
    } catch {
      note(nil)
      answered(request, error, spans.withLock { $0 })
      throw error
    }
  }
}

struct DocumentationTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Returns the lines without indentation, comments, imports, and lines that only silence the compiler.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { line in
      let code = line.hasPrefix("//") ? "" : line.components(separatedBy: " //")[0]
      return code.trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty && $0 != "_ = file" && $0 != "import FaceCrop" && $0 != "import Foundation" }
  }

  private static let articles = ["FaceCrop", "TwoPhases", "FromPhotos", "InAServer", "LimitsAndErrors"]

  @Test(arguments: articles.map { "Sources/FaceCrop/FaceCrop.docc/\($0).md" } + ["README.md"])
  func codeIsCompiledHere(path: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let here = Self.lines(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
    #expect(!blocks.isEmpty)
    for block in blocks {
      let wanted = Self.lines(block)
      let isHere = here.indices.contains { here[$0...].starts(with: wanted) }
      #expect(isHere, "not in this file: \(block)")
    }
  }

  @TaskLocal private static var request = ""

  /// The closure gets the phases in order and the outcome, in the request's task; the caller's own progress goes on.
  @Test func observersSeePhasesAndOutcomes() async throws {
    let portrait = try Data(contentsOf: Self.root.appending(path: "Tests/Fixtures/astronaut.jpg"))
    let phases = Mutex([String]())
    let outcomes = Mutex([String]())
    let reports = Mutex(0)
    let images = ObservedImages(images: ImageManager()) { _, error, spans in
      #expect(Self.request == "7")
      #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.start <= $0.end && $0.end <= $1.start })
      phases.withLock { $0 += spans.map(\.name) }
      outcomes.withLock { $0.append(error?.kind ?? "done") }
    }
    var options = ImageRequestOptions()
    options.crop = .faces(framing: .avatar)
    options.encoding = ImageEncoding(.png)
    let size = PixelSize(width: 64, height: 64)
    try await Self.$request.withValue("7") {
      _ = try await images.image(for: .data(portrait), targetSize: size, options: options) { _ in
        reports.withLock { $0 += 1 }
        return .goOn
      }
    }
    #expect(phases.withLock { $0 } == ["wait", "look", "detect", "render", "encode"])
    #expect(reports.withLock { $0 } >= 4)
    await #expect(throws: ImageRequestError.image(.cancelled)) {
      try await Self.$request.withValue("7") {
        try await images.image(for: .data(portrait), targetSize: size, options: options) { _ in .stop }
      }
    }
    #expect(outcomes.withLock { $0 } == ["done", "cancelled"])
  }

  @Test func theServersAnswers() async throws {
    let (status, message) = try await Snippets.inAServer(Array("no picture".utf8))
    #expect(status == 415 && String(decoding: message, as: UTF8.self).contains("supported"))
    let portrait = try Data(contentsOf: Self.root.appending(path: "Tests/Fixtures/astronaut.jpg"))
    var (success, avatar) = try await Snippets.inAServer([UInt8](portrait))
    // With all other tests at once, its ten seconds may be too short.
    for _ in 0..<60 where success == 504 { (success, avatar) = try await Snippets.inAServer([UInt8](portrait)) }
    #expect(success == 200 && avatar.starts(with: [0xFF, 0xD8]))
  }
}
