import TestSupport

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

/// A small seeded generator (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A rectangle inside a picture; one in four touches a border, one in eight is a single pixel wide or high.
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
  /// For tests of single steps.
  static func forTests(limits: Limits = Limits()) -> Job {
    Job(limits: limits, cancellation: Cancellation(), progress: nil)
  }
}

extension ImageSession {
  func overview(format: PixelBuffer.Format = .gray) throws(FaceCropError) -> PixelBuffer {
    try overview(format: format, smallest: Overview.smallest)
  }

  func region(_ rect: PixelRect, scale: Int = 8) throws(FaceCropError) -> PixelBuffer {
    try region(rect, scale: scale, part: (0, 1))
  }
}

extension JPEGSession {
  /// A session over bytes in memory.
  static func with<Result>(
    _ jpeg: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false, access: JPEGSession.Access = .fastest,
    job: Job? = nil, _ body: (JPEGSession) throws(FaceCropError) -> Result
  ) throws -> Result {
    let job = job ?? .forTests(limits: limits)
    return try unsafe jpeg.span.withBuffer { (buffer) throws(FaceCropError) in
      let bytes = unsafe ImageBytes(buffer, isFileMapping: false)
      return try body(JPEGSession(bytes, allowsDamage: allowsDamage, access: access, job: job))
    }
  }
}

/// The reference's picture in the channels that the product gives: CMYK as RGB by the formula of its documentation.
func referencePixels(_ jpeg: [UInt8], scale: Int = 8, as output: ReferenceOutput = .native) throws -> Pixels {
  let picture = try referenceDecode(jpeg, scale: scale, as: output).pixels
  guard picture.channels == 4 else { return picture }
  let isInverted = JPEGSurgery.markers(in: jpeg).contains { $0.code == 0xEE }
  var samples: [UInt8] = []
  samples.reserveCapacity(picture.width * picture.height * 3)
  for pixel in stride(from: 0, to: picture.samples.count, by: 4) {
    let paper = (0..<4).map { isInverted ? Int(picture.samples[pixel + $0]) : 255 - Int(picture.samples[pixel + $0]) }
    for channel in 0..<3 { samples.append(UInt8((paper[channel] * paper[3] + 127) / 255)) }
  }
  return Pixels(width: picture.width, height: picture.height, channels: 3, samples: samples)
}

/// Always finds the same faces.
struct StubDetector: FaceDetector {
  var found: [Face] = []
  var name: String { "stub" }

  func faces(in picture: PixelBuffer) -> [Face] { found }
}

/// Whether the face is the astronaut's: its center lies in the labeled box, and its size is near.
func isAstronaut(_ face: Face) -> Bool {
  let side = 512.0
  let (x, y) = (face.box.midX * side, face.box.midY * side)
  let truth = astronautFace
  return x > Double(truth.x) && x < Double(truth.x + truth.width) && y > Double(truth.y)
    && y < Double(truth.y + truth.height) && (0.5...2).contains(face.box.height * side / Double(truth.height))
}
