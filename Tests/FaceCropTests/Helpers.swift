import TestSupport
import Testing

@testable import FaceCrop

extension PixelBuffer {
  init(_ pixels: Pixels) {
    self.init(
      size: PixelSize(width: pixels.width, height: pixels.height),
      format: pixels.channels == 4 ? .rgba : pixels.channels == 3 ? .rgb : .gray,
      bytes: pixels.samples)
  }
}

extension Pixels {
  init(_ buffer: PixelBuffer) {
    self.init(
      width: buffer.width, height: buffer.height, channels: buffer.format.channels, samples: buffer.bytes)
  }

  func cropped(_ rect: PixelRect) -> Pixels {
    cropped(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
  }
}

/// Returns a value with a change.
func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
  var value = value
  change(&value)
  return value
}

/// Expects an error of a kind whose message contains these values and terms.
func expectFault<Result>(
  _ kind: String, naming values: String..., at location: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
  let error = #expect(throws: FaceCropError.self, sourceLocation: location) { _ = try body() }
  guard let error else { return }
  #expect(error.kind == kind, "\(error)", sourceLocation: location)
  for value in values { #expect("\(error)".contains(value), "\(error)", sourceLocation: location) }
}

typealias SplitMix64 = TestSupport.SplitMix64

extension SplitMix64 {
  /// Returns a rectangle inside an image; one in four touches a border, one in eight is a single pixel wide or high.
  mutating func rect(in size: PixelSize) -> PixelRect {
    func span(_ side: Int, _ random: inout SplitMix64) -> (start: Int, length: Int) {
      let length = Int.random(in: 0..<8, using: &random) == 0 ? 1 : Int.random(in: 1...side, using: &random)
      let start =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: 0
        case 1: side - length
        default: Int.random(in: 0...side - length, using: &random)
        }
      return (start, length)
    }
    let (x, width) = span(size.width, &self)
    let (y, height) = span(size.height, &self)
    return PixelRect(x: x, y: y, width: width, height: height)
  }
}

extension Job {
  /// Creates a job for tests of single steps.
  static func forTests(limits: Limits = Limits()) -> Job {
    Job(limits: limits, cancellation: Cancellation(), progress: nil)
  }
}

extension FaceCropper {
  /// Cuts all crops of an image without loss, and collects them.
  func cutLosslessly(
    _ source: ImageSource, plan: CropPlan? = nil, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws -> CropResult<EncodedCrop> {
    var result: CropResult<EncodedCrop>?
    for try await step in losslessCrops(of: source, plan: plan, request: request, progress: progress) {
      switch step {
      case .planned(let plan, let path):
        result = CropResult(plan: plan, crops: [], warnings: [], detectionPath: path)
      case .crop(let crop): result?.crops.append(crop)
      case .finished(let warnings): result?.warnings = warnings
      }
    }
    return try #require(result)
  }
}

extension CreditSources {
  /// Reads the credits with a separate job.
  func read() -> (credits: Credits, isWhole: Bool) {
    do {
      return try read(.forTests())
    } catch {
      Issue.record("\(error)")
      return (Credits(), false)
    }
  }
}

extension JPEGSession {
  /// Runs `body` with a session over bytes in memory.
  static func with<Result>(
    _ jpeg: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false, access: JPEGSession.Access = .fastest,
    job: Job? = nil, _ body: (ObservedSession) throws(FaceCropError) -> Result
  ) throws -> Result {
    let job = job ?? .forTests(limits: limits)
    return try unsafe jpeg.span.withBuffer { (buffer) throws(FaceCropError) in
      let bytes = unsafe ImageBytes(buffer, isFileMapping: false)
      return try body(ObservedSession(JPEGSession(bytes, allowsDamage: allowsDamage, access: access, job: job), job))
    }
  }
}

/// Decodes the reference in the product's channels: CMYK as RGB by the documented formula.
func referencePixels(_ jpeg: [UInt8], scale: Int = 8, as output: ReferenceOutput = .native) throws -> Pixels {
  let picture = try referenceDecode(jpeg, scale: scale, as: output).pixels
  guard picture.channels == 4 else { return picture }
  var samples: [UInt8] = []
  samples.reserveCapacity(picture.width * picture.height * 3)
  for pixel in stride(from: 0, to: picture.samples.count, by: 4) {
    let paper = (0..<4).map { Int(picture.samples[pixel + $0]) }
    for channel in 0..<3 { samples.append(UInt8((paper[channel] * paper[3] + 127) / 255)) }
  }
  return Pixels(width: picture.width, height: picture.height, channels: 3, samples: samples)
}

extension AffineMap {
  /// The opposite of ``betweenCenters``.
  var betweenCorners: AffineMap { moved(by: -0.5) }
}

/// A detector that always finds the same faces.
struct StubDetector: TestDetector {
  var found: [Face] = []
  var name: String { "stub" }

  func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] { found }
}

/// A detector that loads nothing and has the usual input.
protocol TestDetector: FaceDetector, ReadyFaceDetector {}

extension TestDetector {
  var input: DetectorInput { DetectorInput(format: .gray, sufficientSide: Overview.smallest) }
  func prepare() throws -> any ReadyFaceDetector { self }
}

extension FaceDetector {
  /// Returns the faces of a prepared detector.
  func found(in picture: PixelBuffer, for purpose: DetectionPurpose = .allFaces) throws -> [Face] {
    try prepare().faces(in: picture, for: purpose)
  }
}

extension CropRequest {
  /// Fills the part of frames outside of the image.
  mutating func pad(by fill: PadFill) {
    composition.layout.edge = .pad
    output.fill = fill
  }
}

/// Returns whether the face is the astronaut's: its center lies in the labeled box, and its size is similar.
func isAstronaut(_ face: Face) -> Bool {
  let side = 512.0
  let (x, y) = (face.box.midX * side, face.box.midY * side)
  let truth = astronautFace
  return x > Double(truth.x) && x < Double(truth.x + truth.width) && y > Double(truth.y)
    && y < Double(truth.y + truth.height) && (0.5...2).contains(face.box.height * side / Double(truth.height))
}

extension Trait where Self == TimeLimitTrait {
  /// A limit for a test that would wait forever. With sanitizers, all tests start at once and wait a quarter of an hour
  /// for each other, so it measures no test.
  static var endsIfItHangs: Self { .timeLimit(.minutes(60)) }
}

/// Waits until a condition holds, for up to ten minutes.
func eventually(
  _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  for _ in 0..<120_000 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  Issue.record("the condition never held", sourceLocation: sourceLocation)
}

extension ImageRequestError {
  /// Whether the request's numbers cannot be met.
  var isOfRequest: Bool {
    switch self {
    case .image(.invalidRequest), .image(.overLimit), .overBudget: true
    default: false
    }
  }
}
