import TestSupport
import Testing

@testable import FaceCrop

/// Hidden faces in JPEG files: blocks outside keep their coefficients, for every kind of file and orientation.
@Suite struct BlurBlocksTests {
  private static let face = Face(box: NormalizedRect(x: 0.3, y: 0.25, width: 0.2, height: 0.3), score: 0.9)
  private static let size = PixelSize(width: 331, height: 250)
  private static let recipes: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", .baseline420), ("4:4:4", .baseline444), ("4:2:2", .baseline422), ("gray", .gray), ("RGB", .rgb),
    ("progressive", .progressive), ("several scans", .multiscan), ("arithmetic", .arithmetic), ("restarts", .restart),
    ("optimized", JPEGRecipe(sampling: [.init(2, 2)], optimizedHuffman: true)), ("CMYK", JPEGRecipe(color: .cmyk)),
    ("restart of 3", JPEGRecipe(sampling: [.init(2, 1)], restartInterval: 3)),
  ]

  private func hide(
    _ jpeg: [UInt8], _ request: BlurRequest = BlurRequest(), plan: CropPlan? = nil
  ) async throws -> BlurredImage {
    let cropper = FaceCropper(detector: StubDetector(found: [Self.face]), limits: with(Limits()) { $0.tiles = 1 })
    return try await cropper.blur(.bytes(jpeg), request: request, plan: plan)
  }

  /// Returns the blocks of a component that differ, in pixels of the image as stored.
  private func differences(
    _ before: [UInt8], _ after: [UInt8], component: Int, sampling: (luma: JPEGRecipe.Sampling, own: JPEGRecipe.Sampling)
  ) throws -> [PixelRect] {
    let (first, _) = try quantizedCoefficients(before, component: component)
    let (second, warnings) = try quantizedCoefficients(after, component: component)
    #expect(warnings == 0)
    #expect(first.widthInBlocks == second.widthInBlocks && first.heightInBlocks == second.heightInBlocks)
    let width = 8 * sampling.luma.horizontal / sampling.own.horizontal
    let height = 8 * sampling.luma.vertical / sampling.own.vertical
    var rects: [PixelRect] = []
    for y in 0..<first.heightInBlocks {
      for x in 0..<first.widthInBlocks where first.block(x: x, y: y) != second.block(x: x, y: y) {
        rects.append(PixelRect(x: x * width, y: y * height, width: width, height: height))
      }
    }
    return rects
  }

  @Test(arguments: recipes.map(\.name), Orientation.allCases)
  func noOtherBlockChanges(name: String, orientation: Orientation) async throws {
    var recipe = try #require(Self.recipes.first { $0.name == name }).recipe
    recipe.segments = [.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue), gps: true))]
    let jpeg = try recipe.encode(
      .testPattern(width: Self.size.width, height: Self.size.height, channels: recipe.channels, seed: 5))
    let result = try await hide(jpeg)
    #expect(result.keepsBlocks && result.format == .jpeg && result.plan.crops.count == 1)
    let header = try JPEGHeader(reading: result.bytes.span, job: .forTests())
    #expect(header.orientation == orientation && header.size == Self.size)
    #expect(header.isProgressive == recipe.progressive)

    let crop = result.plan.crops[0]
    let hidden = orientation.stored(
      PixelRect(covering: (crop.frame ?? crop.region).clamped(), in: orientation.applied(to: Self.size)), in: Self.size)
    let luma = recipe.channels == 3 ? recipe.sampling.first ?? .init(1, 1) : .init(1, 1)
    for component in 0..<(try quantizedCoefficients(jpeg, component: 0).coefficients.componentCount) {
      let own = component == 0 ? luma : JPEGRecipe.Sampling(1, 1)
      let changed = try differences(jpeg, result.bytes, component: component, sampling: (luma, own))
      #expect(!changed.isEmpty, "component \(component)")
      let outside = changed.filter { $0.intersection(hidden).width == 0 || $0.intersection(hidden).height == 0 }
      #expect(outside == [], "component \(component)")
    }
  }

  @Test func theWayDependsOnTheFile() async throws {
    let picture = Pixels.testPattern(width: 331, height: 250, channels: 3, seed: 5)
    #expect(try await hide(JPEGRecipe.baseline420.encode(picture)).path == .index)
    #expect(try await hide(JPEGRecipe.progressive.encode(picture)).path == .coefficients)
    #expect(try await hide(JPEGRecipe.arithmetic.encode(picture)).path == .coefficients)
  }

  /// Files whose optimized tables have few codes, because the image is smooth, so that new blocks lack some.
  private static let smooth: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", JPEGRecipe(sampling: [.init(2, 2)], optimizedHuffman: true)),
    ("gray", JPEGRecipe(color: .gray, optimizedHuffman: true)),
    ("CMYK", JPEGRecipe(color: .cmyk, optimizedHuffman: true)),
    ("restart of 3", JPEGRecipe(sampling: [.init(2, 1)], optimizedHuffman: true, restartInterval: 3)),
    ("full tables", .baseline420),
  ]

  /// Returns a file whose tables for AC lack codes and have no room for them: all codes of symbols that a smooth image
  /// has no use for mean the end of a block.
  private func withFullTables(_ jpeg: [UInt8]) -> [UInt8] {
    var jpeg = jpeg
    for at in 0..<jpeg.count - 21 where jpeg[at...].starts(with: [0xFF, 0xC4]) && jpeg[at + 4] >> 4 == 1 {
      let count = jpeg[at + 5..<at + 21].reduce(0) { $0 + Int($1) }
      for place in at + 21..<at + 21 + count where jpeg[place] & 15 > 2 { jpeg[place] = 0 }
    }
    return jpeg
  }

  /// Both ways give the same coefficients, even if the file's tables lack a code for one.
  @Test(arguments: BlurMode.allCases, [nil] + smooth.map(\.name))
  func bothWaysAgree(mode: BlurMode, smooth name: String?) throws {
    let recipe = Self.smooth.first { $0.name == name }?.recipe ?? .baseline420
    var image = Pixels.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5)
    if name != nil {
      var samples: [UInt8] = []
      for place in 0..<331 * 250 {
        for channel in 0..<recipe.channels {
          let slope = place % 331 / 40 - place / 331 / 60
          samples.append(UInt8(200 + 6 * channel + slope))
        }
      }
      image = Pixels(width: 331, height: 250, channels: recipe.channels, samples: samples)
    }
    let encoded = try recipe.encode(image)
    let jpeg = name == "full tables" ? withFullTables(encoded) : encoded
    var area = HiddenArea([[.init(x: 40.5, y: 30), .init(x: 170, y: 55), .init(x: 90, y: 190)]])
    let cover = BlurImage(PixelBuffer(.noise(width: 90, height: 60)))
    area.cover = AreaCover(cover, over: area, along: [.init(x: 0.8, y: 0.6), .init(x: -0.6, y: 0.8)])
    func hidden(_ access: JPEGSession.Access) throws -> [UInt8] {
      try unsafe jpeg.withUnsafeBufferPointer { bytes in
        let source = unsafe ImageBytes(bytes, isFileMapping: false)
        let session = try JPEGSession(source, allowsDamage: false, access: access, job: .forTests())
        let hidden = try session.blur([area], by: mode, metadata: CropMetadata(), progress: .silent)
        #expect(hidden.path == (access == .indexed ? .index : .coefficients))
        return hidden.value
      }
    }
    let (first, second) = (try hidden(.indexed), try hidden(.sequential))
    for component in 0..<min(recipe.channels, 4) {
      let (one, warnings) = try quantizedCoefficients(first, component: component)
      let isSame = try one == quantizedCoefficients(second, component: component).coefficients
      #expect(isSame && warnings == 0, "component \(component)")
    }
  }

  /// Without a face only the metadata change.
  @Test func withoutAFaceEveryCoefficientStays() async throws {
    for recipe in [JPEGRecipe.baseline420, .progressive] {
      let jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5))
      let result = try await hide(jpeg, BlurRequest(faces: .except([1])))
      #expect(result.plan.crops.isEmpty)
      for component in 0..<3 {
        let isSame =
          try quantizedCoefficients(jpeg, component: component).coefficients
          == quantizedCoefficients(result.bytes, component: component).coefficients
        #expect(isSame)
      }
    }
  }

  /// Damage is judged like elsewhere.
  @Test func damageIsJudged() async throws {
    var jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5))
    jpeg.removeLast(jpeg.count / 3)
    await #expect(throws: FaceCropError.self) { try await hide(jpeg) }
    let result = try await hide(jpeg, BlurRequest(allowsDamage: true))
    #expect(result.warnings.contains { if case .truncated = $0 { true } else { false } })
  }

  /// Coefficients of a progressive file count against their limit.
  @Test func coefficientsHaveALimit() async throws {
    let jpeg = try JPEGRecipe.progressive.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5))
    let cropper = FaceCropper(
      detector: StubDetector(found: [Self.face]),
      limits: with(Limits()) {
        $0.coefficientBytes = 100_000; $0.tiles = 1
      })
    let error = await #expect(throws: FaceCropError.self) { try await cropper.blur(.bytes(jpeg)) }
    #expect(error?.kind == "limit")
  }

  // MARK: Metadata

  private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  /// A table that the file's own one replaces, or that no component uses, can hold a thumbnail of the face.
  @Test(arguments: recipes.map(\.name)) func otherTablesAreDropped(name: String) async throws {
    var recipe = try #require(Self.recipes.first { $0.name == name }).recipe
    let text = (0..<64).map { UInt8(truncatingIfNeeded: 37 * $0 + 101) }
    recipe.segments = JPEGSurgery.tables(holding: text)
    let jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5))
    #expect(holds(jpeg, text))
    let hidden = try await hide(jpeg)
    let hasText = holds(hidden.bytes, Array(text.prefix(16)))
    #expect(!hasText)
    let whole = try await hide(jpeg, BlurRequest(faces: .except([1])))
    let wholeHasText = holds(whole.bytes, Array(text.prefix(16)))
    #expect(!wholeHasText)
    let isSame = try referenceDecode(whole.bytes, as: .stored).pixels == referenceDecode(jpeg, as: .stored).pixels
    #expect(isSame)
  }

  /// The header of a file of one scan is written anew, with the file's values.
  @Test(arguments: [
    JPEGRecipe.baseline420, .gray, .rgb, .restart, JPEGRecipe(color: .cmyk), JPEGRecipe(color: .ycck),
    JPEGRecipe(quality: 3, wideQuantization: true), JPEGRecipe(jfif: false), JPEGRecipe(jfif: true, adobe: true),
  ])
  func theHeadersValuesStay(recipe: JPEGRecipe) async throws {
    var jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5))
    if let jfif = JPEGSurgery.markers(in: jpeg).first(where: { $0.code == 0xE0 }) {
      // 72 and 300 pixels per inch.
      jpeg.replaceSubrange(jfif.payload.lowerBound + 7..<jfif.payload.lowerBound + 12, with: [1, 0, 72, 1, 44])
    }
    func segments(_ file: [UInt8]) -> [[UInt8]] {
      JPEGSurgery.markers(in: file).filter { $0.isFrame || [0xE0, 0xEE, 0xDD].contains($0.code) }
        .map { Array(file[$0.offset..<$0.end]) }
    }
    let result = try await hide(jpeg)
    #expect(result.path == .index)
    #expect(segments(result.bytes) == segments(jpeg))
  }

  @Test(arguments: [JPEGRecipe.baseline420, .progressive])
  func profilesAreKept(recipe: JPEGRecipe) async throws {
    var recipe = recipe
    let profile = ICCBuilder.profile(.displayP3, padding: 70_000)
    recipe.segments = ICCBuilder.segments(for: profile)
    let result = try await hide(recipe.encode(.testPattern(width: 331, height: 250, channels: 3, seed: 5)))
    #expect(try JPEGHeader(reading: result.bytes.span, job: .forTests()).profile == profile)
  }

  /// Thumbnails, gain maps, maker notes, and positions can show the face or the place.
  @Test(arguments: [JPEGRecipe.baseline420, .progressive])
  func embeddedImagesAndPositionsAreDropped(recipe: JPEGRecipe) async throws {
    let picture = Pixels.testPattern(width: 331, height: 250, channels: 3, seed: 5)
    let thumbnail = try JPEGRecipe.baseline420.encode(.testPattern(width: 40, height: 30, channels: 3, seed: 5))
    let exif = EXIFBuilder.tiff(
      orientation: 6, artist: "Fixture Artist", dateTimeOriginal: "2024:05:06 07:08:09", gps: true,
      thumbnail: thumbnail)
    var recipe = recipe
    recipe.segments = [
      .exif(exif), MarkerSegment(code: 0xFE, bytes: thumbnail), .app(13, Array("Photoshop 3.0\0".utf8) + thumbnail),
      .app(1, Array("http://ns.adobe.com/xmp/extension/\0".utf8) + thumbnail),
      .app(0, Array("JFXX\0".utf8) + [0x10] + thumbnail),
      .app(2, Array("ICC_PROFILE\0".utf8) + [1, 1] + thumbnail),
      .app(14, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1] + thumbnail),
    ]
    let jpeg = JPEGSurgery.appending(trailer: thumbnail, to: try recipe.encode(picture))
    let result = try await hide(jpeg)
    #expect(!holds(result.bytes, Array(thumbnail.suffix(40))))
    #expect(JPEGSurgery.markers(in: result.bytes).allSatisfy { ![0xED, 0xE2].contains($0.code) })
    #expect(holds(result.bytes, Array("Fixture Artist".utf8)))
    let kept = try #require(EXIF(JPEGHeader(reading: result.bytes.span, job: .forTests()).exif ?? []))
    #expect(kept.values[.gps] == nil && kept.thumbnail == nil)
    let located = try await hide(jpeg, BlurRequest(keepsLocation: true))
    let header = try JPEGHeader(reading: located.bytes.span, job: .forTests())
    #expect(EXIF(header.exif ?? [])?.values[.gps] != nil)
    let stripped = try await hide(jpeg, BlurRequest(metadata: .strip))
    #expect(!holds(stripped.bytes, Array("Fixture Artist".utf8)))
    #expect(try JPEGHeader(reading: stripped.bytes.span, job: .forTests()).orientation == .right)
  }
}
