@testable import FaceCrop

/// A session with the warnings of its last call.
final class ObservedSession {
  let session: any ImageSession
  private let job: Job
  private(set) var lastPath: DecodePath?
  private(set) var warnings: [CropWarning]

  init(_ session: any ImageSession, _ job: Job) {
    self.session = session
    self.job = job
    warnings = session.header.faults.inOrder
  }

  var format: ImageFormat { session.format }
  var header: ImageHeader { session.header }
  var estimate: DecodingEstimate { session.estimate }
  var scales: [Int] { session.scales }
  var oversampling: Double { session.oversampling }

  func admit() throws(FaceCropError) { try session.admit() }

  private func noted<Value>(_ decoded: Decoded<Value>) -> Value {
    lastPath = decoded.path
    warnings = decoded.faults.inOrder
    return decoded.value
  }

  func overview(
    format: PixelBuffer.Format = .gray, smallest: Int = Overview.smallest
  ) throws(FaceCropError) -> PixelBuffer {
    noted(try session.overview(OverviewRequest(format: format, smallest: smallest, isExact: smallest >= Overview.side)))
  }

  func region(
    _ rect: PixelRect, scale: Int = 8, isLast: Bool = false, turned orientation: Orientation = .up
  ) throws(FaceCropError) -> PixelBuffer {
    let region = RegionRequest(
      rect: rect, scale: scale, isLast: isLast, progress: ProgressSpan(job: job, phase: .render))
    return noted(try session.picture(of: region, turned: orientation))
  }

  /// Returns the region's rows in the bands in which they arrive.
  func bands(of rect: PixelRect, scale: Int = 8) throws(FaceCropError) -> [[UInt8]] {
    var sink = BandSink()
    noted(
      try session.decode(
        RegionRequest(rect: rect, scale: scale, progress: ProgressSpan(job: job, phase: .render)), into: &sink))
    return sink.bands
  }
}

private struct BandSink: RowSink {
  var bands: [[UInt8]] = []

  mutating func restart() { bands = [] }
  mutating func take(_ rows: Span<UInt8>, count: Int) { bands.append(rows.copy(rows.indices)) }
}
