internal import CJXLShim

/// The frames of an animated JPEG XL file, which libjxl draws on the canvas one after the other.
final class JXLFrames: FrameSource {
  let count, plays, pixels: Int

  private let decoder: JXLDecoder
  private let header: ImageHeader
  private let memory: Int
  /// The ticks of the animation's clock in some seconds, and those of the frames so far.
  private let (ticks, seconds): (Int, Int)
  private var (passed, milliseconds) = (0, 0)
  private(set) var faults: Faults

  /// - Parameter memory: The upper bound of libjxl's memory in bytes.
  init(
    _ bytes: ImageBytes, _ header: ImageHeader, memory: Int, allowsDamage: Bool, job: Job
  ) throws(FaceCropError) {
    (self.header, self.memory) = (header, memory)
    decoder = try JXLDecoder(reading: bytes, allFrames: true, job: job)
    let file = try unsafe decoder.header()
    (count, plays) = unsafe (header.frameCount, Int(file.plays))
    (ticks, seconds) = unsafe (max(Int(file.ticks), 1), Int(file.seconds))
    pixels = header.size.bytes(channels: 1).multipliedClamped(by: count)
    faults = Faults(allowsDamage: allowsDamage, rows: header.size.height)
  }

  func frame(_ index: Int) throws(FaceCropError) -> FramePatch {
    let frame = try decoder.frame(header, memory: memory, &faults)
    // The sums are rounded, so that they do not drift.
    passed += decoder.ticks
    let before = milliseconds
    milliseconds = passed.multipliedClamped(by: 1_000 * seconds).addingClamped(ticks / 2) / ticks
    return FramePatch(
      pixels: frame.format == .gray ? frame.inColor() : frame, place: PixelRect(whole: header.size, scale: 8),
      isBlended: false, disposal: .keep, milliseconds: milliseconds - before)
  }
}
