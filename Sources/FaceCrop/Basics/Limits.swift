/// The limits for one input. Most are checked after the header and before memory for pixels is allocated.
///
/// The defaults admit camera files and refuse files that only an attacker would send. Raise one by name:
///
/// ```swift
/// var limits = Limits()
/// limits.pixels = 200_000_000
/// ```
public struct Limits: Hashable, Sendable {
  /// The pixels of the image, width × height, plus those of a separate alpha plane. Default 100 million.
  public var pixels = 100_000_000
  /// The longer side in pixels. Default 30,000: camera panoramas stay below 20,000, and files that attack decoders have
  /// sides near their formats' maximum, 65,535 and above.
  public var side = 30_000
  /// The pixels to decode for each byte of the file, if there are more than 4 million: all planes, tiles, thumbnails,
  /// and scans. Default 10,000.
  ///
  /// Deflate expands a byte to at most 8,256 pixels, and photos have about 50. Only a blank progressive JPEG or
  /// lossless WebP has far more.
  public var pixelsPerByte = 10_000
  /// The size of the file in bytes. Default 256 MiB.
  public var fileBytes = 256 << 20
  /// The scans of a progressive or non-interleaved JPEG. Each costs a pass over all coefficients (libjpeg-turbo, "Two
  /// Issues with the JPEG Standard", 2016, suggests 100 to 1,000). Default 100.
  public var scans = 100
  /// The frames of an animation. Default 10,000.
  public var frames = 10_000
  /// The pixels of all frames of an animation together, if more than its first frame is used
  /// (``FaceSearch/animation``). Default 1,000 million.
  public var animationPixels = 1_000_000_000
  /// The bytes of coefficients in memory, for a JPEG with several scans: 3 per pixel for 4:2:0, 6 for 4:4:4. Default
  /// 200 MiB.
  public var coefficientBytes = 200 << 20
  /// The bytes of EXIF data and color profile together. Default 16 MiB.
  public var metadataBytes = 16 << 20
  /// The bytes of one decoded region and its outputs together, with the memory for filling borders and cutting circles.
  /// Default 400 MB: 4 bytes for each of 100 million pixels, so that any admitted image fits.
  public var regionBytes = 400_000_000
  /// The bytes of all crops that one call returns together, as pixels or as files. Default 400 MB.
  /// ``FaceCropper/crops(of:plan:request:progress:)`` returns them one by one, without this limit.
  public var resultBytes = 400_000_000
  /// The bytes of an image that its decoder holds whole, plus the region: interlaced PNG, lossless WebP, the alpha of
  /// lossy WebP. Default 200 MiB.
  public var imageBytes = 200 << 20
  /// The same for HEIC and AVIF, which cameras write without tiles: 7 bytes per pixel for 10 bits and 4:2:2. Default
  /// 576 MiB, enough for 86 million such pixels. It also limits JPEG XL: 48 bytes per pixel of RGB, or 12 million pixels.
  public var heifBytes = 576 << 20
  /// The bytes of an encoder that holds an output whole: up to 54 per pixel for AVIF, and 35 for lossless WebP. Default
  /// 1,280 MiB, enough for 29 million pixels of AVIF with full color.
  public var encodingBytes = 1_280 << 20
  /// The tiles for a second search in very long images and in groups, each a detection pass. 1 turns it off. Default 8.
  public var tiles = 8
  /// The processor time of one call. Default 30 seconds. A busy machine does not shorten it, but four times as much
  /// wall-clock time ends a call, too. The call ends wherever a cancelled one would end.
  ///
  /// The time is that of the call's thread, and of a process that decodes JPEG XL. Threads of your own detector do not
  /// count. Waiting for a pipe is limited by the same wall-clock time.
  ///
  /// A call that exceeds a limit by half, and by at least a tenth of a second, is abandoned. It throws, and its thread
  /// works until the library or detector returns.
  public var time = Duration.seconds(30)
  /// The wall-clock time that ends a call.
  package var longestTime: Duration { time * 4 }
  /// The processor time of earlier calls that share ``time``; see ``FaceCropper/sharingTime()``.
  var spent: SpentTime?
  /// A common deadline for all calls with these limits, independent of ``time``; see ``FaceCropper/ending(by:)``.
  var deadline: Deadline?

  /// A deadline, with the time that was left when it was set.
  struct Deadline: Hashable, Sendable {
    let end: ContinuousClock.Instant
    let time: Duration

    init(_ end: ContinuousClock.Instant) {
      self.end = end
      time = max(end - .now, .zero)
    }
  }

  /// Creates limits; the defaults suit untrusted uploads.
  public init() {}

  /// A limit, with values in its unit. If the end of a file was not reached, its bytes count as one more than allowed.
  public enum Kind: String, Hashable, Sendable {
    /// The limit of the same name.
    case pixels, side, pixelsPerByte, fileBytes, scans, frames, animationPixels, coefficientBytes, metadataBytes,
      regionBytes, resultBytes, imageBytes, heifBytes, encodingBytes
    /// The limit ``Limits/time`` of processor time, or that of wall-clock time, in milliseconds.
    case time

    /// Returns a clause with both numbers.
    func sentence(actual: Int, allowed: Int) -> String {
      switch self {
      case .pixels: "\(actual) pixels exceed the limit of \(allowed)"
      case .side: "a side of \(actual) pixels exceeds the limit of \(allowed)"
      case .pixelsPerByte: "\(actual) pixels per byte of the file exceed the limit of \(allowed)"
      case .fileBytes where actual &- 1 == allowed:
        "a file size of more than \(allowed) bytes exceeds the limit"
      case .fileBytes: "a file size of \(actual) bytes exceeds the limit of \(allowed)"
      case .scans: "at least \(actual) scans exceed the limit of \(allowed)"
      case .frames: "\(actual) frames exceed the limit of \(allowed)"
      case .animationPixels: "\(actual) pixels of all frames exceed the limit of \(allowed)"
      case .coefficientBytes: "\(actual) bytes of coefficients in memory exceed the limit of \(allowed)"
      case .metadataBytes: "\(actual) bytes of metadata exceed the limit of \(allowed)"
      case .regionBytes: "\(actual) bytes of pixels in the region exceed the limit of \(allowed)"
      case .resultBytes: "\(actual) bytes of all crops together exceed the limit of \(allowed)"
      case .imageBytes, .heifBytes: "\(actual) bytes of pixels in the decoder's memory exceed the limit of \(allowed)"
      case .encodingBytes: "\(actual) bytes of memory for encoding the output exceed the limit of \(allowed)"
      case .time where allowed <= 0: "the deadline had passed before the work began"
      case .time: "\(Self.seconds(actual)) s of work exceed the limit of \(Self.seconds(allowed)) s"
      }
    }

    private static func seconds(_ milliseconds: Int) -> String {
      milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
    }
  }

  /// Returns the value of a limit, in its unit.
  package func allowed(_ kind: Kind) -> Int {
    switch kind {
    case .pixels: pixels
    case .side: side
    case .pixelsPerByte: pixelsPerByte
    case .fileBytes: fileBytes
    case .scans: scans
    case .frames: frames
    case .animationPixels: animationPixels
    case .coefficientBytes: coefficientBytes
    case .metadataBytes: metadataBytes
    case .regionBytes: regionBytes
    case .resultBytes: resultBytes
    case .imageBytes: imageBytes
    case .heifBytes: heifBytes
    case .encodingBytes: encodingBytes
    case .time: time.milliseconds
    }
  }

  func check(_ kind: Kind, _ actual: Int) throws(FaceCropError) {
    let allowed = allowed(kind)
    guard actual <= allowed else { throw .overLimit(kind, actual: actual, allowed: allowed) }
  }

  /// Checks the image's size against `side` and `pixels`.
  func check(_ size: PixelSize) throws(FaceCropError) {
    try check(.side, size.longSide)
    try check(.pixels, size.bytes(channels: 1))
  }

  /// Checks all pixels to decode against the file's bytes.
  func check(decodedPixels pixels: Int, fileBytes: Int) throws(FaceCropError) {
    let mostUnsuspected = 4_000_000
    if pixels > mostUnsuspected { try check(.pixelsPerByte, pixels / max(fileBytes, 1)) }
  }
}

extension PixelSize {
  /// Returns the bytes of its pixels with this many bytes each, clamped to `Int.max`.
  func bytes(channels: Int) -> Int { width.multipliedClamped(by: height).multipliedClamped(by: channels) }
}

extension Int {
  /// Returns the sum, clamped to `Int.max`.
  func addingClamped(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  /// Returns the product of two numbers of at least 0, clamped to `Int.max`.
  func multipliedClamped(by other: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? .max : product
  }
}

extension Duration {
  /// 36,525 days. Sleeping for more than 292 years traps.
  static let century = Duration.seconds(3_155_760_000)

  /// The duration in milliseconds, rounded up and clamped to the range of `Int`.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    let rest = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    guard abs(Double(seconds)) < 9e15 else { return seconds < 0 ? .min : .max }
    return Int(seconds) * 1_000 + rest
  }
}
