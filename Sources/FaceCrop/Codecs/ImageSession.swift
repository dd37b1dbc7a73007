/// One picture during one request: how a decoder is written.
///
/// A format's session knows its file's header, gives a small picture of all of it, and decodes parts at full quality into a
/// ``RowSink``, in bands of rows from the top. What the look learns may stay for the regions.
protocol ImageSession: AnyObject {
  /// The file's format.
  var format: ImageFormat { get }
  var header: ImageHeader { get }
  /// The scales in eighths, in ascending order and with 8, at which regions can be decoded.
  var scales: [Int] { get }
  /// How many times the pixels of an output, along each side, the scale leaves at which its region is decoded. More costs time where a
  /// smaller scale saves decoding; fewer differ more from what full size gives.
  var oversampling: Double { get }
  /// What decoding any of it takes, without decoding.
  var estimate: DecodingEstimate { get }

  /// Pixels of all that is decoded for the whole picture: planes, tiles, thumbnails, and each scan anew.
  func decodedPixels() throws(FaceCropError) -> Int

  /// The picture's gain map; nil where it has none.
  func gainMap() throws(FaceCropError) -> GainMapSource?

  /// Checks the limits of memory that the header alone says it will be over: what a look at the picture takes.
  func checkMemory() throws(FaceCropError)

  /// Checks the limits for which more than the header has to be read. Before anything is decoded.
  func admit() throws(FaceCropError)

  /// The whole picture as stored, at most ``Overview/side`` pixels on its longer side; transparent places are white.
  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer>

  /// A part of the picture as stored, in the header's format, with the pixels that decoding all of it would give.
  ///
  /// - Parameter sink: gets every row of the region, if possible as it is decoded.
  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void>
}

extension ImageSession {
  func decodedPixels() throws(FaceCropError) -> Int { header.size.bytes(channels: 1) }

  func gainMap() throws(FaceCropError) -> GainMapSource? { nil }

  /// Checks what a file's size and its header say.
  func checkHeader(fileBytes: Int, _ limits: Limits) throws(FaceCropError) {
    try limits.check(decodedPixels: try decodedPixels(), fileBytes: fileBytes)
    try checkMemory()
  }

  /// A region as a picture.
  ///
  /// - Parameter orientation: by which it is turned while it is decoded, so that it is never there twice.
  func picture(
    of region: RegionRequest, turned orientation: Orientation = .up
  ) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let (picture, decoded) = try PixelBuffer.decoded(region.rect.size, header.format, turned: orientation) {
      (sink) throws(FaceCropError) in try decode(region, into: &sink)
    }
    return decoded.with(picture)
  }
}

/// A small picture that is wanted.
struct OverviewRequest {
  /// The wanted pixels' format, one without alpha.
  var format: PixelBuffer.Format
  /// Pixels of the longer side from which on an overview that costs less is enough, where a format has such a one.
  var smallest = Overview.smallest

  /// Whether it is for limits that were chosen on the pixels that libjpeg and OpenCV give.
  var isExact: Bool { smallest >= Overview.side }

  /// An overview at most as large as it may be.
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

/// A part of a picture that is wanted.
struct RegionRequest {
  /// The part inside the picture scaled to `ceil(side · scale / 8)`.
  var rect: PixelRect
  /// The picture's scale in eighths, one of the session's ``ImageSession/scales``.
  var scale = 8
  /// No other follows: what it has used may be given up while it is decoded. One that is decoded all the same costs what the first
  /// one did.
  var isLast = false
  var progress: ProgressSpan
}

/// What was decoded.
struct Decoded<Value> {
  var value: Value
  var path: DecodePath
  /// What was found wrong with the picture until now, and passed over.
  var warnings: [CropWarning]

  func with<Other>(_ value: Other) -> Decoded<Other> { Decoded<Other>(value: value, path: path, warnings: warnings) }
}

/// A region's part of a job's progress, where a phase has several.
struct ProgressSpan {
  /// Nil reports nothing.
  let job: Job?
  let phase: CropProgress.Phase
  var index = 0
  var count = 1

  static let silent = ProgressSpan(job: nil, phase: .look)

  func report(_ completed: Int, of total: Int) {
    job?.report(phase, index * total + completed, of: count * total)
  }
}

/// What a picture says of itself before its pixels.
struct ImageHeader: Sendable {
  /// The picture's size as stored, in pixels.
  var size: PixelSize
  var orientation = Orientation.up
  var isGray = false
  var hasAlpha = false
  /// Bits of a sample as stored.
  var bitsPerSample = 8
  /// The decoder holds the whole picture until its last row is known: several scans, or interlaced.
  var isProgressive = false
  /// What is read is the first frame.
  var isAnimated = false
  /// An ICC profile that fits the picture's colors.
  var profile: [UInt8]?
  /// The EXIF data: a TIFF structure, without what a container puts before it.
  var exif: [UInt8]?
  /// Bytes of the profile and of the EXIF data that the file brings, dropped ones among them.
  var metadataBytes = 0
  /// Who made it, as IPTC and XMP say.
  var credits = CreditSources()
  /// The camera's file that the picture is a preview in.
  var raw: RAWOrigin?
  /// Pixels per inch, where the format says them outside of EXIF data.
  var resolution: Double?
  /// What is wrong with it, and passed over.
  var warnings: [CropWarning] = []

  var displaySize: PixelSize { orientation.applied(to: size) }
  /// The format of the regions' pixels.
  var format: PixelBuffer.Format { hasAlpha ? .rgba : isGray ? .gray : .rgb }

  /// Whether the profile describes pixels in `format` too.
  func fits(_ format: PixelBuffer.Format) -> Bool {
    isGray == (format == .gray)
  }
}

extension PixelRect {
  /// All of a picture of `size`, scaled to that many eighths.
  init(whole size: PixelSize, scale: Int) {
    self.init(x: 0, y: 0, width: (size.width * scale + 7) / 8, height: (size.height * scale + 7) / 8)
  }

  /// What of a picture of `size` a rectangle at a scale of a whole factor stands for.
  func enlarged(by factor: Int, in size: PixelSize) -> PixelRect {
    PixelRect(x: x * factor, y: y * factor, width: width * factor, height: height * factor)
      .intersection(PixelRect(whole: size, scale: 8))
  }
}
