import TestSupport
import Testing

@testable import FaceCrop

/// Outputs at a size equal the full decode, rotated upright, cut and resized.
@Suite struct RenderingTests {
  private static let recipes: [(name: String, recipe: JPEGRecipe)] = [
    ("4:2:0", .baseline420), ("4:4:4", .baseline444), ("4:2:2, restarts", .baseline422.with { $0.restartRows = 1 }),
    ("progressive", .progressive), ("gray", .gray), ("CMYK", .cmykAdobe),
  ]

  /// Images that are more or less hard to scale.
  private enum Subject: CaseIterable {
    /// A portrait with a camera's noise.
    case portrait
    /// Gradients, edges every few pixels, a little noise.
    case pattern
    /// Only noise of full range, for the worst case of codec scaling.
    case noise

    func picture(width: Int, height: Int, channels: Int) throws -> Pixels {
      switch self {
      case .portrait where channels == 4:
        try Pixels(width: width, height: height, channels: 4, samples: largePortrait(width: width, height: height).inks)
      case .portrait: try largePortrait(width: width, height: height)
      case .pattern: .testPattern(width: width, height: height, channels: channels, seed: 1)
      case .noise: .noise(width: width, height: height, channels: channels)
      }
    }
  }

  private static func render(
    _ jpeg: [UInt8], _ crops: [CropPlan.Crop], in size: PixelSize, limits: Limits = Limits(),
    _ change: (inout CropOutput) -> Void
  ) async throws(FaceCropError) -> CropResult<RenderedCrop> {
    var output = CropOutput()
    change(&output)
    let plan = CropPlan(source: size, detector: "none", faces: [], crops: crops)
    return try await FaceCropper(detector: StubDetector(), limits: limits).render(
      plan, from: .bytes(jpeg), output: output)
  }

  private static func render(
    _ jpeg: [UInt8], _ region: PixelRect, in size: PixelSize, limits: Limits = Limits(),
    _ change: (inout CropOutput) -> Void
  ) async throws(FaceCropError) -> CropResult<RenderedCrop> {
    try await render(
      jpeg, [CropPlan.Crop(region: region.normalized(in: size), faces: [])], in: size, limits: limits, change)
  }

  /// Returns the allowed mean difference from the reference in levels: 2 if the codec scales, almost none otherwise.
  private func bound(_ side: Int, of region: PixelRect) -> Double { 4 * side <= region.size.longSide ? 2 : 0.01 }

  // MARK: Comparison with the reference

  @Test(arguments: Orientation.allCases)
  func outputsEqualTheReference(orientation: Orientation) async throws {
    var random = SplitMix64(seed: UInt64(orientation.rawValue))
    let exif = MarkerSegment.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue)))
    for (name, recipe) in Self.recipes {
      for subject in Subject.allCases {
        let jpeg = try recipe.with { $0.segments = [exif] }
          .encode(subject.picture(width: 301, height: 222, channels: recipe.channels))
        let upright = try referencePixels(jpeg).turned(orientation: orientation.rawValue)
        let size = PixelSize(width: upright.width, height: upright.height)
        for _ in 0..<2 {
          let (width, height) = (Int.random(in: 100...200, using: &random), Int.random(in: 100...200, using: &random))
          let region = PixelRect(
            x: .random(in: 0...size.width - width, using: &random),
            y: .random(in: 0...size.height - height, using: &random), width: width, height: height)
          let side = Int(Double(region.size.longSide) * .random(in: 0.05...1, using: &random))
          let crop = try await Self.render(jpeg, region, in: size) { $0.sizes = [.longSide(side)] }.crops[0]
          let expected = referenceResize(
            upright.cropped(region), width: crop.pixels.width, height: crop.pixels.height)
          #expect(
            Pixels(crop.pixels).meanDifference(from: expected) <= bound(side, of: region),
            "\(name), \(subject), \(region) to \(side)")
        }
      }
    }
  }

  /// From a twentieth of the region to its own size, and larger.
  @Test func outputsOfAnySizeEqualTheReference() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(largePortrait(width: 400, height: 300))
    let whole = try referencePixels(jpeg)
    let size = PixelSize(width: 400, height: 300)
    let region = PixelRect(x: 91, y: 47, width: 240, height: 211)
    for side in [12, 13, 24, 30, 45, 59, 60, 61, 90, 119, 120, 121, 180, 239, 240, 400] {
      let result = try await Self.render(jpeg, region, in: size) { output in
        output.sizes = [.longSide(side)]
        output.allowsUpscaling = true
      }
      let crop = result.crops[0]
      #expect(crop.pixels.size.longSide == side && crop.region == region && result.warnings.isEmpty)
      let expected = referenceResize(whole.cropped(region), width: crop.pixels.width, height: crop.pixels.height)
      let difference = Pixels(crop.pixels).meanDifference(from: expected)
      #expect(difference <= bound(side, of: region), "\(side): \(difference)")
    }
  }

  /// An output of another shape shows the largest part of the region with that shape.
  @Test func outputsOfAnotherShapeShowAPartOfTheRegion() async throws {
    let jpeg = try JPEGRecipe.baseline444.encode(largePortrait(width: 400, height: 300))
    let whole = try referencePixels(jpeg)
    let size = PixelSize(width: 400, height: 300)
    let region = PixelRect(x: 50, y: 30, width: 300, height: 250)
    let trials: [(width: Int, height: Int, part: PixelRect)] = [
      (300, 20, PixelRect(x: 50, y: 145, width: 300, height: 20)),
      (20, 250, PixelRect(x: 190, y: 30, width: 20, height: 250)),
      (75, 25, PixelRect(x: 50, y: 105, width: 300, height: 100)),
      (50, 50, PixelRect(x: 75, y: 30, width: 250, height: 250)),
      (60, 50, region), (299, 249, region),
    ]
    for trial in trials {
      let crop = try await Self.render(jpeg, region, in: size) { output in
        output.sizes = [.exact(width: trial.width, height: trial.height)]
        output.allowsUpscaling = true
      }.crops[0]
      #expect(crop.region == trial.part)
      let expected = referenceResize(whole.cropped(trial.part), width: trial.width, height: trial.height)
      #expect(Pixels(crop.pixels).meanDifference(from: expected) <= 2, "\(trial)")
    }
  }

  /// The part contains the faces if they fit, and stays inside the crop.
  @Test func thePartThatIsShownIsAroundTheFaces() {
    let picture = PixelSize(width: 1_000, height: 500)
    func parts(_ crop: CropPlan.Crop, faceAt x: Double) -> [CropPlan.Part] {
      let face = Face(box: NormalizedRect(x: x, y: 0.4, width: 0.1, height: 0.2), score: 1)
      let plan = CropPlan(source: picture, detector: "stub", faces: [face], crops: [crop])
      return plan.parts(for: [.exact(width: 100, height: 100), .longSide(9), .exact(width: 50, height: 50)])
    }
    let whole = CropPlan.Crop(region: .whole, faces: [0])
    for (x, left) in [(0.0, 0), (0.3, 100), (0.6, 400), (0.9, 500)] {
      let parts = parts(whole, faceAt: x)
      #expect(parts.map(\.sizes.count) == [1, 1, 1] && parts[1].crop == whole)
      for part in [parts[0], parts[2]] {
        #expect(
          PixelRect(covering: part.crop.region, in: picture) == PixelRect(x: left, y: 0, width: 500, height: 500))
      }
    }
    // The padding is cut as part of the frame.
    let frame = NormalizedRect(x: -0.5, y: 0, width: 1, height: 1)
    let padded = parts(
      CropPlan.Crop(region: NormalizedRect(x: 0, y: 0, width: 0.5, height: 1), frame: frame, faces: [0]), faceAt: 0)
    #expect(
      PixelRect(rounding: padded[0].crop.frame!, in: picture) == PixelRect(x: -200, y: 0, width: 500, height: 500))
    #expect(PixelRect(covering: padded[0].crop.region, in: picture) == PixelRect(x: 0, y: 0, width: 300, height: 500))
    #expect(padded[0].crop.hasUsableFrame)
    // A face in a rotated crop stays in the middle.
    let turn = CropPlan.Crop.Turn(degrees: 10, rect: NormalizedRect(x: 0.2, y: 0.2, width: 0.4, height: 0.4))
    let turned = parts(CropPlan.Crop(region: .whole, turn: turn, faces: [0]), faceAt: 0.35)[0].crop.turn!
    #expect(abs(turned.rect.midX - 0.4) < 1e-9 && abs(turned.rect.midY - 0.4) < 1e-9)
    #expect(abs(turned.rect.width - 0.2) < 1e-9 && abs(turned.rect.height - 0.4) < 1e-9)
  }

  // MARK: Sizes

  @Test func withoutASizeTheRegionIsAsItIs() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150, seed: 1))
    let size = PixelSize(width: 200, height: 150)
    let region = PixelRect(x: 11, y: 23, width: 101, height: 77)
    let cut = try referencePixels(jpeg).cropped(region)
    #expect(Pixels(try await Self.render(jpeg, region, in: size) { _ in }.crops[0].pixels) == cut)
    let asked = try await Self.render(jpeg, region, in: size) { $0.sizes = [.exact(width: 101, height: 77)] }
    #expect(Pixels(asked.crops[0].pixels) == cut && asked.warnings.isEmpty)
  }

  @Test func enlargesOnlyOnRequest() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150, seed: 1))
    let size = PixelSize(width: 200, height: 150)
    let region = PixelRect(x: 10, y: 20, width: 100, height: 60)
    let asked: [(OutputSize, asked: PixelSize, made: PixelSize)] = [
      (.longSide(200), PixelSize(width: 200, height: 120), region.size),
      (.width(150), PixelSize(width: 150, height: 90), region.size),
      (.height(90), PixelSize(width: 150, height: 90), region.size),
      (.exact(width: 200, height: 120), PixelSize(width: 200, height: 120), region.size),
    ]
    for trial in asked {
      let kept = try await Self.render(jpeg, region, in: size) { $0.sizes = [trial.0, .longSide(50)] }
      #expect(kept.crops.map(\.pixels.size) == [trial.made, PixelSize(width: 50, height: 30)])
      #expect(kept.warnings == [.smaller(requested: trial.asked, actual: trial.made)])
      let enlarged = try await Self.render(jpeg, region, in: size) { output in
        output.sizes = [trial.0]
        output.allowsUpscaling = true
      }
      #expect(enlarged.crops.map(\.pixels.size) == [trial.asked] && enlarged.warnings.isEmpty)
    }
  }

  /// Outputs that are made from larger ones equal those that are made alone.
  @Test func severalSizesAreLikeEachAlone() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(largePortrait(width: 640, height: 480))
    let size = PixelSize(width: 640, height: 480)
    let region = PixelRect(x: 20, y: 10, width: 600, height: 450)
    let requests: [[OutputSize]] = [
      [.longSide(512), .longSide(256), .longSide(128)],
      [.longSide(64), .longSide(300), .longSide(300), .longSide(150)],
      [.longSide(600), .longSide(290), .longSide(33)], [.longSide(400), .longSide(399), .longSide(100)],
      // Shapes that no other one contains.
      [.exact(width: 512, height: 128), .exact(width: 100, height: 256)],
      [.exact(width: 500, height: 130), .exact(width: 500, height: 450), .longSide(50)],
      // An enlarged output contains no more than the region.
      [.longSide(700), .longSide(340), .longSide(170)],
    ]
    for sizes in requests {
      let together = try await Self.render(jpeg, region, in: size) { output in
        output.sizes = sizes
        output.allowsUpscaling = true
      }
      #expect(together.crops.count == sizes.count && together.crops.allSatisfy { $0.crop == 0 })
      for (crop, one) in zip(together.crops, sizes) {
        let alone = try await Self.render(jpeg, region, in: size) { output in
          output.sizes = [one]
          output.allowsUpscaling = true
        }.crops[0]
        let difference = Pixels(crop.pixels).meanDifference(from: Pixels(alone.pixels))
        #expect(difference <= 1, "\(one) of \(sizes): \(difference)")
      }
    }
  }

  @Test func cropsAndSizesAreInOrder() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 200, height: 150, seed: 1))
    let size = PixelSize(width: 200, height: 150)
    let regions = [PixelRect(x: 0, y: 0, width: 80, height: 80), PixelRect(x: 100, y: 50, width: 60, height: 90)]
    let crops = regions.map { CropPlan.Crop(region: $0.normalized(in: size), faces: []) }
    let result = try await Self.render(jpeg, crops, in: size) { $0.sizes = [.longSide(20), .longSide(40)] }
    #expect(result.crops.map(\.crop) == [0, 0, 1, 1])
    #expect(result.crops.map(\.pixels.size.longSide) == [20, 40, 20, 40])
    #expect(result.crops.map(\.region) == [regions[0], regions[0], regions[1], regions[1]])
  }

  /// Only the documented scale is decoded, even with little memory.
  @Test func onlyWhatIsNeededIsDecoded() async throws {
    let size = PixelSize(width: 1_792, height: 1_344)
    let whole = PixelRect(x: 0, y: 0, width: 1_792, height: 1_344)
    for (recipe, channels) in [(JPEGRecipe.baseline420, 3), (.progressive, 3), (.gray, 1)] {
      let jpeg = try recipe.encode(.testPattern(width: 1_792, height: 1_344, channels: channels, seed: 1))
      for (side, scale) in [(8, 1), (67, 1), (68, 2), (135, 2), (136, 4), (271, 4), (272, 8)] {
        let bytes = 224 * scale * 168 * scale * channels
        var limits = Limits()
        limits.regionBytes = max(bytes, side * side * 3 / 4 * 3)
        _ = try await Self.render(jpeg, whole, in: size, limits: limits) { $0.sizes = [.longSide(side)] }
        limits.regionBytes = bytes - 1
        await #expect(throws: FaceCropError.overLimit(.regionBytes, actual: bytes, allowed: bytes - 1)) {
          try await Self.render(jpeg, whole, in: size, limits: limits) { $0.sizes = [.longSide(side)] }
        }
      }
    }
  }

  @Test func hugeOutputsAreRefused() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 40, height: 30, seed: 1))
    let size = PixelSize(width: 40, height: 30)
    let whole = PixelRect(x: 0, y: 0, width: 40, height: 30)
    for sizes in [[OutputSize.longSide(65_535)], [.longSide(10), .exact(width: 65_535, height: 65_535)]] {
      await #expect {
        try await Self.render(jpeg, whole, in: size) { ($0.sizes, $0.allowsUpscaling) = (sizes, true) }
      } throws: {
        ($0 as? FaceCropError)?.kind == "limit"
      }
      // Without enlarging they are only as large as the image.
      _ = try await Self.render(jpeg, whole, in: size) { $0.sizes = sizes }
    }
    for wrong in [OutputSize.longSide(0), .width(-1), .height(65_536), .exact(width: .max, height: .max)] {
      await #expect { try await Self.render(jpeg, whole, in: size) { $0.sizes = [wrong] } } throws: {
        ($0 as? FaceCropError)?.kind == "invalid"
      }
    }
    // A plan's frame is a size too; the image is copied into it.
    var limits = Limits()
    limits.regionBytes = 800 * 600 * 3 + 40 * 30 * 3 - 1
    let frame = CropPlan.Crop(
      region: .whole, frame: NormalizedRect(x: -10, y: -10, width: 20, height: 20), faces: [])
    await #expect(throws: FaceCropError.overLimit(.regionBytes, actual: 1_443_600, allowed: 1_443_599)) {
      try await Self.render(jpeg, [frame], in: size, limits: limits) { _ in }
    }
    #expect(try await Self.render(jpeg, [frame], in: size) { _ in }.crops[0].pixels.size.width == 800)
    // A circle is cut in a copy with colors and alpha.
    limits.regionBytes += 800 * 600 * 4 - 40 * 30 * 3
    await #expect(throws: FaceCropError.overLimit(.regionBytes, actual: 3_360_000, allowed: 3_359_999)) {
      try await Self.render(jpeg, [frame], in: size, limits: limits) { $0.shape = .circle }
    }
    limits.regionBytes += 1
    _ = try await Self.render(jpeg, [frame], in: size, limits: limits) { $0.shape = .circle }
  }

  @Test func outputsOfACropAreLimitedTogether() async throws {
    let jpeg = try JPEGRecipe.baseline420.encode(.testPattern(width: 400, height: 300, seed: 1))
    let size = PixelSize(width: 400, height: 300)
    var limits = Limits()
    limits.regionBytes = 10 * 360_000
    let sizes = [OutputSize](repeating: .longSide(400), count: 10)
    _ = try await Self.render(jpeg, PixelRect(x: 0, y: 0, width: 400, height: 300), in: size, limits: limits) {
      $0.sizes = sizes
    }
    await #expect(throws: FaceCropError.overLimit(.regionBytes, actual: 11 * 360_000, allowed: 10 * 360_000)) {
      try await Self.render(jpeg, PixelRect(x: 0, y: 0, width: 400, height: 300), in: size, limits: limits) {
        $0.sizes = sizes + [.longSide(400)]
      }
    }
  }

  // MARK: Frames

  private static let frames = [
    PixelRect(x: -30, y: -20, width: 120, height: 100), PixelRect(x: 120, y: 60, width: 130, height: 140),
    PixelRect(x: -50, y: 30, width: 300, height: 60), PixelRect(x: -100, y: -75, width: 400, height: 300),
  ]

  private static func crop(_ frame: PixelRect, in size: PixelSize) -> (CropPlan.Crop, PixelRect) {
    let region = frame.intersection(PixelRect(x: 0, y: 0, width: size.width, height: size.height))
    return (
      CropPlan.Crop(region: region.normalized(in: size), frame: frame.normalized(in: size), faces: []), region
    )
  }

  @Test(arguments: frames)
  func atFullSizeThePicturesPartIsExact(frame: PixelRect) async throws {
    let size = PixelSize(width: 200, height: 150)
    let (crop, region) = Self.crop(frame, in: size)
    let exif = MarkerSegment.exif(EXIFBuilder.tiff(orientation: 6))
    let jpeg = try JPEGRecipe.baseline420.with { $0.segments = [exif] }
      .encode(.testPattern(width: 150, height: 200, seed: 1))
    let cut = try referencePixels(jpeg).turned(orientation: 6).cropped(region)
    let (left, top) = (region.x - frame.x, region.y - frame.y)
    for fill in [PadFill.color(red: 1, green: 2, blue: 3), .edge, .blur] {
      let result = try await Self.render(jpeg, [crop], in: size) { $0.fill = fill }
      let output = Pixels(result.crops[0].pixels)
      #expect(result.crops[0].region == region)
      #expect(output.width == frame.width && output.height == frame.height)
      #expect(output.cropped(x: left, y: top, width: region.width, height: region.height) == cut, "\(fill)")
      var wrong = 0
      for y in 0..<frame.height {
        for x in 0..<frame.width
        where !(left..<left + region.width).contains(x) || !(top..<top + region.height).contains(y) {
          let nearest = cut[min(max(x - left, 0), cut.width - 1), min(max(y - top, 0), cut.height - 1)]
          switch fill {
          case .color(let red, let green, let blue): if output[x, y] != [red, green, blue] { wrong += 1 }
          case .edge: if output[x, y] != nearest { wrong += 1 }
          // Without its own edges: those of the pattern are 60 levels high.
          case .blur where x > 0 && (x < left || x > left + region.width):
            if zip(output[x, y], output[x - 1, y]).contains(where: { abs(Int($0) - Int($1)) > 15 }) { wrong += 1 }
          case .blur: break
          }
        }
      }
      #expect(wrong == 0, "\(fill)")
    }
    // A request without an edge policy still has the plan's frame.
    let plain = try await Self.render(jpeg, [crop], in: size) { _ in }
    let edge = try await Self.render(jpeg, [crop], in: size) { $0.fill = .edge }
    #expect(plain.crops == edge.crops)
  }

  @Test(arguments: frames)
  func resizedThePicturesPartIsTheResizedRegion(frame: PixelRect) async throws {
    let size = PixelSize(width: 200, height: 150)
    let (crop, region) = Self.crop(frame, in: size)
    let jpeg = try JPEGRecipe.baseline420.encode(largePortrait(width: 200, height: 150))
    let cut = try referencePixels(jpeg).cropped(region)
    let color: [UInt8] = [250, 10, 250]
    for part in [0.1, 0.33, 0.5, 0.8, 2] {
      let side = Int(Double(frame.size.longSide) * part)
      let result = try await Self.render(jpeg, [crop], in: size) { output in
        output.fill = .color(red: color[0], green: color[1], blue: color[2])
        output.sizes = [.longSide(side), .longSide(max(side / 2, 1))]
        output.allowsUpscaling = true
      }
      for rendered in result.crops {
        let output = Pixels(rendered.pixels)
        // The region's position, to the nearest pixel.
        let (across, down) = (
          Double(output.width) / Double(frame.width), Double(output.height) / Double(frame.height)
        )
        let left = Int((Double(region.x - frame.x) * across).rounded())
        let top = Int((Double(region.y - frame.y) * down).rounded())
        let right = Int((Double(region.x - frame.x + region.width) * across).rounded())
        let bottom = Int((Double(region.y - frame.y + region.height) * down).rounded())
        let inner = output.cropped(x: left, y: top, width: right - left, height: bottom - top)
        let expected = referenceResize(cut, width: inner.width, height: inner.height)
        #expect(inner.meanDifference(from: expected) <= 2, "\(output): \(inner.meanDifference(from: expected))")
        var outside = 0
        for y in 0..<output.height {
          for x in 0..<output.width where !(left..<right).contains(x) || !(top..<bottom).contains(y) {
            if output[x, y] != color { outside += 1 }
          }
        }
        #expect(outside == 0, "\(output)")
      }
    }
  }

  @Test func aGrayPicturesFrameIsGray() async throws {
    let size = PixelSize(width: 40, height: 30)
    let (crop, _) = Self.crop(PixelRect(x: -10, y: 0, width: 40, height: 30), in: size)
    let jpeg = try JPEGRecipe.gray.encode(.testPattern(width: 40, height: 30, channels: 1, seed: 1))
    let output = try await Self.render(jpeg, [crop], in: size) { $0.fill = .color(red: 255, green: 0, blue: 0) }
    #expect(output.crops[0].pixels.format == .gray && Pixels(output.crops[0].pixels)[0, 0] == [76])
  }

  @Test func aStrangersFrameIsRefused() async throws {
    let size = PixelSize(width: 40, height: 30)
    let jpeg = try JPEGRecipe.gray.encode(.testPattern(width: 40, height: 30, channels: 1, seed: 1))
    for frame in [
      NormalizedRect(x: 0.5, y: 0, width: 1, height: 1), NormalizedRect(x: 0, y: 0, width: 21, height: 1),
      NormalizedRect(x: .nan, y: 0, width: 1, height: 1), NormalizedRect(x: 0, y: 0, width: 1, height: .infinity),
    ] {
      await #expect {
        try await Self.render(jpeg, [CropPlan.Crop(region: .whole, frame: frame, faces: [])], in: size) { _ in }
      } throws: {
        ($0 as? FaceCropError)?.kind == "invalid"
      }
    }
  }
}

extension Pixels {
  /// The image in CMYK, as Adobe's programs store it, with a little black.
  fileprivate var inks: [UInt8] {
    var inks: [UInt8] = []
    for pixel in stride(from: 0, to: samples.count, by: 3) { inks += samples[pixel..<pixel + 3] + [230] }
    return inks
  }
}
