import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct LosslessCropTests {
  private static let face = Face(box: NormalizedRect(x: 0.3, y: 0.25, width: 0.25, height: 0.4), score: 0.5)
  private static let recipes: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", .baseline420), ("4:4:4", .baseline444), ("4:2:2", .baseline422), ("gray", .gray), ("RGB", .rgb),
    ("progressive", .progressive), ("several scans", .multiscan), ("arithmetic", .arithmetic), ("restarts", .restart),
    ("CMYK", JPEGRecipe(color: .cmyk)),
  ]

  private func crop(
    _ jpeg: [UInt8], _ change: (inout CropRequest) -> Void = { _ in }
  ) async throws -> CropResult<EncodedCrop> {
    var request = CropRequest()
    change(&request)
    return try await FaceCropper(detector: StubDetector(found: [Self.face])).cutLosslessly(
      .bytes(jpeg), request: request)
  }

  /// Coefficients and tables are the input's, for every kind of file and orientation.
  @Test(arguments: recipes.map(\.name), Orientation.allCases)
  func noCoefficientChanges(name: String, orientation: Orientation) async throws {
    var recipe = try #require(Self.recipes.first { $0.name == name }).recipe
    recipe.segments = [.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue), gps: true))]
    let jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5))
    let size = PixelSize(width: 331, height: 250)
    let result = try await crop(jpeg)
    let cut = try #require(result.crops.first)
    let requested = PixelRect(covering: Self.face.box, in: orientation.applied(to: size))
    #expect(cut.region.intersection(requested) == requested)
    #expect(result.warnings.contains(.grown(requested: requested, actual: cut.region)))
    #expect(try JPEGHeader(reading: cut.bytes.span, job: .forTests()).orientation == orientation)

    let stored = orientation.stored(cut.region, in: size)
    let pixels = try referenceDecode(cut.bytes, as: .stored).pixels
    #expect(pixels.width == stored.width && pixels.height == stored.height)
    let luma = recipe.channels == 3 ? recipe.sampling.first ?? .init(1, 1) : .init(1, 1)
    for component in 0..<(try quantizedCoefficients(jpeg, component: 0).coefficients.componentCount) {
      let sampling = component == 0 ? luma : .init(1, 1)
      let before = try quantizedCoefficients(jpeg, component: component)
      let after = try quantizedCoefficients(cut.bytes, component: component)
      #expect(after.warnings == 0)
      // Complete blocks of this component inside the image.
      let columns = stored.width * sampling.horizontal / (8 * luma.horizontal)
      let rows = stored.height * sampling.vertical / (8 * luma.vertical)
      let left = stored.x * sampling.horizontal / (8 * luma.horizontal)
      let top = stored.y * sampling.vertical / (8 * luma.vertical)
      var differing = 0
      for y in 0..<rows {
        for x in 0..<columns
        where after.coefficients.block(x: x, y: y) != before.coefficients.block(x: left + x, y: top + y) {
          differing += 1
        }
      }
      #expect(differing == 0 && rows * columns > 0, "component \(component)")
    }
    let tables = { (jpeg: [UInt8]) in
      Set(JPEGSurgery.markers(in: jpeg).filter { $0.code == 0xDB }.flatMap { Self.tables(in: jpeg[$0.payload]) })
    }
    #expect(tables(cut.bytes) == tables(jpeg))
  }

  /// Returns the quantization tables of a segment, each with its number.
  private static func tables(in payload: ArraySlice<UInt8>) -> [[UInt8]] {
    var rest = payload
    var tables: [[UInt8]] = []
    while let first = rest.first {
      let count = first >> 4 == 0 ? 65 : 129
      tables.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return tables
  }

  /// Tables that no component uses can hold a thumbnail.
  @Test(arguments: recipes.map(\.name)) func otherTablesAreDropped(name: String) async throws {
    var recipe = try #require(Self.recipes.first { $0.name == name }).recipe
    let text = (0..<64).map { UInt8(truncatingIfNeeded: 37 * $0 + 101) }
    recipe.segments = JPEGSurgery.tables(holding: text)
    let jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5))
    let cut = try #require(try await crop(jpeg).crops.first)
    let hasText = cut.bytes.indices.contains { cut.bytes[$0...].starts(with: text.prefix(16)) }
    #expect(!hasText)
  }

  /// A caller's bar is full after a successful call.
  @Test(arguments: recipes.map(\.name)) func progressEndsAtOne(name: String) async throws {
    let recipe = try #require(Self.recipes.first { $0.name == name }).recipe
    let jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5))
    let last = Mutex(0.0)
    _ = try await FaceCropper(detector: StubDetector(found: [Self.face])).cutLosslessly(.bytes(jpeg)) { progress in
      last.withLock { $0 = progress.fraction }
    }
    #expect(last.withLock { $0 } == 1)
  }

  @Test func smallCropsAreRefused() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5))
    let side = PixelRect(covering: Self.face.box, in: PixelSize(width: 331, height: 250)).size.longSide
    _ = try await crop(jpeg) { $0.output.smallestSide = side }
    let error = await #expect(throws: FaceCropError.self) {
      try await crop(jpeg) { $0.output.smallestSide = side + 1 }
    }
    #expect(error?.kind == "too-small")
  }

  @Test func theWayDependsOnTheFile() async throws {
    let picture = Pixels.testPattern(width: 331, height: 250, channels: 3, seed: 5)
    #expect(try await crop(try JPEGRecipe.baseline420.encode(picture)).crops[0].path == .index)
    #expect(try await crop(try JPEGRecipe.progressive.encode(picture)).crops[0].path == .coefficients)
    #expect(try await crop(try JPEGRecipe.arithmetic.encode(picture)).crops[0].path == .coefficients)
  }

  /// If the index finds damage, coefficients are read as far as possible, and the damage is reported.
  @Test func damageIsJudged() async throws {
    var jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5))
    jpeg.removeLast(jpeg.count / 3)
    await #expect(throws: FaceCropError.self) { try await crop(jpeg) }
    let result = try await crop(jpeg) { $0.allowsDamage = true }
    #expect(result.crops[0].path == .coefficients)
    #expect(result.warnings.contains { if case .truncated = $0 { true } else { false } })
  }

  /// Orientation and profile belong to the image; the policy controls the other metadata.
  @Test func metadataFollowThePolicy() async throws {
    let profile = ICCBuilder.profile(.displayP3, padding: 70_000)
    let exif = EXIFBuilder.tiff(
      orientation: 6, artist: "Fixture Artist", dateTimeOriginal: "2024:05:06 07:08:09", gps: true,
      thumbnail: [0xFF, 0xD8, 0xFF, 0xD9])
    var recipe = JPEGRecipe.baseline420
    recipe.segments = [.exif(exif)] + ICCBuilder.segments(for: profile)
    let jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5))
    func kept(_ policy: MetadataPolicy) async throws -> [UInt8] {
      let cut = try await crop(jpeg) { $0.output.metadata = policy }.crops[0].bytes
      let header = try JPEGHeader(reading: cut.span, job: .forTests())
      #expect(header.orientation == .right)
      let isSame = header.profile == profile
      #expect(isSame)
      return try #require(header.exif)
    }
    func holds(_ exif: [UInt8], _ text: String) -> Bool {
      exif.indices.contains { exif[$0...].starts(with: text.utf8) }
    }
    let stripped = try await kept(.strip)
    #expect(stripped.count == 26 && !holds(stripped, "Fixture"))
    let copyright = try await kept(.copyright)
    #expect(holds(copyright, "Fixture Artist") && !holds(copyright, "2024"))
    let all = try await kept(.keep)
    #expect(holds(all, "Fixture Artist") && holds(all, "2024"))
    #expect(!all.indices.contains { all[$0...].starts(with: [0xFF, 0xD8, 0xFF]) }, "the thumbnail goes")
  }

  @Test func refusesUncuttableRequests() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5))
    let changes: [(inout CropRequest) -> Void] = [
      { $0.output.sizes = [.longSide(100)] }, { $0.composition.layout = .framing(.avatar, edge: .pad) },
      { $0.output.shape = .circle }, { $0.composition.alignsEyes = true },
    ]
    for change in changes {
      let error = await #expect(throws: FaceCropError.self) { try await crop(jpeg, change) }
      #expect(error?.kind == "invalid")
    }
    let png = PNGBuilder(.testPattern(width: 60, height: 50, channels: 3, seed: 1)).encoded()
    let error = await #expect(throws: FaceCropError.self) { try await crop(png) }
    #expect(error?.kind == "unsupported")
  }

  /// A plan from `crop` works too.
  @Test func aStoredPlanIsCutAlike() async throws {
    let source = ImageSource.bytes(
      try JPEGRecipe.progressive.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5)))
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face, Self.face]))
    var request = CropRequest()
    request.search.faces = .each
    let once = try await cropper.cutLosslessly(source, request: request)
    let again = try await cropper.cutLosslessly(source, plan: once.plan)
    let isSame = once.crops == again.crops && once.crops.count == 2
    #expect(isSame)
  }
}
