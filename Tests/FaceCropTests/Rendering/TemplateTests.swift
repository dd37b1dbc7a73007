import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Outputs of templates.
@Suite struct TemplateTests {
  /// A face whose landmarks lie at the points of a template, mapped into the image.
  private static func face(_ template: FaceTemplate, in size: PixelSize, by map: AffineMap) -> Face {
    let places = template.points.map { point in
      let (x, y) = map.inverse(point.x + 0.5, point.y + 0.5)
      return NormalizedPoint(x: x / Double(size.width), y: y / Double(size.height))
    }
    return Face(
      box: NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.2), score: 1,
      landmarks: FaceLandmarks(
        rightEye: places[0], leftEye: places[1], nose: places[2], mouthRight: places[3], mouthLeft: places[4]))
  }

  private static func chip(
    _ picture: Pixels, _ faces: [Face], _ template: FaceTemplate, selection: FaceSelection = .each
  ) async throws -> CropResult<RenderedCrop> {
    var request = CropRequest(search: FaceSearch(faces: selection))
    request.composition.layout = .template(template)
    return try await FaceCropper(detector: StubDetector(found: faces)).crop(
      .bytes(PNGBuilder(picture).encoded()), request: request)
  }

  /// A linear gradient is the same under linear interpolation and any reduction. So each pixel states its own position
  /// in the image, whatever the scale and the angle.
  @Test(arguments: [0.25, 0.4, 0.8, 1, 1.7, 3], [0.0, 20, -70, 179]) func pixelsLieWhereTheMatrixSays(
    scale: Double, degrees: Double
  ) async throws {
    let size = PixelSize(width: 510, height: 510)
    var samples: [UInt8] = []
    for y in 0..<size.height { for x in 0..<size.width { samples += [UInt8(x / 2), UInt8(y / 2), 128] } }
    let picture = Pixels(width: size.width, height: size.height, channels: 3, samples: samples)
    var template = FaceTemplate.arcFace112
    template.border = .edge
    let map = AffineMap(degrees: degrees, scale: scale, center: (255, 255), target: (56, 56))
    let result = try await Self.chip(picture, [Self.face(template, in: size, by: map)], template)
    let crop = try #require(result.crops.first)
    #expect(crop.size == template.size && result.warnings.isEmpty && result.plan.crops[0].template == template)
    let matrix = AffineMap(rows: try #require(crop.matrix)).betweenCorners
    for (number, known) in zip(matrix.rows, map.rows) { #expect(abs(number - known) < 1e-6) }
    let (width, height) = (Double(size.width), Double(size.height))
    for y in stride(from: 0, to: 112, by: 3) {
      for x in stride(from: 0, to: 112, by: 3) {
        let (u, v) = map.inverse(Double(x) + 0.5, Double(y) + 0.5)
        // Near the edge the gradient ends.
        guard (20...width - 20).contains(u), (20...height - 20).contains(v) else { continue }
        let index = (y * 112 + x) * 3
        // A level is two pixels. The warp and the reduction round to levels, by half a level each.
        #expect(abs((u - 1) / 2 - Double(crop.pixels.bytes[index])) < 1.05)
        #expect(abs((v - 1) / 2 - Double(crop.pixels.bytes[index + 1])) < 1.05)
      }
    }
  }

  /// The landmarks of the output are the template's points.
  @Test(arguments: FaceTemplate.all) func landmarksLieAtThePoints(template: FaceTemplate) async throws {
    let size = PixelSize(width: 400, height: 300)
    let map = AffineMap(degrees: 12, scale: 0.9, center: (200, 150), target: (56, 56))
    let face = Self.face(.arcFace112, in: size, by: map)
    let result = try await Self.chip(Pixels(width: 400, height: 300, color: [9, 99, 200]), [face], template)
    let crop = result.crops[0]
    #expect(crop.size == template.size)
    let landmarks = try #require(crop.landmarks(in: result.plan)).points
    let eyes = (landmarks[0].y * Double(template.size.height), landmarks[1].y * Double(template.size.height))
    if template == .arcFace112 {
      for (place, point) in zip(landmarks, template.points) {
        #expect(abs(place.x * 112 - 0.5 - point.x) < 0.01 && abs(place.y * 112 - 0.5 - point.y) < 0.01)
      }
    }
    #expect(abs(eyes.0 - eyes.1) < 0.03 * Double(template.size.height))
    #expect(landmarks[0].x < 0.5 && landmarks[1].x > 0.5)
    // The matrix maps the landmarks, too.
    let matrix = AffineMap(rows: try #require(crop.matrix))
    let wanted = try template.matrix(for: try #require(face.landmarks), in: size)
    for (number, other) in zip(matrix.rows, wanted) { #expect(abs(number - other) < 1e-5) }
  }

  /// Each border fills the area outside of the image.
  @Test func bordersFillTheOutside() async throws {
    let size = PixelSize(width: 200, height: 200)
    let picture = Pixels(width: 200, height: 200, color: [20, 120, 220])
    // The face lies at the left edge, so that the left half of the output is outside.
    let map = AffineMap(degrees: 0, scale: 1, center: (0, 100), target: (56, 56))
    func pixel(_ border: FaceTemplate.Border, _ x: Int) async throws -> [UInt8] {
      var template = FaceTemplate.arcFace112
      template.border = border
      let crop = try await Self.chip(picture, [Self.face(template, in: size, by: map)], template).crops[0]
      return Array(crop.pixels.bytes[(56 * 112 + x) * 3..<(56 * 112 + x) * 3 + 3])
    }
    for border in [FaceTemplate.Border.color(red: 1, green: 2, blue: 3), .edge, .mirror] {
      #expect(try await pixel(border, 80) == [20, 120, 220])
    }
    #expect(try await pixel(.color(red: 1, green: 2, blue: 3), 20) == [1, 2, 3])
    #expect(try await pixel(.edge, 20) == [20, 120, 220])
    // A single color is its own mirror, blur and median.
    #expect(try await pixel(.mirror, 20) == [20, 120, 220])
  }

  /// The mirrored border shows the image in reverse order, blurred more and more, down to the median.
  @Test func theMirrorFadesIntoTheMedian() {
    var samples: [UInt8] = []
    for _ in 0..<60 { for x in 0..<60 { samples += [x.isMultiple(of: 2) ? 0 : 200, 100, UInt8(x)] } }
    let picture = PixelBuffer(Pixels(width: 60, height: 60, channels: 3, samples: samples))
    let wide = picture.mirrored(to: PixelSize(width: 120, height: 120), at: (30, 30), blur: 2)
    func pixel(_ x: Int) -> [UInt8] { Array(wide.bytes[(60 * 120 + x) * 3..<(60 * 120 + x) * 3 + 3]) }
    // In the middle nothing changes.
    #expect(pixel(60) == [0, 100, 30] && pixel(61) == [200, 100, 31])
    // Outside, stripes are blurred to their mean, and blue mirrors the columns.
    #expect(abs(Int(pixel(28)[0]) - 100) < 15 && abs(Int(pixel(29)[0]) - 100) < 15)
    #expect(abs(Int(pixel(20)[2]) - 10) < 8)
    // The outer edge is the median.
    #expect(abs(Int(pixel(0)[2]) - Int(pixel(119)[2])) <= 1)
  }

  /// A template with unusable numbers, and landmarks that are one point, are typed errors.
  @Test func wrongTemplatesAreRefused() async throws {
    let good = FaceTemplate.arcFace112
    func with(_ change: (inout FaceTemplate) -> Void) -> FaceTemplate {
      var template = good
      change(&template)
      return template
    }
    let wrong = [
      with { $0.name = "" }, with { $0.name = String(repeating: "x", count: 65) },
      with { $0.size = PixelSize(width: 0, height: 5) }, with { $0.size = PixelSize(width: 5, height: 4_097) },
      with { $0.size = PixelSize(width: .max, height: .max) }, with { $0.points[2].x = .nan },
      with { $0.points[4].y = .infinity }, with { $0.points[0].x = 1e9 }, with { $0.points.removeLast() },
      with { $0.points = Array(repeating: $0.points[0], count: 5) },
    ]
    let size = PixelSize(width: 200, height: 200)
    let picture = Pixels(width: 200, height: 200, color: [20, 120, 220])
    let map = AffineMap(degrees: 0, scale: 1, center: (100, 100), target: (56, 56))
    let face = Self.face(good, in: size, by: map)
    for template in wrong {
      let error = await #expect(throws: FaceCropError.self) { try await Self.chip(picture, [face], template) }
      #expect(error?.kind == "invalid")
      let turn = CropPlan.Crop.Turn(degrees: 0, rect: .whole)
      let plan = CropPlan(
        source: size, detector: "x", faces: [],
        crops: [.init(region: .whole, turn: turn, template: template, faces: [])])
      let source = ImageSource.bytes(PNGBuilder(picture).encoded())
      await #expect(throws: FaceCropError.self) { try await FaceCropper().render(plan, from: source) }
    }
    var one = face
    let point = NormalizedPoint(x: 0.5, y: 0.5)
    one.landmarks = FaceLandmarks(rightEye: point, leftEye: point, nose: point, mouthRight: point, mouthLeft: point)
    var none = face
    none.landmarks = nil
    for template in FaceTemplate.all {
      for face in [one, none] {
        let error = await #expect(throws: FaceCropError.self) { try await Self.chip(picture, [face], template) }
        #expect(error?.kind == "invalid")
      }
    }
    let error = await #expect(throws: FaceCropError.self) {
      try await Self.chip(picture, [face, face], good, selection: .union)
    }
    #expect(error?.kind == "invalid")
    var sized = CropRequest()
    sized.composition.layout = .template(good)
    sized.output.sizes = [.longSide(5)]
    #expect(throws: FaceCropError.self) { try sized.check() }
  }

  /// An image without a face has no output, and a plan survives JSON and gives the same pixels.
  @Test func plansHoldTheTemplate() async throws {
    let none = try await Self.chip(Pixels(width: 50, height: 50, color: [1, 2, 3]), [], .arcFace112)
    #expect(none.crops.isEmpty && none.plan.crops.isEmpty)
    let size = PixelSize(width: 300, height: 200)
    let picture = Pixels.testPattern(width: 300, height: 200)
    let map = AffineMap(degrees: -25, scale: 0.6, center: (150, 90), target: (56, 56))
    let made = try await Self.chip(picture, [Self.face(.arcFace112, in: size, by: map)], .arcFace112)
    let stored = try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(made.plan))
    #expect(stored == made.plan)
    let source = ImageSource.bytes(PNGBuilder(picture).encoded())
    let again = try await FaceCropper().render(stored, from: source)
    #expect(again.crops[0].pixels == made.crops[0].pixels)
    // Sizes of another request cannot apply.
    await #expect(throws: FaceCropError.self) {
      try await FaceCropper().render(stored, from: source, output: CropOutput(sizes: [.longSide(9)]))
    }
    // A template without the rectangle that it shows is refused.
    var broken = made.plan
    broken.crops[0].turn = nil
    await #expect(throws: FaceCropError.self) { try await FaceCropper().render(broken, from: source) }
  }

  @Test func templatesHaveAJSONForm() throws {
    for template in FaceTemplate.all {
      #expect(try JSONDecoder().decode(FaceTemplate.self, from: JSONEncoder().encode(template)) == template)
    }
    let text = #"{"name": "mine", "size": [96, 112], "points": [[30, 52], [66, 52], [48, 72], [34, 92], [63, 92]]}"#
    let mine = try JSONDecoder().decode(FaceTemplate.self, from: Data(text.utf8))
    #expect(mine.size == PixelSize(width: 96, height: 112) && mine.fit == .output && mine.points[4].x == 63)
    for wrong in [
      #"{"name": "x", "size": [96], "points": []}"#, #"{"name": "x", "size": [96, 5000], "fit": "ffhq"}"#,
      #"{"name": "x", "size": [96, 96], "points": [[1, 2]]}"#, #"{"name": "x", "size": [96, 96], "fit": "best"}"#,
      #"{"name": "x", "size": [96, 96], "fit": "ffhq", "border": "pink"}"#, #"{"size": [96, 96], "fit": "ffhq"}"#,
    ] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(FaceTemplate.self, from: Data(wrong.utf8)) }
    }
  }

  /// The estimate from the header covers the template, not the whole image.
  @Test func estimatesAreOfTheTemplate() async throws {
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.noise(width: 1_600, height: 1_200)))
    let info = try await FaceCropper().info(of: source)
    var request = CropRequest()
    let whole = info.memory(for: request)
    request.composition.layout = .template(.arcFace112)
    let small = info.memory(for: request)
    request.composition.layout = .template(.ffhq1024)
    #expect(small <= whole && info.memory(for: request) > small + 4 * 3 * 1_024 * 1_024)
  }
}
