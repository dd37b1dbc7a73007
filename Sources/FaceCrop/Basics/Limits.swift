/// What an input may cost. Nearly every limit is checked after the header and before memory for pixels is taken.
///
/// The defaults let pass what cameras make and refuse what only an attacker would send. Raise one by name:
///
/// ```swift
/// var limits = Limits()
/// limits.pixels = 200_000_000
/// ```
public struct Limits: Hashable, Sendable {
  /// Pixels of the picture, width × height, with those of its alpha plane if that is an image of its own. Default 100 million.
  public var pixels: Int
  /// Pixels of the longer side. Default 30,000: panoramas of cameras stay below 20,000, and files that are made to break
  /// decoders have sides near their formats' largest, 65,535 and above.
  public var side: Int
  /// Pixels to decode for each byte of the file, where there are more than 4 million: those of all planes, tiles and thumbnails, and of
  /// each scan. Default 10,000: deflate makes at most 8,256 of a byte, photographs 50; far more is in a progressive JPEG, or a
  /// lossless WebP, in which there is nothing to see.
  public var pixelsPerByte: Int
  /// Bytes of the file. Default 256 MiB.
  public var fileBytes: Int
  /// Scans of a progressive or non-interleaved JPEG; each costs a pass over all coefficients (libjpeg-turbo, "Two Issues
  /// with the JPEG Standard", 2016, suggests 100 to 1,000). Default 100.
  public var scans: Int
  /// Frames of an animation, of which the first is read. Default 10,000.
  public var frames: Int
  /// Bytes of coefficients that such a file needs in memory: 3 per pixel for 4:2:0, 6 for 4:4:4. Default 200 MiB.
  public var coefficientBytes: Int
  /// Bytes of EXIF data and color profile together. Default 16 MiB.
  public var metadataBytes: Int
  /// Bytes of the pixels of one decoded region, and of its outputs together, with what filling their borders and cutting them to
  /// circles takes. Default 400 MB: 4 bytes for each of 100 million pixels, so that what is let in can be given whole.
  public var regionBytes: Int
  /// Bytes of all crops that one call gives together, as pixels or as files. Default 400 MB. ``FaceCropper/crops(of:plan:request:progress:)``
  /// gives one by one as many as there are.
  public var resultBytes: Int
  /// Bytes in memory of a picture that its decoder holds whole, with the region's pixels beside it: an interlaced PNG, a lossless
  /// WebP, the alpha of a lossy one. Default 200 MiB.
  public var pictureBytes: Int
  /// The same of a HEIC or AVIF, which cameras write as one piece, without tiles: 7 bytes a pixel for 10 bits and 4:2:2. Default 576
  /// MiB, which is 86 million pixels of those. Of a JPEG XL too: up to 48 bytes a pixel without alpha, or 12 million pixels.
  public var heifBytes: Int
  /// Bytes that an encoder takes for one output, where it holds all of it: 30 or 46 a pixel for AVIF, 35 for lossless WebP. Default 1,280
  /// MiB, which is 29 million pixels of AVIF with all of its color.
  public var encodingBytes: Int
  /// Tiles in which an image is searched again that is very long, or shows a group: each costs a detection pass. 1 for none. Default 8.
  public var tiles: Int
  /// How long one call may work, in wall-clock time from when it begins. Default 30 seconds. It ends at the same places
  /// where a cancelled one does. A call that goes on for half as long again, and at least a tenth of a second, is given up. It then throws,
  /// and its thread works until the library or the detector returns.
  public var time: Duration
  /// When all calls with these limits end together, whatever ``time`` each would have; see ``FaceCropper/ending(by:)``.
  var deadline: Deadline?

  /// An end, and how much time there was when it was set.
  struct Deadline: Hashable, Sendable {
    let end: ContinuousClock.Instant
    let time: Duration

    init(_ end: ContinuousClock.Instant) {
      self.end = end
      time = max(end - .now, .zero)
    }
  }

  /// By default for untrusted uploads.
  public init(
    pixels: Int = 100_000_000, side: Int = 30_000, pixelsPerByte: Int = 10_000, fileBytes: Int = 256 << 20,
    scans: Int = 100, frames: Int = 10_000, coefficientBytes: Int = 200 << 20, metadataBytes: Int = 16 << 20,
    regionBytes: Int = 400_000_000, resultBytes: Int = 400_000_000, pictureBytes: Int = 200 << 20,
    heifBytes: Int = 576 << 20, encodingBytes: Int = 1_280 << 20, tiles: Int = 8, time: Duration = .seconds(30)
  ) {
    self.pixels = pixels
    self.side = side
    self.pixelsPerByte = pixelsPerByte
    self.fileBytes = fileBytes
    self.scans = scans
    self.frames = frames
    self.coefficientBytes = coefficientBytes
    self.metadataBytes = metadataBytes
    self.regionBytes = regionBytes
    self.resultBytes = resultBytes
    self.pictureBytes = pictureBytes
    self.heifBytes = heifBytes
    self.encodingBytes = encodingBytes
    self.tiles = tiles
    self.time = time
  }

  /// What is limited; each is in the unit of its limit. Where a file's end was not reached, its bytes count as one more than allowed.
  public enum Kind: Hashable, Sendable {
    /// The limit of the same name.
    case pixels, side, pixelsPerByte, fileBytes, scans, frames, coefficientBytes, metadataBytes, regionBytes,
      resultBytes, pictureBytes, heifBytes, encodingBytes
    /// The limit ``Limits/time``, in milliseconds.
    case time

    /// Returns a clause that has both numbers.
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
      case .coefficientBytes: "\(actual) bytes of coefficients in memory exceed the limit of \(allowed)"
      case .metadataBytes: "\(actual) bytes of metadata exceed the limit of \(allowed)"
      case .regionBytes: "\(actual) bytes of pixels in the region exceed the limit of \(allowed)"
      case .resultBytes: "\(actual) bytes of all crops together exceed the limit of \(allowed)"
      case .pictureBytes, .heifBytes: "\(actual) bytes of pixels in the decoder's memory exceed the limit of \(allowed)"
      case .encodingBytes: "\(actual) bytes of memory for encoding the output exceed the limit of \(allowed)"
      case .time: "\(Self.seconds(actual)) s of work exceed the limit of \(Self.seconds(allowed)) s"
      }
    }

    private static func seconds(_ milliseconds: Int) -> String {
      milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
    }
  }

  func check(_ kind: Kind, _ actual: Int) throws(FaceCropError) {
    let allowed =
      switch kind {
      case .pixels: pixels
      case .side: side
      case .pixelsPerByte: pixelsPerByte
      case .fileBytes: fileBytes
      case .scans: scans
      case .frames: frames
      case .coefficientBytes: coefficientBytes
      case .metadataBytes: metadataBytes
      case .regionBytes: regionBytes
      case .resultBytes: resultBytes
      case .pictureBytes: pictureBytes
      case .heifBytes: heifBytes
      case .encodingBytes: encodingBytes
      case .time: time.milliseconds
      }
    guard actual <= allowed else { throw .overLimit(kind, actual: actual, allowed: allowed) }
  }

  /// What a header says of the picture's size.
  func check(_ size: PixelSize) throws(FaceCropError) {
    try check(.side, size.longSide)
    try check(.pixels, size.bytes(channels: 1))
  }

  /// All that is to be decoded of a file, against its bytes.
  func check(decodedPixels pixels: Int, fileBytes: Int) throws(FaceCropError) {
    let mostUnsuspected = 4_000_000
    if pixels > mostUnsuspected { try check(.pixelsPerByte, pixels / max(fileBytes, 1)) }
  }
}

extension PixelSize {
  /// Bytes of its pixels, of that many each; the largest number there is if they are more.
  func bytes(channels: Int) -> Int {
    let (pixels, isTooLarge) = width.multipliedReportingOverflow(by: height)
    let (bytes, areTooMany) = pixels.multipliedReportingOverflow(by: channels)
    return isTooLarge || areTooMany ? .max : bytes
  }
}

extension Int {
  /// The largest number there is if it is more.
  func addingClamped(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  /// The largest number there is if it is more; neither is negative.
  func multipliedClamped(by other: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? .max : product
  }
}

extension Duration {
  /// Whole ones, rounded up; the largest number there is if they are more.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    let rest = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    guard seconds < Int64.max / 1_000 - 1 else { return .max }
    return Int(seconds) * 1_000 + rest
  }
}
