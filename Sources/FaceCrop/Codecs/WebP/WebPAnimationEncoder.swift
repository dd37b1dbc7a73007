internal import CWebPShim

/// An encoder for animated WebP files.
@safe final class WebPAnimationEncoder: ShimObject, AnimationEncoder {
  private let first: EncoderInput
  private let size: PixelSize
  private let job: Job
  private var end = 0

  /// Begins a file with the metadata of its first frame, in quality 1…100, or lossless for nil.
  init(for first: EncoderInput, quality: Int?, plays: Int, job: Job) throws(FaceCropError) {
    if let quality { try Codecs.check(quality: quality) }
    size = first.pixels.size
    try job.limits.check(
      .encodingBytes, Int(saturating: Self.frameBytes(size.area, isLossless: quality == nil, job.limits)))
    self.job = job
    // Only its metadata are needed later.
    var metadata = first
    metadata.pixels = PixelBuffer(size: PixelSize(width: 0, height: 0), format: first.pixels.format, bytes: [])
    self.first = metadata
    try unsafe super.init(fcwebp_animation_create(), fcwebp_animation_destroy, text: fcwebp_animation_message)
    let encoding = unsafe WebPEncoder.encoding(
      size, .RGBA, quality: quality, limits: job.limits, cancellation: job.cancellation)
    try check(unsafe fcwebp_animation_start(handle, encoding, UInt32(min(plays, Int(UInt16.max)))))
  }

  /// Returns an upper bound of the bytes, for frames and a file of noise; the file exists twice at the end.
  static func bytes(area: Double, frames: Double, isLossless: Bool, limits: Limits) -> Double {
    frameBytes(area, isLossless: isLossless, limits) + 2 * area * frames * (isLossless ? 4.5 : 3.5)
  }

  /// The bytes of lossless frames that do not grow with the area. Noise of 400 × 320 pixels needed 7 MiB more than the
  /// rest of the estimate, with libwebp 1.2.4.
  private static let losslessTables = 12.0 * 0x1p20

  /// The bytes to encode a frame: libwebp holds four canvases, and three copies of the smallest frame so far.
  private static func frameBytes(_ area: Double, isLossless: Bool, _ limits: Limits) -> Double {
    WebPEncoder.bytes(area: area, .rgba, isLossless: isLossless, limits: limits) + 28 * area
      + (isLossless ? losslessTables : 0)
  }

  func add(_ frame: PixelBuffer, milliseconds: Int) throws(FaceCropError) {
    precondition(frame.size == size, "the frame has another size")
    let frame = frame.format == .gray ? frame.inColor() : frame
    try check(
      unsafe fcwebp_animation_add(
        handle, frame.format.webPColor, frame.bytes, frame.bytesPerRow, frame.bytes.count, Int32(clamping: end)))
    // A frame's time has 24 bits.
    end = end.addingClamped(min(milliseconds, 0xFF_FFFF))
  }

  func finish() throws(FaceCropError) -> [UInt8] {
    let exif = EXIF.data(first.exif, saying: first.resolution)
    let profile = try first.profileOfRGB(job)
    var file = unsafe FCBytes()
    try check(
      unsafe FCAttachments.with(exif: exif, xmp: first.xmp, profile: profile) { attachments in
        unsafe fcwebp_animation_finish(handle, attachments, Int32(clamping: end), &file)
      })
    try job.limits.check(.resultBytes, unsafe file.count)
    return unsafe ImageBytes.take(file)
  }

  override func check(_ status: FCStatus) throws(FaceCropError) { try status.checkEncoding(message) }
}
