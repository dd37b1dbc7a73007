/// One drawn frame of an animation, as an image of its own, with the file's metadata.
final class CanvasSession: ImageSession {
  let format: ImageFormat
  let header: ImageHeader
  let estimate: DecodingEstimate

  private let picture: PixelBuffer
  private let job: Job

  /// Creates a session for a frame of the file behind `session`, which may be rotated.
  init(_ frame: AnimationFrame, of session: any ImageSession, job: Job) {
    (format, self.job) = (session.format, job)
    picture = frame.pixels
    var header = session.header
    (header.hasAlpha, header.isGray) = (picture.format == .rgba, false)
    (header.isAnimated, header.frameCount) = (false, 1)
    header.faults.formUnion(frame.faults)
    self.header = header
    estimate = session.estimate
  }

  func checkMemory() {}

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    Decoded(value: try picture.overview(wanted), faults: header.faults)
  }

  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    try job.limits.check(.regionBytes, region.rect.size.bytes(channels: header.format.channels))
    sink.restart()
    picture.give(region.rect, averagedBy: 8 / region.scale, to: &sink)
    region.progress.report(region.rect.height, of: region.rect.height)
    return Decoded(value: (), faults: header.faults)
  }
}
