import Synchronization
import TestSupport
import Testing

@testable import FaceCrop

/// Opens a file of any format, like a request.
func withSession<Result>(
  _ bytes: [UInt8], limits: Limits = Limits(), allowsDamage: Bool = false, job: Job? = nil,
  _ body: (ObservedSession) throws(FaceCropError) -> Result
) throws -> Result {
  let job = job ?? .forTests(limits: limits)
  return try Codecs.withSession(bytes.span, isFileMapping: false, allowsDamage: allowsDamage, job: job) {
    (session) throws(FaceCropError) in try body(ObservedSession(session, job))
  }
}

/// Decodes the whole image of a file.
func decoded(_ file: [UInt8]) throws -> Pixels {
  try withSession(file) { (session) throws(FaceCropError) in
    Pixels(try session.region(PixelRect(whole: session.header.size, scale: 8)))
  }
}

extension Limits {
  /// Returns limits with which a small image is read like a large one, without keeping its pixels.
  static func keepingNoPicture(of bytes: Int) -> Limits {
    var limits = Limits()
    limits.regionBytes = bytes - 1
    return limits
  }
}

/// Returns the outcome of a region, by default all of 60 × 80 pixels.
func outcome(
  of bytes: [UInt8], allowsDamage: Bool = false, rect: PixelRect = PixelRect(x: 0, y: 0, width: 60, height: 80)
) throws -> (error: FaceCropError?, warnings: [CropWarning]) {
  do {
    return try withSession(bytes, allowsDamage: allowsDamage) { (session) throws(FaceCropError) in
      _ = try session.region(rect)
      return (nil, session.warnings)
    }
  } catch let error as FaceCropError {
    return (error, [])
  }
}

/// Expects `work`, by default a full decode, to end when it is cancelled at a third of its progress.
func expectCancelled(
  _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation,
  during work: (ObservedSession) throws(FaceCropError) -> Void = { (session) throws(FaceCropError) in
    _ = try session.region(PixelRect(whole: session.header.size, scale: 8))
  }
) throws {
  let cancellation = Cancellation()
  let reports = Mutex(0)
  let job = Job(limits: Limits(), cancellation: cancellation) { progress in
    reports.withLock { $0 += 1 }
    if progress.fraction > 0.3 { cancellation.cancel() }
  }
  #expect(throws: FaceCropError.cancelled, sourceLocation: sourceLocation) {
    try withSession(bytes, job: job) { (session) throws(FaceCropError) in try work(session) }
  }
  #expect(reports.withLock { $0 } > 0, sourceLocation: sourceLocation)
}

extension EncoderInput {
  init(_ pixels: Pixels) { self.init(pixels: PixelBuffer(pixels)) }
}

extension RenderedCrop {
  /// Creates a crop that is the whole image.
  init(_ pixels: Pixels) {
    let buffer = PixelBuffer(pixels)
    self.init(
      pixels: buffer, region: PixelRect(whole: buffer.size, scale: 8), faces: [], crop: 0, path: .sequential)
  }
}

extension Pixels {
  /// Converts RGBA to a region's format without loss.
  func inFormat(_ format: PixelBuffer.Format) -> Pixels {
    let channels = format.channels
    var result: [UInt8] = []
    result.reserveCapacity(width * height * channels)
    for start in stride(from: 0, to: samples.count, by: 4) { result += samples[start..<start + channels] }
    return Pixels(width: width, height: height, channels: channels, samples: result)
  }

  /// Averages every block of `factor` × `factor` pixels, rounded; alpha weights colors if there are four channels.
  func averaged(by factor: Int) -> Pixels {
    let size = (width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
    var result: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        var sums = [Int](repeating: 0, count: channels)
        var (weights, area) = (0, 0)
        for v in y * factor..<min((y + 1) * factor, height) {
          for u in x * factor..<min((x + 1) * factor, width) {
            let pixel = self[u, v].map(Int.init)
            let weight = channels == 4 ? pixel[3] : 1
            for channel in 0..<min(channels, 3) { sums[channel] += weight * pixel[channel] }
            weights += weight
            area += 1
          }
        }
        if channels == 4 { sums[3] = (weights + area / 2) / area }
        for channel in 0..<min(channels, 3) {
          sums[channel] = weights == 0 ? 0 : (sums[channel] + weights / 2) / weights
        }
        result += sums.map(UInt8.init)
      }
    }
    return Pixels(width: size.width, height: size.height, channels: channels, samples: result)
  }
}
