import CFullDecode
import FaceCrop

/// The library's two phases compared with a full decode of the same file, all in this process.
enum DecodeRuns {
  /// An image and the position of its face.
  struct Scenario {
    let name: String
    let picture: Picture
    /// Nil for an image without a face, which is rendered as a whole.
    let face: NormalizedRect?
    /// The upper bound of the processor time of `plan` and `render`, in full decodes.
    let limit: Double?
  }

  /// Seconds of processor time of all threads, round by round. Only the last figure includes detection.
  struct Times: Encodable {
    let scenario: String
    let limit: Double?
    /// Decoding to RGB by libjpeg-turbo, from memory into reused memory.
    var fullDecode = Samples()
    /// Decoding into memory that the system must first provide, page by page, as in a program that decodes once.
    var fullDecodeIntoNewMemory = Samples()
    var plan = Samples()
    var render = Samples()
    /// Both phases with one reading of the file.
    var crop = Samples()
    /// `plan` with the default detector, already loaded.
    var planWithDetection = Samples()

    /// Drops the round that brought files and code into memory.
    mutating func dropFirstRound() {
      for samples in [\Times.fullDecode, \.fullDecodeIntoNewMemory, \.plan, \.render, \.crop, \.planWithDetection] {
        self[keyPath: samples].dropFirst()
      }
    }
  }

  static let scenarios = Picture.all.map { picture in
    Scenario(name: picture.name, picture: picture, face: Picture.face, limit: Limit.ratio(of: picture))
  }
  static let withoutGain = [
    Scenario(name: "12 MP baseline, region in the last rows", picture: .baseline, face: Picture.lowFace, limit: nil),
    Scenario(name: "12 MP baseline, no face: whole image", picture: .baseline, face: nil, limit: nil),
    Scenario(name: "12 MP progressive, no face: whole image", picture: .progressive, face: nil, limit: nil),
  ]

  static func measure(rounds: Int) async throws -> [Times] {
    var all: [Times] = []
    for scenario in scenarios + withoutGain { all.append(try await measure(scenario, rounds: rounds)) }
    return all
  }

  private static func measure(_ scenario: Scenario, rounds: Int) async throws -> Times {
    let source = scenario.picture.source
    let bytes = try scenario.picture.bytes()
    let pixelBytes = scenario.picture.width * scenario.picture.height * 3
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: pixelBytes)
    defer { unsafe pixels.deallocate() }
    let cropper = FaceCropper(detector: FixedFace(box: scenario.face))
    let detecting = FaceCropper()
    let request = Self.request
    try await requireFace(in: source, by: detecting)

    let plan = try await cropper.plan(for: source, search: request.search, composition: request.composition)
    var times = Times(scenario: scenario.name, limit: scenario.limit)
    func run(_ samples: WritableKeyPath<Times, Samples>, _ body: () async throws -> Void) async throws {
      let start = Clock.processor.now
      try await body()
      times[keyPath: samples].append(Clock.processor.now - start)
    }
    for _ in 0...rounds {
      try await run(\.fullDecode) { unsafe full_decode(bytes, bytes.count, pixels) }
      try await run(\.fullDecodeIntoNewMemory) {
        try unsafe PixelMemory.new.with(pixelBytes) { unsafe full_decode(bytes, bytes.count, $0) }
      }
      try await run(\.plan) {
        _ = try await cropper.plan(for: source, search: request.search, composition: request.composition)
      }
      try await run(\.render) { _ = try await cropper.render(plan, from: source, output: request.output) }
      try await run(\.crop) { _ = try await cropper.crop(source, request: request) }
      try await run(\.planWithDetection) {
        _ = try await detecting.plan(for: source, search: request.search, composition: request.composition)
      }
    }
    times.dropFirstRound()
    return times
  }

  private static var request: CropRequest {
    var request = CropRequest()
    request.composition.layout.padding = Padding(Picture.padding)
    return request
  }

  /// Requires exactly one face where the detector finds it, since the figures are for such images.
  private static func requireFace(in source: ImageSource, by cropper: FaceCropper) async throws {
    let faces = try await cropper.detect(in: source).faces
    guard faces.count == 1, abs(faces[0].box.midX - Picture.face.midX) < 0.02,
      abs(faces[0].box.midY - Picture.face.midY) < 0.02
    else { throw BenchError("the detector should find one face in the middle, and found \(faces)") }
  }
}

/// A detector that returns a known face without detection, so that other costs can be measured.
private struct FixedFace: FaceDetector, ReadyFaceDetector {
  let box: NormalizedRect?

  var name: String { "fixed" }

  var input: DetectorInput { DetectorInput(format: .gray, sufficientSide: 453) }

  func prepare() -> any ReadyFaceDetector { self }

  func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
    box.map { [Face(box: $0, score: 1)] } ?? []
  }
}
