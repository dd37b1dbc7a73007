import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// Reviewed outputs in Tests/Fixtures/golden: one for each preset, shape and policy.
///
/// The faces are given, so that no detector's arithmetic matters. `FACECROP_UPDATE_GOLDENS=1` updates the images; look
/// at them before you commit them.
@Suite struct GoldenTests {
  /// Levels, in the mean, that another version of a codec may change.
  private static let bound = 1.0

  @Test(arguments: Golden.all)
  func outputsAreAsTheyWereSeen(golden: Golden) async throws {
    let crop = try await golden.crop()
    if Golden.areUpdated {
      let path = FilePath(fixturePath(golden.path))
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      let png = try await FaceCropper().encode(crop, as: .png)
      try file.closeAfter { _ = try file.writeAll(png) }
    }
    let difference = try golden.difference(from: Pixels(crop.pixels))
    #expect(difference <= Self.bound, "\(golden): \(difference) levels from \(golden.path)")
  }

  @Test(.disabled(if: Golden.areUpdated), arguments: 1...8)
  func everyOrientationLooksTheSame(orientation: Int) async throws {
    let golden = try #require(Golden.all.first { $0.name == "orientation" })
    let crop = try await golden.with { $0.source = .stored(orientation: orientation) }.crop()
    // The golden is stored on its side. A JPEG file of upright pixels decodes to slightly other values, which can move
    // the crown by a pixel, and that is 14 levels. A wrong orientation differs by 47 levels or more.
    let difference = try golden.difference(from: Pixels(crop.pixels))
    #expect(difference <= (orientation < 5 ? 25 : Self.bound), "\(difference) levels")
    if orientation < 5 {
      let upright = try await golden.with { $0.source = .stored(orientation: 1) }.crop()
      #expect(Pixels(crop.pixels).meanDifference(from: Pixels(upright.pixels)) <= Self.bound)
    }
  }

  /// A hundredth of height or shape changes the image enough: the bound is not too wide.
  @Test(.disabled(if: Golden.areUpdated)) func smallChangesAreSeen() async throws {
    let golden = try #require(Golden.all.first { $0.name == "preset-avatar" })
    var changed = [Framing](repeating: .avatar, count: 3)
    changed[0].faceRatio += 0.01
    changed[1].faceRatio -= 0.01
    changed[2].aspect = AspectRatio(width: 0.99, height: 1)
    for framing in changed {
      let crop = try await golden.with { $0.request.composition.layout = .framing(framing) }.crop()
      #expect(try golden.difference(from: Pixels(crop.pixels)) > 2 * Self.bound, "\(framing)")
    }
  }

  @Test func skippingAPictureWithoutAFaceGivesNone() async throws {
    var request = CropRequest()
    request.composition.layout = .framing(.avatar)
    request.search.noFace = .skip
    let result = try await FaceCropper(detector: StubDetector()).crop(
      .bytes(Golden.Source.beside.bytes()), request: request)
    #expect(result.crops.isEmpty && result.plan.crops.isEmpty)
  }

  @Test(.disabled(if: Golden.areUpdated)) func noGoldenIsLeftOver() throws {
    let names = try #require(Self.entries(of: fixturePath("golden")))
    #expect(names == Set(Golden.all.map { "\($0.name).png" }))
  }

  private static func entries(of folder: String) -> Set<String>? {
    guard let stream = unsafe opendir(folder) else { return nil }
    defer { unsafe closedir(stream) }
    var names: Set<String> = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.insert(name) }
    }
    return names
  }
}

/// An image, its faces, and the requested crop.
struct Golden: Sendable, CustomTestStringConvertible {
  enum Source {
    /// The astronaut, 512×512.
    case portrait
    /// A part of it with the face near the upper left corner.
    case corner
    /// A smaller part: too small for the frame.
    case narrow
    /// The astronaut with a margin, rotated about the middle of the face.
    case leaning
    /// Two astronauts side by side.
    case two
    /// The astronaut in the right half of a wide, otherwise empty image.
    case beside
    /// The astronaut as a rotated camera stores it.
    case stored(orientation: Int)
    /// The astronaut in an ellipse on a transparent background.
    case cutOut
  }

  var name: String
  var source: Source
  var faces: [Face]
  var request: CropRequest
  /// The index of the output.
  var index = 0
  /// The background that shows through if the output is a JPEG file.
  var background: BackgroundColor?

  init(
    _ name: String, of source: Source = .portrait, _ faces: [Face] = [.astronaut], side: Int = 96,
    _ change: (inout CropRequest) -> Void
  ) {
    self.name = name
    self.source = source
    self.faces = faces
    request = CropRequest()
    request.composition.layout = .framing(.avatar)
    request.output.sizes = [.longSide(side)]
    change(&request)
  }

  func with(_ change: (inout Golden) -> Void) -> Golden {
    var copy = self
    change(&copy)
    return copy
  }

  static let areUpdated = unsafe getenv("FACECROP_UPDATE_GOLDENS").map { unsafe String(cString: $0) } == "1"

  var testDescription: String { name }
  /// The file's path in Tests/Fixtures.
  var path: String { "golden/\(name).png" }

  func crop() async throws -> RenderedCrop {
    let cropper = FaceCropper(detector: StubDetector(found: faces))
    var crop = try await cropper.crop(.bytes(source.bytes()), request: request).crops[index]
    if let background {
      let jpeg = try await cropper.encode(crop, as: .jpeg(quality: 95), background: background)
      crop.pixels = PixelBuffer(try referenceDecode(jpeg).pixels)
    }
    return crop
  }

  /// Returns the mean difference of all samples; infinite if the size or the transparency differs.
  func difference(from picture: Pixels) throws -> Double {
    let seen = try referenceDecodePNG(fixtureBytes(path))
    let isOpaque = stride(from: 3, to: seen.samples.count, by: 4).allSatisfy { seen.samples[$0] == 255 }
    return picture.meanDifference(from: isOpaque ? seen.flattened() : seen)
  }
}

extension Golden {
  static let all = presets + edges + shapes + turned + withoutFace + several + others

  private static let presets = [
    Golden("preset-avatar") { $0.composition.layout = .framing(.avatar) },
    Golden("preset-portrait") { $0.composition.layout = .framing(.portrait) },
    Golden("preset-passport") { $0.composition.layout = .framing(.passport) },
    Golden("preset-tight") { $0.composition.layout = .framing(.tight) },
    Golden("padding-and-aspect") { request in
      request.composition.layout = .faces(
        padding: Padding(top: 0.6, right: 0.2, bottom: 0.2, left: 0.2), aspect: AspectRatio(width: 4, height: 5))
    },
  ]

  private static let edges = [
    Golden("edge-shift", of: .corner, [.inCorner(width: 300, height: 300)], side: 128) {
      $0.composition.layout.edge = .shift
    },
    Golden("edge-shrink", of: .narrow, [.inCorner(width: 200, height: 180)], side: 128) {
      $0.composition.layout.edge = .shift
    },
    Golden("pad-edge", of: .corner, [.inCorner(width: 300, height: 300)], side: 128) { $0.pad(by: .edge) },
    Golden("pad-blur", of: .corner, [.inCorner(width: 300, height: 300)], side: 128) { $0.pad(by: .blur) },
    Golden("pad-color", of: .corner, [.inCorner(width: 300, height: 300)], side: 128) { request in
      request.pad(by: .color(red: 0x2F, green: 0x6F, blue: 0xA8))
    },
  ]

  private static let shapes = [
    Golden("shape-circle", side: 128) { $0.output.shape = .circle },
    Golden("shape-ellipse") { request in
      request.composition.layout = .framing(.portrait)
      request.output.shape = .circle
    },
  ]

  private static let turned = [
    Golden("align-off", of: .leaning, [.leaning], side: 128) { $0.composition.alignsEyes = false },
    Golden("align", of: .leaning, [.leaning], side: 128) { $0.composition.alignsEyes = true },
    Golden("align-pad", of: .leaning, [.leaning]) { request in
      var framing = Framing.portrait
      framing.faceRatio = 0.2
      request.composition.layout = .framing(framing)
      request.composition.alignsEyes = true
      request.pad(by: .blur)
    },
  ]

  private static let withoutFace = NoFacePolicy.allCases.filter { ![.skip, .fail].contains($0) }.map { policy in
    Golden("no-face-\(policy.rawValue)", of: .beside, []) { $0.search.noFace = policy }
  }

  private static let several =
    [
      Golden("faces-union", of: .two, .two) { request in
        request.search.faces = .union
        request.composition.layout = .framing(.portrait)
        request.composition.layout.aspect = AspectRatio(width: 16, height: 9)
      },
      Golden("faces-each-1", of: .two, .two) { $0.search.faces = .each },
      Golden("faces-each-2", of: .two, .two) { $0.search.faces = .each }.with { $0.index = 1 },
      Golden("faces-largest", of: .two, .two) { $0.search.faces = .largest },
      Golden("faces-central", of: .two, .two) { $0.search.faces = .central },
    ]

  private static let others = [
    Golden("orientation", of: .stored(orientation: 6)) { $0.composition.layout = .framing(.portrait) },
    Golden("transparency-kept", of: .cutOut, []) { $0.search.noFace = .whole },
    Golden("transparency-flattened", of: .cutOut, []) { $0.search.noFace = .whole }.with { golden in
      golden.background = BackgroundColor(red: 0x2F, green: 0x6F, blue: 0xA8)
    },
  ]
}

extension Golden.Source {
  /// The origin of the parts in the portrait.
  static let cornerOrigin = (x: 150, y: 40)
  /// Degrees, clockwise.
  static let lean = 20.0
  /// Pixels around the tilted astronaut.
  static let room = 100
  static let leaningSize = PixelSize(width: 712, height: 712)

  /// Returns the rotation from the tilted portrait to the upright one, or back.
  static func turn(by degrees: Double) -> AffineMap {
    let face = astronautFace
    let middle = (
      Double(room + face.x) + Double(face.width) / 2 - 0.5, Double(room + face.y) + Double(face.height) / 2 - 0.5
    )
    return AffineMap(degrees: degrees, scale: 1, center: middle, target: middle)
  }

  func bytes() throws -> [UInt8] {
    let recipe = JPEGRecipe(quality: 98)
    func part(width: Int, height: Int) throws -> [UInt8] {
      let origin = Self.cornerOrigin
      return try recipe.encode(astronaut().cropped(x: origin.x, y: origin.y, width: width, height: height))
    }
    switch self {
    case .portrait: return try fixtureBytes("astronaut.jpg")
    case .corner: return try part(width: 300, height: 300)
    case .narrow: return try part(width: 200, height: 180)
    case .leaning:
      let place = PixelRect(x: Self.room, y: Self.room, width: 512, height: 512)
      let upright = try PixelBuffer(astronaut()).padded(to: Self.leaningSize, at: place, fill: .blur)
      return try recipe.encode(
        Pixels(upright.warped(by: Self.turn(by: -Self.lean), to: upright.size, isFine: true)))
    case .two: return try recipe.encode(twoAstronauts())
    case .beside:
      let place = PixelRect(x: 688, y: 0, width: 512, height: 512)
      return try recipe.encode(
        Pixels(PixelBuffer(astronaut()).padded(to: PixelSize(width: 1_200, height: 512), at: place, fill: .blur)))
    case .stored(let orientation):
      let exif = EXIFBuilder.tiff(orientation: UInt16(orientation))
      return try recipe.with { $0.segments = [.exif(exif)] }.encode(
        astronaut().stored(forOrientation: orientation))
    case .cutOut: return PNGBuilder(Pixels(PixelBuffer(try astronaut()).cutToEllipse())).encoded()
    }
  }
}

extension Face {
  /// Creates a face in pixels of an image of that size.
  fileprivate init(x: Int, y: Int, in size: PixelSize, scale: Double = 1, score: Double = 0.9) {
    let (width, height) = (Double(astronautFace.width) * scale, Double(astronautFace.height) * scale)
    self.init(
      box: Frame(x: Double(x), y: Double(y), width: width, height: height).normalized(in: size), score: score)
  }

  fileprivate static let astronaut = Face(
    x: astronautFace.x, y: astronautFace.y, in: PixelSize(width: 512, height: 512))

  fileprivate static func inCorner(width: Int, height: Int) -> Face {
    let origin = Golden.Source.cornerOrigin
    return Face(
      x: astronautFace.x - origin.x, y: astronautFace.y - origin.y, in: PixelSize(width: width, height: height))
  }

  /// The tilted face with its landmarks, annotated by hand in the upright portrait.
  fileprivate static let leaning: Face = {
    let size = Golden.Source.leaningSize
    let room = Golden.Source.room
    let rows = Golden.Source.turn(by: -Golden.Source.lean).rows
    func point(_ x: Int, _ y: Int) -> NormalizedPoint {
      let (x, y) = (Double(x + room), Double(y + room))
      return NormalizedPoint(
        x: (rows[0] * x + rows[1] * y + rows[2]) / Double(size.width),
        y: (rows[3] * x + rows[4] * y + rows[5]) / Double(size.height))
    }
    var face = Face(x: astronautFace.x + room, y: astronautFace.y + room, in: size)
    face.landmarks = FaceLandmarks(
      rightEye: point(202, 106), leftEye: point(243, 106), nose: point(221, 127), mouthRight: point(205, 145),
      mouthLeft: point(240, 145))
    return face
  }()
}

extension [Face] {
  /// The left one is larger; the right one is more central and has the higher score.
  fileprivate static let two = [
    Face(x: 179, y: 63, in: PixelSize(width: 1_024, height: 512)),
    Face(x: 512 + 181, y: 67, in: PixelSize(width: 1_024, height: 512), scale: 0.95, score: 0.95),
  ]
}
