internal import CWebPShim

/// The frames of an animated WebP file.
@safe final class WebPFrames: FrameSource {
  let count, plays, pixels: Int

  private let decoder: WebPDecoder
  private let size: PixelSize
  private let job: Job
  private(set) var faults: Faults

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    self.job = job
    decoder = try WebPDecoder(reading: bytes, job: job)
    let file = try unsafe decoder.header()
    size = unsafe PixelSize(width: Int(file.width), height: Int(file.height))
    (count, plays) = unsafe (Int(file.frameCount), Int(file.loopCount))
    // Frames lie on the canvas.
    pixels = size.bytes(channels: 1).multipliedClamped(by: count)
    faults = Faults(allowsDamage: allowsDamage, rows: size.height)
  }

  func frame(_ index: Int) throws(FaceCropError) -> FramePatch {
    let frame = try decoder.select(index)
    let place = PixelRect(x: Int(frame.x), y: Int(frame.y), width: Int(frame.width), height: Int(frame.height))
    try job.limits.check(
      .imageBytes,
      try decoder.memory(for: place, size: place.size, format: .rgba)
        .addingClamped(size.bytes(channels: AnimationReader.bytesPerPixel)))
    let pixels = try unsafe PixelBuffer.filled(size: place.size, format: .rgba) { (pixels) throws(FaceCropError) in
      try unsafe decoder.decode(place, size: place.size, format: .rgba, into: pixels) { _ in }
    }.picture
    let damage = decoder.damage
    // Only the last frame can lack its end, and rows that are missing are transparent.
    if damage.kind != .none, Int(damage.intactRows) < place.height || index == count - 1 {
      try faults.judge(damage, in: place.y..<place.y + place.height)
    }
    return FramePatch(
      pixels: pixels, place: place, isBlended: frame.isBlended, disposal: frame.isCleared ? .clear : .keep,
      milliseconds: Int(frame.milliseconds))
  }
}
