import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Faces under an image, such as a mask: its place, its transparency, and every kind of file.
@Suite struct BlurImageTests {
  private static let face = Face(box: NormalizedRect(x: 0.3, y: 0.25, width: 0.2, height: 0.3), score: 0.9)
  private static let size = PixelSize(width: 331, height: 250)
  private static let (red, green, blue): ([UInt8], [UInt8], [UInt8]) = ([255, 0, 0], [0, 255, 0], [0, 0, 255])

  private func cropper(_ faces: [Face] = [face]) -> FaceCropper {
    FaceCropper(detector: StubDetector(found: faces), limits: with(Limits()) { $0.tiles = 1 })
  }

  /// An image of four quarters, with opaque colors or others.
  private static func quarters(_ colors: [[UInt8]], side: Int = 64) -> Pixels {
    var samples: [UInt8] = []
    for place in 0..<side * side {
      let (row, column) = (2 * (place / side) / side, 2 * (place % side) / side)
      samples += colors[2 * row + column]
    }
    return Pixels(width: side, height: side, channels: colors[0].count, samples: samples)
  }

  private static func request(_ image: Pixels, shape: BlurShape = .ellipse) -> BlurRequest {
    BlurRequest(mode: .image, shape: shape, image: BlurImage(PixelBuffer(image)))
  }

  /// Returns the area of one face.
  private func area(_ face: Face, in size: PixelSize, _ request: BlurRequest) -> HiddenArea {
    let crop = CropPlan.Crop(blurring: 0, of: [face], in: size, margin: request.margin)
    let plan = CropPlan(source: size, detector: "stub", faces: [face], crops: [crop])
    return HiddenArea(crop, of: plan, by: request, orientation: .up)
  }

  private func decoded(_ bytes: [UInt8]) async throws -> PixelBuffer {
    let request = CropRequest(search: FaceSearch(noFace: .whole))
    return try await cropper([]).crop(.bytes(bytes), request: request).crops[0].pixels.inColor()
  }

  private func color(_ pixels: PixelBuffer, _ x: Double, _ y: Double) -> [Int] {
    let start = (Int(y) * pixels.width + Int(x)) * pixels.format.channels
    return pixels.bytes[start..<start + pixels.format.channels].map(Int.init)
  }

  private func isNear(_ color: [Int], _ wanted: [UInt8]) -> Bool {
    zip(color, wanted).allSatisfy { abs($0 - Int($1)) < 40 }
  }

  // MARK: What stays hidden

  /// Whatever lies under a transparent or half transparent image, the result is the same.
  @Test(arguments: [1, 3, 4], [0, 100, 255] as [UInt8]) func transparencyShowsNothing(channels: Int, alpha: UInt8)
    throws
  {
    let request = Self.request(Pixels(width: 40, height: 30, color: [250, 120, 60, alpha]))
    let area = area(Self.face, in: Self.size, request)
    var (one, other) = (
      PixelBuffer(.noise(width: 331, height: 250, channels: channels, seed: 1)),
      PixelBuffer(.noise(width: 331, height: 250, channels: channels, seed: 2))
    )
    try one.hide([area], by: .image, .forTests())
    try other.hide([area], by: .image, .forTests())
    let wanted = [250, 120, 60].map { ($0 * Int(alpha) + 127) / 255 }
    var visible = 0
    for row in 0..<250 {
      area.forEachSpan(at: Double(row) + 0.5) { span in
        for column in stride(from: span.lowerBound.rounded(.up), to: span.upperBound, by: 1) {
          let pixel = color(one, column, Double(row))
          let isWanted = channels == 1 || zip(pixel, wanted + [255]).allSatisfy { abs($0 - $1) <= 1 }
          if !isWanted || pixel != color(other, column, Double(row)) { visible += 1 }
        }
      }
    }
    #expect(visible == 0)
  }

  /// The same pixels change as with black.
  @Test(arguments: [BlurShape.ellipse, .box, .head], [(200, 20), (20, 200), (1, 1), (700, 600)])
  func theWholeAreaIsCovered(shape: BlurShape, image: (width: Int, height: Int)) throws {
    let request = Self.request(Pixels(width: image.width, height: image.height, color: Self.green), shape: shape)
    let area = area(Self.face, in: Self.size, request)
    var (black, covered) = (
      PixelBuffer(Pixels(width: 331, height: 250, color: [100, 100, 100])),
      PixelBuffer(Pixels(width: 331, height: 250, color: [100, 100, 100]))
    )
    try black.hide([area], by: .solid, .forTests())
    try covered.hide([area], by: .image, .forTests())
    let wanted = stride(from: 0, to: black.bytes.count, by: 3).flatMap {
      black.bytes[$0] == 0 ? Self.green : [100, 100, 100]
    }
    let isSame = covered.bytes == wanted
    #expect(isSame && black.bytes.contains(0))
  }

  /// Areas of few pixels, and beyond the edges, have no pixel outside of the image.
  @Test func smallAreasAndEdgesAreCovered() throws {
    let image = BlurImage(PixelBuffer(Pixels(width: 512, height: 3, color: Self.green)))
    for (x, y, side) in [(5.0, 5.0, 0.0), (5, 5, 0.25), (5.5, 5.5, 2), (-40, -40, 60), (18, 18, 400)] {
      var pixels = PixelBuffer(Pixels(width: 20, height: 20, color: [9, 9, 9]))
      var area = HiddenArea([[.init(x: x, y: y), .init(x: x + side, y: y), .init(x: x, y: y + side)]])
      area.cover = AreaCover(image, over: area, along: [.init(x: 1, y: 0), .init(x: 0, y: 1)])
      try pixels.hide([area], by: .image, .forTests())
      #expect(
        stride(from: 0, to: 1_200, by: 3).allSatisfy {
          Set([[9, 9, 9], Self.green]).contains(Array(pixels.bytes[$0..<$0 + 3]))
        })
    }
  }

  @Test func theFaceIsFoundNoMore() async throws {
    let source = ImageSource.bytes(try fixtureBytes("astronaut.jpg"))
    let image = try await FaceCropper().blurImage(
      from: .bytes(PNGBuilder(Pixels(width: 30, height: 30, color: [255, 255, 255, 0])).encoded()))
    let hidden = try await FaceCropper().blur(source, request: BlurRequest(mode: .image, image: image))
    let found = try await FaceCropper().detect(in: .bytes(hidden.bytes))
    #expect(hidden.keepsBlocks && !found.faces.contains(where: isAstronaut))
  }

  // MARK: The place

  /// The image is upright as displayed, in every kind of JPEG file, whose other blocks stay.
  @Test(
    arguments: [
      .baseline420, .baseline444, .gray, .rgb, .progressive, JPEGRecipe(color: .cmyk), JPEGRecipe(color: .ycck),
    ] as [JPEGRecipe], Orientation.allCases)
  func theImageIsUprightInJPEG(recipe: JPEGRecipe, orientation: Orientation) async throws {
    var recipe = recipe
    recipe.segments = [.exif(EXIFBuilder.tiff(orientation: UInt16(orientation.rawValue)))]
    let jpeg = try recipe.encode(.testPattern(width: 331, height: 250, channels: recipe.channels, seed: 5))
    let colors = [Self.red, Self.green, Self.blue, [255, 255, 255]]
    let result = try await cropper().blur(.bytes(jpeg), request: Self.request(Self.quarters(colors)))
    #expect(result.keepsBlocks)
    let pixels = try await decoded(result.bytes)
    #expect(pixels.size == orientation.applied(to: Self.size))
    let frame = (result.plan.crops[0].frame ?? result.plan.crops[0].region).frame(in: pixels.size)
    let (x, y) = (frame.width / 5, frame.height / 5)
    for (wanted, (right, down)) in zip(colors, [(-x, -y), (x, -y), (-x, y), (x, y)]) {
      let gray = PixelBuffer(Pixels(width: 1, height: 1, color: wanted)).inGray().bytes[0]
      let found = color(pixels, frame.midX + right, frame.midY + down)
      let shown = recipe.channels == 1 ? [gray, gray, gray] : wanted
      #expect(isNear(found, shown), "\(found) instead of \(shown)")
    }
  }

  /// The eyes turn the image. Without landmarks, and in an area that a person has drawn, it is upright.
  @Test(arguments: [0, 30, 90, 180, -60] as [Double?] + [nil]) func theImageRotatesWithTheEyes(lean: Double?) throws {
    let size = PixelSize(width: 400, height: 300)
    var face = Face(box: NormalizedRect(x: 0.3, y: 0.25, width: 0.15, height: 0.2), score: 0.9)
    let angle = (lean ?? 0) * .pi / 180
    if lean != nil {
      func point(_ side: Double) -> NormalizedPoint {
        NormalizedPoint(x: 0.375 + side * cos(angle) / 400, y: 0.35 + side * sin(angle) / 300)
      }
      face.landmarks = FaceLandmarks(
        rightEye: point(-12), leftEye: point(12), nose: point(0), mouthRight: point(-8), mouthLeft: point(8))
    }
    let request = Self.request(Self.quarters([Self.red, Self.green, Self.blue, [255, 255, 255]]))
    let area = area(face, in: size, request)
    var pixels = PixelBuffer(Pixels(width: 400, height: 300, color: [9, 9, 9]))
    try pixels.hide([area], by: .image, .forTests())
    let middle = (area.bounds.midX, area.bounds.midY)
    for (wanted, (across, down)) in zip([Self.red, Self.green, Self.blue], [(-15.0, -15.0), (15, -15), (-15, 15)]) {
      let x = middle.0 + across * cos(angle) - down * sin(angle)
      let y = middle.1 + across * sin(angle) + down * cos(angle)
      #expect(isNear(color(pixels, x, y), wanted), "\(color(pixels, x, y)) instead of \(wanted)")
    }
  }

  @Test func areasWithoutAFaceAreCovered() async throws {
    let source = PNGBuilder(Pixels(width: 80, height: 40, color: [9, 9, 9])).encoded()
    let plan = CropPlan(
      source: PixelSize(width: 80, height: 40), detector: "", faces: [],
      crops: [CropPlan.Crop(region: NormalizedRect(x: 0, y: 0, width: 0.5, height: 1), faces: [])])
    let request = Self.request(Self.quarters([Self.red, Self.green, Self.blue, [255, 255, 255]]))
    let hidden = try await cropper([]).blur(.bytes(source), request: request, plan: plan)
    let pixels = try await decoded(hidden.bytes)
    #expect(color(pixels, 5, 5) == [255, 0, 0] && color(pixels, 35, 5) == [0, 255, 0])
    #expect(color(pixels, 5, 35) == [0, 0, 255] && color(pixels, 41, 5) == [9, 9, 9])
  }

  // MARK: The image

  /// A large image is reduced, and a small one stays. Its colors become sRGB.
  @Test func imagesAreBounded() async throws {
    func image(_ width: Int, _ height: Int) async throws -> PixelSize {
      let file = PNGBuilder(Pixels(width: width, height: height, color: Self.red)).encoded()
      return try await cropper().blurImage(from: .bytes(file)).sizes[0].size
    }
    #expect(try await image(2_000, 1_000) == PixelSize(width: 512, height: 256))
    #expect(try await image(40, 30) == PixelSize(width: 40, height: 30))
    #expect(try await image(1, 3_000).height == 512)
    let limits = with(Limits()) { $0.pixels = 100 }
    let large = PNGBuilder(Pixels(width: 40, height: 30, color: Self.red)).encoded()
    for (cropper, file, kind) in [
      (cropper(), Array("no image".utf8), "unsupported"), (FaceCropper(limits: limits), large, "limit"),
    ] {
      let error = await #expect(throws: FaceCropError.self) { try await cropper.blurImage(from: .bytes(file)) }
      #expect(error?.kind == kind, "\(error.map { "\($0)" } ?? "")")
    }
    await #expect(throws: FaceCropError.self) { try await cropper().blurImage(from: .bytes(large.dropLast(40))) }
  }

  /// A photo keeps its profile, so that the image gets the photo's colors. Its grays stay, because both spaces have the
  /// same white, and curves that are nearly equal. Inks have no curves and colorants.
  @Test func theImageGetsTheColorsOfThePhoto() async throws {
    let p3 = try #require(try ICCProfile.coded(primaries: 12, transfer: 13))
    let adobe = try #require(ICCProfile.adobeRGB)
    for (profile, image, wanted) in [
      (p3, Self.red, [234, 51, 35]), (p3, [128, 128, 128], [128, 128, 128]), (adobe, Self.red, [219, 0, 0]),
      (adobe, [180, 120, 100], [164, 119, 101]), (adobe, [255, 255, 255], [255, 255, 255]),
      ([], Self.red, [255, 0, 0]),
    ] as [([UInt8], [UInt8], [Int])] {
      let photo = Pixels(width: 331, height: 250, color: [90, 90, 90])
      var png = PNGBuilder(photo)
      if !profile.isEmpty { png.before = [PNGBuilder.profile(profile)] }
      let jpeg = try JPEGRecipe.baseline420.with {
        $0.quality = 100
        $0.segments = profile.isEmpty ? [] : ICCBuilder.segments(for: profile)
      }.encode(photo)
      for (file, keepsBlocks) in [(jpeg, true), (png.encoded(), false)] {
        let request = Self.request(Pixels(width: 40, height: 30, color: image))
        let hidden = try await cropper().blur(.bytes(file), request: request)
        #expect(hidden.keepsBlocks == keepsBlocks)
        let kept = CropRequest(search: FaceSearch(noFace: .whole), output: CropOutput(color: .keep))
        let shown = try await cropper([]).crop(.bytes(hidden.bytes), request: kept).crops[0]
        let found = color(shown.pixels, 132, 100)
        #expect((shown.colorProfile == nil) == profile.isEmpty)
        #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 2 }, "\(found) instead of \(wanted)")
      }
    }
    let inks = ICCBuilder.profile(.cmyk)
    let request = Self.request(Pixels(width: 40, height: 30, color: Self.red))
    #expect(try request.colored(for: inks, .forTests()) == request)
  }

  /// Colors pass to other curves in each channel, and back. Colorants in one plane are no color space.
  @Test func colorsPassToAProfileAndBack() throws {
    let colorants = [[0.5151, 0.2412, -0.0011], [0.2919, 0.6922, 0.0419], [0.1572, 0.0666, 0.7841]]
    let curves = [1.8, 2.2, 2.4].map { ToneCurve.gamma($0) }
    let there = try #require(MatrixConversion(to: curves, colorants: colorants))
    let colors: [UInt8] = [30, 60, 90, 200, 120, 40, 128, 128, 128, 250, 250, 250, 255, 0, 0]
    var converted = colors
    unsafe converted.withUnsafeMutableBufferPointer { unsafe there.convert($0, format: .rgb) }
    #expect(converted != colors)
    let back = MatrixConversion(curves, colorants: colorants)
    unsafe converted.withUnsafeMutableBufferPointer { unsafe back.convert($0, format: .rgb) }
    #expect(zip(converted, colors).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(converted)")
    #expect(MatrixConversion(to: curves, colorants: [colorants[0], colorants[1], colorants[1]]) == nil)
  }

  /// Equal pixels are one image, in whatever file.
  @Test func anotherImageIsAnotherRequest() async throws {
    let pixels = Self.quarters([Self.red, Self.green, Self.blue, Self.red])
    let (opaque, withAlpha) = (
      PNGBuilder(pixels).encoded(), PNGBuilder(Pixels(PixelBuffer(pixels).withAlpha())).encoded()
    )
    func request(_ file: [UInt8]) async throws -> BlurRequest {
      BlurRequest(mode: .image, image: try await cropper().blurImage(from: .bytes(file)))
    }
    let (first, second) = (try await request(opaque), try await request(withAlpha))
    #expect(first == second && StableKey(first).text == StableKey(second).text && first.hashValue == second.hashValue)
    let other = Self.request(Self.quarters([Self.red, Self.green, Self.blue, Self.blue]))
    #expect(first != other && StableKey(first).text != StableKey(other).text)
    let (wide, high) = (
      Self.request(Pixels(width: 2, height: 4, color: Self.red)),
      Self.request(Pixels(width: 4, height: 2, color: Self.red))
    )
    #expect(wide != high && StableKey(wide).text != StableKey(high).text)
  }

  /// An image in another mode would be ignored, and so the request is refused.
  @Test func theImageGoesWithTheMode() async throws {
    let image = BlurImage(PixelBuffer(Pixels(width: 2, height: 2, color: Self.red)))
    for request in [BlurRequest(mode: .image), BlurRequest(mode: .solid, image: image), BlurRequest(image: image)] {
      let error = await #expect(throws: FaceCropError.self) {
        try await cropper().blurPlan(for: .bytes(fixtureBytes("astronaut.jpg")), request: request)
      }
      #expect(
        error?.kind == "invalid" && "\(error.map { "\($0)" } ?? "")".contains("image must be set for the mode image"))
    }
  }
}
