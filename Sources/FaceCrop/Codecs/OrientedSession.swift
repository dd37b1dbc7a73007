/// A session that displays its image in another orientation than the file states.
class OrientedSession: ImageSession {
  private let session: any ImageSession
  private let orientation: Orientation

  init(_ session: any ImageSession, _ orientation: Orientation) {
    (self.session, self.orientation) = (session, orientation)
  }

  var header: ImageHeader {
    var header = session.header
    header.orientation = orientation
    return header
  }

  var format: ImageFormat { session.format }
  var scales: [Int] { session.scales }
  var oversampling: Double { session.oversampling }
  var estimate: DecodingEstimate { session.estimate }
  var frameBytes: Double { session.frameBytes }

  func decodedPixels() throws(FaceCropError) -> Int { try session.decodedPixels() }
  func gainMap() throws(FaceCropError) -> GainMapSource? { try session.gainMap() }
  func frames() throws(FaceCropError) -> (any FrameSource)? { try session.frames() }
  func checkMemory() throws(FaceCropError) { try session.checkMemory() }
  func admit() throws(FaceCropError) { try session.admit() }

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    try session.overview(wanted)
  }

  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    try session.decode(region, into: &sink)
  }
}

/// A session that cuts its file, and displays it in another orientation.
class OrientedLosslessSession: OrientedSession, LosslessSession {
  private let cutter: any LosslessSession

  init(cutter: any LosslessSession, _ orientation: Orientation) {
    self.cutter = cutter
    super.init(cutter, orientation)
  }

  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, metadata: (_ size: PixelSize) -> CropMetadata
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)> {
    try cutter.losslessCut(of: rect, progress: progress, metadata: metadata)
  }

  func completed(_ cut: [UInt8], xmp: [UInt8]?, _ map: GainMap?, _ job: Job) throws(FaceCropError) -> [UInt8] {
    try cutter.completed(cut, xmp: xmp, map, job)
  }
}

extension ImageSession {
  /// Returns a session that displays the image rotated.
  func turned(by turn: QuarterTurn) -> any ImageSession {
    turn == .none ? self : OrientedSession(self, header.orientation.rotated(by: turn))
  }
}

extension LosslessSession {
  /// Returns a session that displays the image rotated, and still cuts its file.
  func losslesslyTurned(by turn: QuarterTurn) -> any LosslessSession {
    turn == .none ? self : OrientedLosslessSession(cutter: self, header.orientation.rotated(by: turn))
  }
}
