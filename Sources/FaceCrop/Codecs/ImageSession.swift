/// An image during one request: the interface of a decoder.
///
/// A format's session reads the file's header, decodes an overview, and decodes regions at full quality. Their rows go
/// into a ``RowSink``, in bands from the top. It may cache results of the detection pass for the regions.
protocol ImageSession: AnyObject {
  var format: ImageFormat { get }
  var header: ImageHeader { get }
  /// The scales of region decoding in eighths, ascending, with 8 as the last.
  var scales: [Int] { get }
  /// The ratio of the decoded region's sides to the output's. A higher one costs time if smaller scales are cheaper to
  /// decode. A lower one differs more from full-size decoding.
  var oversampling: Double { get }
  /// The estimated memory and cost of decoding any region.
  var estimate: DecodingEstimate { get }

  /// Returns the pixels to decode for the whole image: planes, tiles, thumbnails, and each scan again.
  func decodedPixels() throws(FaceCropError) -> Int

  /// Returns the image's gain map; nil if absent.
  func gainMap() throws(FaceCropError) -> GainMapSource?

  /// Returns a reader of an animation's frames; nil if the format's cannot be read.
  func frames() throws(FaceCropError) -> (any FrameSource)?

  /// An upper bound of the bytes for a reader of frames, beyond ``estimate`` and ``AnimationReader/bytesPerPixel``.
  var frameBytes: Double { get }

  /// Checks the memory of the detection pass, as the header predicts it, against the limits.
  func checkMemory() throws(FaceCropError)

  /// Checks the limits that need more than the header, before anything is decoded.
  func admit() throws(FaceCropError)

  /// Decodes the whole image as stored, with up to ``Overview/side`` pixels on its longer side. Transparent pixels
  /// become white.
  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer>

  /// Decodes a region of the image as stored, in the header's format. Its pixels equal those of decoding the whole
  /// image. The sink gets every row, if possible during decoding.
  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void>
}

extension ImageSession {
  var scales: [Int] { [1, 2, 4, 8] }
  /// The ratio that ``RowResampler`` leaves too.
  var oversampling: Double { 4 }

  func admit() {}

  func decodedPixels() throws(FaceCropError) -> Int { header.size.bytes(channels: 1) }

  func gainMap() throws(FaceCropError) -> GainMapSource? { nil }

  func frames() throws(FaceCropError) -> (any FrameSource)? { nil }

  var frameBytes: Double { 0 }

  /// Checks the header against the file's size and the limits.
  func checkHeader(fileBytes: Int, _ limits: Limits) throws(FaceCropError) {
    try limits.check(decodedPixels: try decodedPixels(), fileBytes: fileBytes)
    try checkMemory()
  }

  /// Decodes a region as an image, rotated during decoding, which avoids a second copy.
  func picture(
    of region: RegionRequest, turned orientation: Orientation = .up
  ) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let (picture, decoded) = try PixelBuffer.decoded(region.rect.size, header.format, turned: orientation) {
      (sink) throws(FaceCropError) in try decode(region, into: &sink)
    }
    return decoded.with(picture)
  }
}

struct OverviewRequest {
  /// The wanted pixel format, without alpha.
  var format: PixelBuffer.Format
  /// The minimum of the longer side in pixels, if such an overview is cheaper.
  var smallest = Overview.smallest

  /// Whether the overview is for thresholds tuned on the pixels of libjpeg and OpenCV.
  var isExact = false
  /// Whether an embedded thumbnail may take the place of the image. It can show something else.
  var allowsThumbnail = true

  /// Reduces an overview to the maximum size.
  func shrunk(_ picture: PixelBuffer) throws(FaceCropError) -> PixelBuffer {
    guard picture.size.longSide > Overview.side else { return picture }
    let factor = (picture.size.longSide + Overview.side - 1) / Overview.side
    if !isExact, factor <= 4, picture.size.longSide >= factor * smallest {
      return picture.averaged(by: factor)
    }
    let size = picture.size.scaled(toLongSide: Overview.side)
    return isExact ? try picture.resized(to: size) : picture.quicklyResized(to: size)
  }
}

struct RegionRequest {
  /// The rectangle inside the image scaled to `ceil(side · scale / 8)`.
  var rect: PixelRect
  /// The scale in eighths, one of ``ImageSession/scales``.
  var scale = 8
  /// Whether no other region follows, so that decoding can free memory. Another one would cost as much as the first.
  var isLast = false
  var progress: ProgressSpan
}

struct Decoded<Value> {
  var value: Value
  var path = DecodePath.sequential
  /// The problems found so far that did not prevent decoding.
  var faults: Set<CropWarning>

  func with<Other>(_ value: Other) -> Decoded<Other> { Decoded<Other>(value: value, path: path, faults: faults) }
}

/// A region's span of a job's progress, in a phase with several regions.
struct ProgressSpan {
  /// The job; nil reports nothing.
  let job: Job?
  let phase: CropProgress.Phase
  var index = 0
  var count = 1

  static let silent = ProgressSpan(job: nil, phase: .overview)

  func report(_ completed: Int, of total: Int) {
    job?.report(phase, index * total + completed, of: count * total)
  }

  /// Reports a fraction, 0…1, of some rows.
  func report(_ fraction: Double, of rows: Int) { report(Int(fraction * Double(rows)), of: rows) }
}

struct ImageHeader: Sendable {
  var size: PixelSize
  var orientation = Orientation.up
  var isGray = false
  var hasAlpha = false
  var bitsPerSample = 8
  /// The pages of the file.
  var pageCount = 1
  /// Whether the decoder holds the whole image up to its last row: several scans, or interlaced.
  var isProgressive = false
  /// Whether the file is an animation. The session itself decodes only its first frame.
  var isAnimated = false
  /// The frames of an animation, as far as the header has them; 1 for other images.
  var frameCount = 1
  /// An ICC profile for the image's colors, as the file has it. Gray can have one for RGB, and gray with alpha one for
  /// gray; see ``Coloring``.
  var profile: [UInt8]?
  /// Whether the file has no profile, and only its EXIF data name the colors.
  var isProfileByEXIF = false
  /// The EXIF data: a TIFF structure, without a container's prefix.
  var exif: [UInt8]?
  /// The bytes of profile and EXIF data in the file, dropped ones included.
  var metadataBytes = 0
  /// The credits in IPTC and XMP.
  var credits = CreditSources()
  /// The RAW file whose preview is the image.
  var raw: RAWOrigin?
  /// The resolution in pixels per inch outside EXIF data.
  var resolution: Double?
  /// The problems in the header.
  var faults: Set<CropWarning> = []

  var displaySize: PixelSize { orientation.applied(to: size) }
  /// The pixel format of regions.
  var format: PixelBuffer.Format { hasAlpha ? .rgba : isGray ? .gray : .rgb }
}

extension PixelRect {
  /// Creates the rectangle of a whole image of `size` at a scale in eighths.
  init(whole size: PixelSize, scale: Int) {
    self.init(x: 0, y: 0, width: (size.width * scale + 7) / 8, height: (size.height * scale + 7) / 8)
  }

  /// Returns the rectangle in an image of `size` that a rectangle at a scale of a whole factor covers.
  func enlarged(by factor: Int, in size: PixelSize) -> PixelRect {
    PixelRect(x: x * factor, y: y * factor, width: width * factor, height: height * factor)
      .intersection(PixelRect(whole: size, scale: 8))
  }
}

/// A session that can cut its file without decoding pixels.
protocol LosslessSession: ImageSession {
  /// Cuts out a rectangle inside the image as stored, extended to the format's block borders. `metadata` returns the
  /// metadata for an image of a size. Returns the file, and the rectangle that it shows.
  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, metadata: (_ size: PixelSize) -> CropMetadata
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)>

  /// Completes a file of ``losslessCut(of:progress:metadata:)`` without XMP. It adds the gain map, if any, and the XMP
  /// packet, which depends on it.
  func completed(_ cut: [UInt8], xmp: [UInt8]?, _ map: GainMap?, _ job: Job) throws(FaceCropError) -> [UInt8]
}

/// A session that can replace areas of its image and keep the data of everything else.
protocol BlurSession: ImageSession {
  /// Returns the file with hidden areas, in pixels of the image as stored. Only blocks with hidden samples are encoded
  /// again. The metadata replace those of the file, and embedded images are dropped.
  func blur(
    _ areas: [HiddenArea], by mode: BlurMode, metadata: CropMetadata, progress: ProgressSpan
  ) throws(FaceCropError) -> Decoded<[UInt8]>
}
