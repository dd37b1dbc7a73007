/// A picture as it is stored: what it says of its orientation is not applied.
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
  var lastPath: DecodePath { session.lastPath }
  var sortedWarnings: [CropWarning] { session.sortedWarnings }
  var estimate: DecodingEstimate { session.estimate }

  func admit() throws(FaceCropError) { try session.admit() }

  func overview(format: PixelBuffer.Format, smallest: Int) throws(FaceCropError) -> PixelBuffer {
    try session.overview(format: format, smallest: smallest)
  }

  func region(_ rect: PixelRect, scale: Int, part: (index: Int, count: Int)) throws(FaceCropError) -> PixelBuffer {
    try session.region(rect, scale: scale, part: part)
  }

  func rows(
    of rect: PixelRect, scale: Int, part: (index: Int, count: Int), _ take: TakeRows
  ) throws(FaceCropError) {
    try unsafe session.rows(of: rect, scale: scale, part: part, take)
  }

  func expectLastRegion() { session.expectLastRegion() }
}
