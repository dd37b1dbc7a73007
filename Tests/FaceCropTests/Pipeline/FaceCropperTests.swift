import Foundation
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

import CJPEGShim

@testable import FaceCrop

@Suite struct FaceCropperTests {
  private static let face = Face(box: NormalizedRect(x: 0.25, y: 0.25, width: 0.25, height: 0.5), score: 0.5)

  private static func picture(
    _ recipe: JPEGRecipe = .baseline420, width: Int = 400, height: Int = 300
  ) throws -> [UInt8] {
    try recipe.encode(.testPattern(width: width, height: height, channels: recipe.channels, seed: 1))
  }

  @Test func cropIsPlanAndRender() async throws {
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]))
    var request = CropRequest()
    request.composition.layout.padding = Padding(0.2)
    for recipe in [JPEGRecipe.baseline420, .progressive, .arithmetic] {
      let source = ImageSource.bytes(try Self.picture(recipe))
      let plan = try await cropper.plan(for: source, search: request.search, composition: request.composition)
      let rendered = try await cropper.render(plan, from: source, output: request.output)
      let cropped = try await cropper.crop(source, request: request)
      #expect(cropped.plan == plan && rendered.plan == plan)
      #expect(cropped.crops == rendered.crops)
      #expect(cropped.crops[0].region == PixelRect(x: 80, y: 45, width: 140, height: 210))
    }
  }

  /// A plan alone has the warnings about its faces and frames, like a crop.
  @Test func aPlanHasItsWarnings() async throws {
    let faces = [0.05, 0.6].map { Face(box: NormalizedRect(x: $0, y: 0.02, width: 0.25, height: 0.5), score: 0.9) }
    let cropper = FaceCropper(detector: StubDetector(found: faces))
    let source = ImageSource.bytes(try Self.picture())
    let request = CropRequest(search: FaceSearch(faces: .largest), composition: Composition(.framing(.avatar)))
    let planned = try await cropper.plan(for: source, request: request)
    let cropped = try await cropper.crop(source, request: request)
    #expect(Set(planned.warnings.map(\.kind)).isSuperset(of: ["several-faces", "frame"]), "\(planned.warnings)")
    #expect(planned.warnings == cropped.warnings)
    #expect(planned.plan == cropped.plan && planned.detectionPath == cropped.detectionPath)
    #expect(planned.detectionPath != nil && planned.crops.isEmpty)
    let other = try await cropper.plan(for: source, search: request.search, composition: request.composition)
    #expect(other == planned.plan)
    var wrong = request
    wrong.search.mostFaces = 0
    await #expect { try await cropper.plan(for: source, request: wrong) } throws: {
      ($0 as? FaceCropError)?.kind == "invalid"
    }
  }

  /// Sizes above that of the region give the same pixels.
  @Test func equalCropsAreTold() async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let output = CropOutput(sizes: [.longSide(40), .longSide(400), .longSide(5_000), .longSide(41), .longSide(40)])
    let result = try await cropper.crop(.bytes(try Self.picture()), request: CropRequest(output: output))
    #expect(result.crops.map(\.size.width) == [40, 400, 400, 41, 40])
    #expect(result.firstEqual == [0, 1, 1, 3, 0])
    var changed = result
    changed.crops[2].pixels.bytes[7] ^= 1
    #expect(changed.firstEqual == [0, 1, 2, 3, 0])
    changed.crops = []
    #expect(changed.firstEqual.isEmpty)
  }

  @Test func facesAreInOrderWhateverTheDetectorsOrder() async throws {
    let faces = (0..<6).map { place in
      Face(box: NormalizedRect(x: Double(place) / 10, y: 0.1, width: 0.1, height: 0.1), score: place < 3 ? 0.5 : 0.9)
    }
    let source = ImageSource.bytes(try Self.picture())
    for shift in faces.indices {
      let shuffled = Array(faces[shift...] + faces[..<shift])
      let detection = try await FaceCropper(detector: StubDetector(found: shuffled)).detect(in: source)
      #expect(detection.faces.map(\.box) == Array(faces[3...] + faces[..<3]).map(\.box))
    }
  }

  /// Real detectors find faces that the edge cuts, with boxes that reach over it.
  @Test func boxesOverTheEdgeAreCut() async throws {
    func face(_ x: Double, _ y: Double, _ width: Double, _ height: Double, score: Double) -> Face {
      Face(box: NormalizedRect(x: x, y: y, width: width, height: height), score: score)
    }
    let faces = [
      face(0.8, 0.7, 0.3, 0.4, score: 0.9), face(-0.1, -0.05, 0.3, 0.3, score: 0.8),
      face(0.4, 0.4, 0.2, 0.2, score: 0.7),
      // The center is outside, there is no area, or a number is not finite.
      face(0.9, 0.9, 0.3, 0.3, score: 0.95), face(0.5, 0.5, 0, 0.1, score: 0.95), face(.nan, 0, 0.1, 0.1, score: 0.95),
      face(0.5, 0.5, .infinity, 0.1, score: 0.95),
    ]
    let source = ImageSource.bytes(try Self.picture())
    for upright in [UprightPolicy.off, .auto] {
      let cropper = FaceCropper(detector: StubDetector(found: faces))
      let found = try await cropper.detect(in: source, search: FaceSearch(upright: upright)).faces
      #expect(found.map(\.score) == [0.9, 0.8, 0.7] && found.allSatisfy(\.isValid))
      let (right, left) = (found[0].box, found[1].box)
      #expect(abs(right.width - 0.2) < 1e-9 && abs(right.height - 0.3) < 1e-9 && right.x == 0.8)
      #expect(left.x == 0 && left.y == 0 && abs(left.width - 0.2) < 1e-9 && abs(left.height - 0.25) < 1e-9)
      #expect(found[2] == faces[2] || found[2].box == faces[2].box)
    }
  }

  /// A deadline in the past is reported as such.
  @Test func aDeadlineInThePastIsNamed() async throws {
    let cropper = FaceCropper(detector: StubDetector()).ending(by: .now - .seconds(1))
    let source = ImageSource.bytes(try Self.picture())
    let error = await #expect(throws: FaceCropError.self) { try await cropper.crop(source) }
    #expect(error?.kind == "limit" && "\(error!)" == "the deadline had passed before the work began")
  }

  /// A part of a program cannot extend the deadline of its caller.
  @Test func theEarliestDeadlineCounts() async throws {
    let cropper = FaceCropper(detector: StubDetector()).ending(by: .now - .seconds(1))
    let source = ImageSource.bytes(try Self.picture())
    for later in [cropper.ending(by: .now + .seconds(60)), cropper.limited(to: Limits())] {
      let error = await #expect(throws: FaceCropError.self) { try await later.crop(source) }
      #expect(error?.kind == "limit")
    }
  }

  /// Plans.md promises that numbers with three decimals are accepted.
  @Test func aPlanMayBeRoundedToThreeDecimals() async throws {
    let size = PixelSize(width: 400, height: 300)
    let source = ImageSource.bytes(try Self.picture())
    for (region, frame) in [
      (NormalizedRect(x: 0.313, y: 0.334, width: 0.688, height: 0.667), nil),
      (
        NormalizedRect(x: 0, y: 0.25, width: 0.75, height: 0.5),
        NormalizedRect(x: 0.001, y: 0.251, width: 0.748, height: 0.498)
      ),
    ] {
      let plan = CropPlan(
        source: size, detector: "x", faces: [], crops: [CropPlan.Crop(region: region, frame: frame, faces: [])])
      let read = try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(plan))
      let crop = try await FaceCropper().render(read, from: source).crops[0]
      #expect(crop.pixels.size == PixelRect(covering: region, in: size).size)
    }
    let outside = CropPlan.Crop(region: NormalizedRect(x: 0.4, y: 0, width: 0.602, height: 1), faces: [])
    let plan = CropPlan(source: size, detector: "x", faces: [], crops: [outside])
    await #expect(throws: FaceCropError.self) { try await FaceCropper().render(plan, from: source) }
  }

  @Test func aPlanForAnotherPictureIsRefused() async throws {
    let plan = CropPlan(
      source: PixelSize(width: 300, height: 400), detector: "x", faces: [],
      crops: [CropPlan.Crop(region: .whole, faces: [])])
    let source = ImageSource.bytes(try Self.picture())
    await #expect(throws: FaceCropError.planMismatch(plan: plan.source, image: PixelSize(width: 400, height: 300))) {
      try await FaceCropper().render(plan, from: source)
    }
  }

  @Test func aRegionOutsideThePictureIsRefused() async throws {
    let source = ImageSource.bytes(try Self.picture())
    for region in [
      NormalizedRect(x: 0.5, y: 0, width: 1, height: 1), NormalizedRect(x: .nan, y: 0, width: 1, height: 1),
      NormalizedRect(x: 0, y: 0, width: -1, height: 1),
    ] {
      let plan = CropPlan(
        source: PixelSize(width: 400, height: 300), detector: "x", faces: [],
        crops: [CropPlan.Crop(region: region, faces: [])])
      await #expect { try await FaceCropper().render(plan, from: source) } throws: {
        ($0 as? FaceCropError)?.kind == "invalid"
      }
    }
  }

  @Test func regionsAreLimited() async throws {
    var limits = Limits()
    limits.regionBytes = 400 * 300 * 3
    let source = ImageSource.bytes(try Self.picture())
    _ = try await FaceCropper(detector: StubDetector(), limits: limits).crop(source)
    limits.regionBytes -= 1
    let limited = FaceCropper(detector: StubDetector(), limits: limits)
    await #expect(throws: FaceCropError.overLimit(.regionBytes, actual: 360_000, allowed: 359_999)) {
      try await limited.crop(source)
    }
  }

  @Test func metadataPolicies() async throws {
    let exif = EXIFBuilder.tiff(orientation: 6, artist: "Ada", gps: true, thumbnail: [0xFF, 0xD8, 0xFF, 0xD9])
    let source = ImageSource.bytes(try Self.picture(.baseline420.with { $0.segments = [.exif(exif)] }))
    let cropper = FaceCropper(detector: StubDetector())
    var request = CropRequest()
    #expect(try await cropper.crop(source, request: request).crops[0].exif == nil)
    request.output.metadata = .keep
    let crop = try await cropper.crop(source, request: request).crops[0]
    let output = try await cropper.encode(crop, as: .jpeg(quality: 80))
    let header = try JPEGHeader(reading: output.span, job: .forTests())
    #expect(header.exif == crop.exif && header.exif != nil)
    #expect(header.orientation == .up)
    #expect(header.size == PixelSize(width: 300, height: 400))
  }

  // MARK: Errors of a caller's detector

  private struct FailingDetector: TestDetector {
    struct Failure: Error {}
    var failsToPrepare = false
    var name: String { "failing" }
    func prepare() throws -> any ReadyFaceDetector {
      if failsToPrepare { throw Failure() }
      return self
    }

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) throws -> [Face] { throw Failure() }
  }

  @Test(arguments: [true, false])
  func detectorsErrorsAreTyped(failsToPrepare: Bool) async throws {
    let source = ImageSource.bytes(try Self.picture())
    let cropper = FaceCropper(detector: FailingDetector(failsToPrepare: failsToPrepare))
    await #expect { try await cropper.crop(source) } throws: { ($0 as? FaceCropError)?.kind == "detector" }
  }

  @Test func facesOutsideThePictureAreDropped() async throws {
    let wrong = [
      Face(box: NormalizedRect(x: 0.9, y: 0, width: 0.5, height: 0.5), score: 1),
      Face(box: NormalizedRect(x: .nan, y: 0, width: 0.5, height: 0.5), score: 1), Self.face,
    ]
    let detection = try await FaceCropper(detector: StubDetector(found: wrong)).detect(in: .bytes(Self.picture()))
    #expect(detection.faces.map(\.box) == [Self.face.box])
  }

  // MARK: Progress

  @Test(arguments: [JPEGRecipe.baseline420, .progressive])
  func progressGoesThroughThePhasesAndNeverBack(recipe: JPEGRecipe) async throws {
    let reports = Mutex<[CropProgress]>([])
    let report: @Sendable (CropProgress) -> Void = { progress in reports.withLock { $0.append(progress) } }
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]))
    let result = try await cropper.crop(.bytes(Self.picture(recipe)), progress: report)
    _ = try await cropper.encode(result.crops[0], as: .jpeg(quality: 80), progress: report)
    let seen = reports.withLock { $0 }
    // Nothing is fetched.
    let order = CropProgress.Phase.allCases.filter { $0 != .fetch }
    let places = try seen.map { try #require(order.firstIndex(of: $0.phase)) }
    #expect(places == places.sorted())
    #expect(Set(seen.map(\.phase)) == Set(order))
    for phase in order {
      let own = seen.filter { $0.phase == phase }
      #expect(own.map(\.fraction) == own.map(\.fraction).sorted())
      if phase != .overview || recipe == .baseline420 { #expect(own.last?.phaseFraction == 1) }
      #expect(own.allSatisfy { (0...1).contains($0.fraction) })
    }
    #expect(seen.filter { $0.phase == .render }.count > 5)
  }

  /// A damaged file is decoded again without the index; progress waits until it is ahead again.
  @Test func progressOfADamagedPictureDoesNotGoBack() async throws {
    let jpeg = try Self.picture(width: 5_000, height: 600)
    let reports = Mutex<[CropProgress]>([])
    var request = CropRequest()
    request.allowsDamage = true
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]))
    let cut = Array(jpeg.prefix(jpeg.count * 3 / 4))
    let result = try await cropper.crop(.bytes(cut), request: request) { progress in
      reports.withLock { $0.append(progress) }
    }
    #expect(!result.warnings.isEmpty)
    for phase in [CropProgress.Phase.overview, .render] {
      let fractions = reports.withLock { $0.filter { $0.phase == phase }.map(\.fraction) }
      #expect(fractions.count > 5 && fractions == fractions.sorted())
    }
  }

  // MARK: Cancellation

  /// Cancelled at any row, the call ends there: no further progress, a typed error, no open descriptor.
  @Test(arguments: [JPEGRecipe.baseline420, .progressive, .arithmetic], [CropProgress.Phase.overview, .render])
  func cancellationReachesTheDecodingLoop(recipe: JPEGRecipe, phase: CropProgress.Phase) async throws {
    let jpeg = try Self.picture(recipe, width: 1_500, height: 3_000)
    let cropper = FaceCropper(detector: StubDetector())
    let task = Mutex<Task<FaceCropError?, Never>?>(nil)
    let after = Mutex(0)
    let report: @Sendable (CropProgress) -> Void = { progress in
      guard progress.phase == phase, progress.phaseFraction > 0.2 else { return }
      after.withLock { $0 += 1 }
      task.withLock { $0?.cancel() }
    }
    let running = task.withLock { task in
      let started = Task<FaceCropError?, Never> {
        do throws(FaceCropError) {
          _ = try await cropper.crop(.bytes(jpeg), progress: report)
          return nil
        } catch {
          return error
        }
      }
      task = started
      return started
    }
    #expect(await running.value == .cancelled)
    #expect(after.withLock { $0 } == 1)
  }

  /// One call of libjpeg can take long without a row to stop at, for example to skip rows. The source checks the flag
  /// whenever it hands out the next part of the file.
  @Test func cancellationReachesIntoOneCall() throws {
    let jpeg = try Self.picture(width: 1_500, height: 3_000)
    let region = PixelRect(x: 0, y: 0, width: 1_500, height: 2_900)
    let job = Job.forTests()
    var rows = [UInt8](repeating: 0, count: region.width * region.height)
    #expect(throws: FaceCropError.cancelled) {
      try unsafe jpeg.withUnsafeBufferPointer { bytes in
        let decoder = try unsafe JPEGDecoder(reading: bytes, isFileMapping: false, job: job)
        try decoder.startRegion(region, scale: 8, color: .gray)
        job.cancellation.cancel()
        _ = try unsafe rows.withUnsafeMutableBufferPointer { rows in
          try unsafe decoder.readRows(into: rows, bytesPerRow: region.width, count: region.height)
        }
      }
    }
  }

  @Test func aCancelledTaskDoesNotBegin() async throws {
    let jpeg = try Self.picture()
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await FaceCropper().crop(.bytes(jpeg))
    }
    await #expect(throws: FaceCropError.cancelled) { try await task.value }
  }

  @Test(arguments: [1.0, 0.5]) func manyRequestsLeaveNoDescriptorOpen(part: Double) async throws {
    // A separate file, whole or truncated: other tests open and close descriptors all the time.
    let jpeg = try Self.picture()
    let path = FilePath("/tmp/facecrop-descriptors-\(getpid())-\(part).jpg")
    let file = try FileDescriptor.open(path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(jpeg.prefix(Int(Double(jpeg.count) * part))) }
    defer { unsafe unlink(path.string) }
    func isOpen() -> Bool {
      (0..<65_536).contains { descriptor in
        var link = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink("/proc/self/fd/\(descriptor)", &link, link.count)
        return count > 0 && link.starts(with: path.string.utf8.map(CChar.init(bitPattern:)))
      }
    }
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]))
    for _ in 0..<20 { _ = try? await cropper.crop(.file(path)) }
    #expect(!isOpen())
    let held = try FileDescriptor.open(path, .readOnly)
    #expect(isOpen())
    try held.close()
  }
}
