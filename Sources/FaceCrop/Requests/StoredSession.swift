/// A session that ignores the image's orientation.
final class StoredSession: ImageSession {
  let header: ImageHeader
  private let session: any ImageSession

  init(_ session: any ImageSession) {
    self.session = session
    var header = session.header
    header.orientation = .up
    self.header = header
  }

  var format: ImageFormat { session.format }
  var scales: [Int] { session.scales }
  var oversampling: Double { session.oversampling }
  var estimate: DecodingEstimate { session.estimate }

  func decodedPixels() throws(FaceCropError) -> Int { try session.decodedPixels() }
  func checkMemory() throws(FaceCropError) { try session.checkMemory() }
  func admit() throws(FaceCropError) { try session.admit() }

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    try session.overview(wanted)
  }

  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    try session.decode(region, into: &sink)
  }
}
