import TestSupport
import Testing

@testable import FaceCrop

/// New backgrounds of whole crops, on the portrait.
@Suite struct BackgroundTests {
  private static let cropper = FaceCropper()

  private static func request(_ fill: Background.Fill, sizes: [OutputSize] = [.height(257)]) -> CropRequest {
    CropRequest(
      search: FaceSearch(faces: .largest), composition: Composition(.framing(.portrait)),
      output: CropOutput(sizes: sizes, allowsUpscaling: true, background: Background(fill)))
  }

  private static func source() throws -> ImageSource { .bytes(try fixtureBytes("astronaut.jpg")) }

  private static func crop(_ request: CropRequest) async throws -> CropResult<RenderedCrop> {
    try await cropper.crop(source(), request: request)
  }

  /// The pixel at fractions of an output.
  private static func pixel(_ crop: RenderedCrop, _ x: Double, _ y: Double) -> [UInt8] {
    Pixels(crop.pixels)[Int(x * Double(crop.size.width - 1)), Int(y * Double(crop.size.height - 1))]
  }

  @Test func aColorIsBehindThePersonAlone() async throws {
    var plain = Self.request(.color(.white))
    plain.output.background = nil
    let (before, after) = (
      try await Self.crop(plain).crops[0],
      try await Self.crop(Self.request(.color(BackgroundColor(red: 10, green: 20, blue: 30)))).crops[0]
    )
    #expect(after.size == before.size && after.pixels.format == .rgb)
    for corner in [(0.0, 0.0), (1.0, 0.0), (0.02, 0.4), (0.98, 0.4)] {
      #expect(Self.pixel(after, corner.0, corner.1) == [10, 20, 30])
    }
    for place in [(0.5, 0.35), (0.5, 0.45), (0.3, 0.85)] {
      #expect(Self.pixel(after, place.0, place.1) == Self.pixel(before, place.0, place.1))
    }
    #expect(before.cutoutConfidence == nil && after.cutoutConfidence == 0.7)
  }

  @Test func allSizesHaveTheSamePerson() async throws {
    let result = try await Self.crop(Self.request(.transparent, sizes: [.height(64), .height(512), .height(200)]))
    #expect(result.crops.map(\.size.height) == [64, 512, 200])
    let shares = result.crops.map { crop in
      #expect(crop.pixels.format == .rgba)
      let alpha = stride(from: 3, to: crop.pixels.bytes.count, by: 4).reduce(0) { $0 + Int(crop.pixels.bytes[$1]) }
      return Double(alpha) / 255 / crop.size.area
    }
    #expect(shares.max()! - shares.min()! < 0.01 && (0.3...0.8).contains(shares[0]))
  }

  @Test func aBlurKeepsTheColorsOfTheBackground() async throws {
    let crop = try await Self.crop(Self.request(.blur(0.05))).crops[0]
    let corner = Self.pixel(crop, 0.98, 0.02).map(Int.init)
    // The portrait's wall is gray.
    #expect(corner.allSatisfy { (120...230).contains($0) })
    #expect(crop.pixels.format == .rgb)
  }

  /// The middle of a background image covers the output without distortion.
  @Test func anImageCoversTheOutput() async throws {
    // Red at both ends, which are cropped, green at the left and blue at the right.
    var samples: [UInt8] = []
    for _ in 0..<100 {
      for x in 0..<300 {
        samples += x < 60 || x >= 240 ? [255, 0, 0] : x < 150 ? [0, 255, 0] : [0, 0, 255]
      }
    }
    let file = PNGBuilder(Pixels(width: 300, height: 100, channels: 3, samples: samples)).encoded()
    let image = try await Self.cropper.backgroundImage(from: .bytes(file))
    let crop = try await Self.crop(Self.request(.image(image))).crops[0]
    #expect(Self.pixel(crop, 0.01, 0.02) == [0, 255, 0] && Self.pixel(crop, 0.99, 0.02) == [0, 0, 255])
    #expect(image.memory > file.count)
  }

  /// The limits count for the background, too.
  @Test func aBackgroundImageIsUntrusted() async throws {
    let file = PNGBuilder(Pixels.noise(width: 90, height: 80)).encoded()
    let small = Self.cropper.limited(to: with(Limits()) { $0.pixels = 7_000 })
    await #expect(throws: FaceCropError.overLimit(.pixels, actual: 7_200, allowed: 7_000)) {
      _ = try await small.backgroundImage(from: .bytes(file))
    }
    // A request can come from a process with other limits.
    let image = try await Self.cropper.backgroundImage(from: .bytes(file))
    let face = StubDetector(found: [Face(box: NormalizedRect(x: 0.3, y: 0.3, width: 0.4, height: 0.4), score: 1)])
    let tight = FaceCropper(detector: face, limits: with(Limits()) { $0.pixels = 7_000 })
    await #expect(throws: FaceCropError.overLimit(.pixels, actual: 7_200, allowed: 7_000)) {
      _ = try await tight.crop(
        .bytes(PNGBuilder(Pixels.noise(width: 60, height: 60)).encoded()),
        request: CropRequest(output: CropOutput(background: Background(.image(image)))))
    }
    let damaged = await #expect(throws: FaceCropError.self) {
      _ = try await Self.cropper.backgroundImage(from: .bytes(Array("text".utf8)))
    }
    #expect("\(damaged!)".contains("background image"))
  }

  /// The other one of two portraits goes, unless it may stay.
  @Test func otherPeopleGoOrStay() async throws {
    let source = ImageSource.bytes(try JPEGRecipe.baseline444.encode(twoAstronauts()))
    var request = CropRequest(
      search: FaceSearch(faces: .number(1)), composition: Composition(.faces(padding: Padding(6))),
      output: CropOutput(background: Background(.transparent)))
    func visible(_ left: Double, _ right: Double) async throws -> Double {
      let crop = try await Self.cropper.crop(source, request: request).crops[0]
      let columns = (left, right)
      var (sum, count) = (0, 0)
      for y in 0..<crop.size.height {
        for x in 0..<crop.size.width {
          let place = (Double(x + crop.region.x)) / 1_024
          guard place >= columns.0, place < columns.1 else { continue }
          sum += Int(crop.pixels.bytes[4 * (y * crop.size.width + x) + 3])
          count += 1
        }
      }
      return Double(sum) / 255 / Double(max(count, 1))
    }
    let (left, right) = (try await visible(0, 0.45), try await visible(0.6, 1))
    #expect(left > 0.2 && right < 0.02, "\(left) \(right)")
    request.output.background?.keepsPeople = true
    let both = try await visible(0.6, 1)
    #expect(both > 0.2, "\(both)")
  }

  /// The opacity of a transparent image counts, too.
  @Test func transparentImagesStayTransparent() async throws {
    let portrait = try astronaut()
    var samples: [UInt8] = []
    for y in 0..<512 { for x in 0..<512 { samples += portrait[x, y] + [y < 256 ? 255 : 0] } }
    let file = PNGBuilder(Pixels(width: 512, height: 512, channels: 4, samples: samples)).encoded()
    let request = CropRequest(
      search: FaceSearch(faces: .largest), composition: Composition(.faces(padding: Padding(2))),
      output: CropOutput(background: Background(.transparent)))
    let crop = try await Self.cropper.crop(.bytes(file), request: request).crops[0]
    #expect(Self.pixel(crop, 0.5, 0.99) == [0, 0, 0, 0])
    var filled = request
    filled.output.background = Background(.color(BackgroundColor(red: 1, green: 2, blue: 3)))
    let opaque = try await Self.cropper.crop(.bytes(file), request: filled).crops[0]
    #expect(opaque.pixels.format == .rgb && Self.pixel(opaque, 0.5, 0.99) == [1, 2, 3])
  }

  /// The person ends where the image ends: a color outside neither tints nor continues it.
  @Test func aColorOutsideTheImageIsReplaced() async throws {
    let portrait = try astronaut()
    let size = PixelSize(width: 360, height: 165)
    var samples: [UInt8] = []
    for y in 0..<size.height { for x in 0..<size.width { samples += portrait[x + 60, y + 25] } }
    let source = ImageSource.bytes(
      PNGBuilder(Pixels(width: size.width, height: size.height, channels: 3, samples: samples)).encoded())
    func crop(_ fill: PadFill) async throws -> RenderedCrop {
      let request = CropRequest(
        search: FaceSearch(faces: .largest), composition: Composition(.framing(.avatar, edge: .pad)),
        output: CropOutput(
          sizes: [.height(300)], allowsUpscaling: true, fill: fill,
          background: Background(.color(BackgroundColor(red: 0, green: 255, blue: 0)))))
      return try await Self.cropper.crop(source, request: request).crops[0]
    }
    let (made, repeated) = (try await crop(.color(red: 255, green: 0, blue: 0)), try await crop(.edge))
    let map = try #require(made.view).map(to: made.size)
    let (start, end) = (map.applied(0, 0), map.applied(Double(size.width), Double(size.height)))
    let (pixels, others) = (Pixels(made.pixels), Pixels(repeated.pixels))
    var (inside, outside, faults) = (0, 0, 0)
    for y in 0..<made.size.height {
      for x in 0..<made.size.width {
        let (column, row) = (Double(x) + 0.5, Double(y) + 0.5)
        let depth = min(column - start.x, row - start.y, end.x - column, end.y - row)
        guard abs(depth) > 1 else { continue }
        if depth > 0 { inside += 1 } else { outside += 1 }
        if pixels[x, y] != (depth > 0 ? others[x, y] : [0, 255, 0]) { faults += 1 }
      }
    }
    #expect(inside > 10_000 && outside > 10_000 && faults == 0, "\(inside) \(outside) \(faults)")
  }

  @Test func aGrayImageGetsAColor() async throws {
    let portrait = try astronaut()
    let gray = Pixels(PixelBuffer(portrait).inGray())
    let result = try await Self.cropper.crop(
      .bytes(PNGBuilder(gray).encoded()), request: Self.request(.color(BackgroundColor(red: 255, green: 0, blue: 0))))
    #expect(Self.pixel(result.crops[0], 0, 0) == [255, 0, 0])
  }

  /// Noise is no person.
  @Test func anUnsureCutoutIsAWarningOrAnError() async throws {
    let file = PNGBuilder(Pixels.noise(width: 200, height: 200)).encoded()
    let face = Face(box: NormalizedRect(x: 0.45, y: 0.45, width: 0.05, height: 0.05), score: 1)
    let cropper = FaceCropper(detector: StubDetector(found: [face]))
    var request = CropRequest(
      composition: Composition(.faces(padding: Padding(5))), output: CropOutput(background: Background(.color(.white))))
    let result = try await cropper.crop(.bytes(file), request: request)
    let confidence = result.crops[0].cutoutConfidence!
    #expect(confidence < Background.leastConfidence)
    #expect(result.warnings.contains(.unsureCutout(confidence: confidence)))
    request.output.background?.failsIfUnsure = true
    await #expect(throws: FaceCropError.unsureCutout(confidence: confidence)) {
      _ = try await cropper.crop(.bytes(file), request: request)
    }
  }

  @Test func losslessCropsHaveNone() async throws {
    let request = CropRequest(output: CropOutput(background: Background(.color(.white))))
    let error = await #expect(throws: FaceCropError.self) {
      _ = try await Self.cropper.cutLosslessly(Self.source(), request: request)
    }
    #expect(error?.kind == "invalid")
  }

  @Test func strengthsHaveARange() {
    for strength in [0, 0.004, 0.21, Double.nan, .infinity] {
      expectFault("invalid", naming: "strength") { try Self.request(.blur(strength)).check() }
    }
  }

  @Test func fillsAreReadFromText() {
    #expect(Background.Fill("white") == .color(.white) && Background.Fill("#fff") == .color(.white))
    #expect(Background.Fill("336699") == .color(BackgroundColor(red: 0x33, green: 0x66, blue: 0x99)))
    #expect(Background.Fill("blur") == .blur(0.02) && Background.Fill("blur:5") == .blur(0.05))
    #expect(Background.Fill("transparent") == .transparent)
    for text in ["", "blur:", "blur:0", "blur:21", "blur:x", "blur:nan", "wall.jpg", "12345"] {
      #expect(Background.Fill(text) == nil)
    }
  }

  /// Keys of requests without a background are those of earlier versions.
  @Test func keysTellBackgroundsApart() async throws {
    let image = BackgroundImage(bytes: [1, 2], memory: 5)
    let fills: [Background.Fill] = [
      .color(.white), .color(BackgroundColor(red: 0, green: 0, blue: 0)), .blur(0.02), .blur(0.03), .transparent,
      .image(image), .image(BackgroundImage(bytes: [1, 3], memory: 5)),
    ]
    var keys = fills.map { StableKey(Self.request($0)).text }
    var changed = Self.request(.transparent)
    changed.output.background?.keepsPeople = true
    keys.append(StableKey(changed).text)
    changed.output.background?.failsIfUnsure = true
    keys.append(StableKey(changed).text)
    changed.output.background = nil
    keys.append(StableKey(changed).text)
    #expect(Set(keys).count == keys.count && !keys.last!.contains("background"))
    #expect(StableKey(Background(.color(.white))).text == "fill(color((255)(255)(255)))people(no)fail(no)")
  }

  /// The estimate grows with a background, and with the image behind.
  @Test func theEstimateCountsIt() async throws {
    let info = try await Self.cropper.info(of: Self.source())
    var request = Self.request(.color(.white))
    let white = info.memory(for: request)
    request.output.background = Background(.image(BackgroundImage(bytes: [], memory: 50 << 20)))
    #expect(info.memory(for: request) >= white + 50 << 20)
    request.output.background = nil
    #expect((10 << 20..<20 << 20).contains(white - info.memory(for: request)))
  }

  /// Rows are counted, so that a cancelled request ends.
  @Test func aCancelledRequestEnds() async throws {
    let job = Job(limits: Limits(), cancellation: Cancellation(), progress: nil)
    let image = PixelBuffer(try astronaut())
    let renderer = try BackgroundRenderer(
      Background(.color(.white)), behind: FramedPeople(own: []), in: PersonWindow(of: image), output: image.size,
      by: PersonMasks(by: ObjectPool(keepsItems: false) { () throws(FaceCropError) in try PersonNetwork() }),
      nil, BackgroundDecoder(for: []), job)
    job.cancellation.cancel()
    #expect(throws: FaceCropError.cancelled) { _ = try renderer.applied(to: image) }
  }
}
