public import FoundationEssentials

/// The contents of an image's header, and the cost of cropping it; see ``FaceCropper/info(of:)``.
public struct ImageInfo: Hashable, Sendable {
  /// The format, detected from the first bytes.
  public var format: ImageFormat
  /// The image's size as stored, in pixels.
  public var storedSize: PixelSize
  /// The orientation for display.
  public var orientation: Orientation
  /// Whether the image has one channel of color.
  public var isGray: Bool
  /// Whether there is an alpha channel, a transparent color, or a palette with one. True too if an animation's first
  /// frame does not cover the canvas.
  public var hasTransparency: Bool
  /// The bits of one sample, or of a palette index, as stored. All are decoded to 8.
  public var bitsPerSample: Int
  /// Whether the decoder holds the whole image: a JPEG with several scans, or an interlaced PNG.
  public var isProgressive: Bool
  /// Whether the file is an animation. By default, only its first frame is decoded; see ``FaceSearch/animation``.
  public var isAnimated: Bool
  /// The frames of an animation, as far as the header has them; 1 for other images.
  public var frameCount: Int
  /// The pages of a TIFF file; 1 for other formats. ``ImageSource/page`` selects one.
  public var pageCount: Int
  /// The color profile. Nil without one, or if it is unusable, with one of ``warnings``.
  public var profile: ColorProfile?
  /// Whether there are EXIF data.
  public var hasEXIF: Bool
  /// Whether there is an XMP packet.
  public var hasXMP: Bool
  /// Whether there are IPTC records (IIM).
  public var hasIPTC: Bool
  /// The authors and rights, from XMP, then IPTC, then EXIF data.
  public var credits: Credits
  /// The faces that photo managers marked in the image's XMP packet.
  public var regions: [FaceRegion]
  /// The resolution in pixels per inch; nil if unknown, or different along both sides.
  public var resolution: Double?
  /// The capture time (EXIF's DateTimeOriginal), or else the time of the last edit (DateTime). UTC unless the camera
  /// stored a time zone.
  public var captureDate: Date?
  /// The capture time alone, in seconds since 1970, as in ``captureDate``.
  package var originalTime: Double?
  /// The day of ``captureDate`` as the camera's clock had it: YYYY-MM-DD.
  public var captureDay: String?
  /// The camera's data in a RAW file; nil for other formats. All other properties describe its preview.
  public var raw: RAWOrigin?
  /// The image's gain map; nil without a usable one.
  public var gainMap: GainMapInfo?
  /// The size of the file in bytes.
  public var fileBytes: Int
  /// The problems in the header that would not prevent cropping.
  public var warnings: [CropWarning]

  /// An upper bound, in bytes, of the memory for a crop of any region up to the whole image, and for encoding it. Use
  /// it to admit requests; a crop of a face takes less.
  ///
  /// The output has the image's own format, or is JPEG of quality 85. The file's bytes and the detector's memory are
  /// extra. ``FaceCropper/crops(of:plan:request:progress:)`` takes this for each crop.
  ///
  /// The bound consists of the decoder's memory and the overview:
  ///
  /// - JPEG with one scan: 4 bytes per MCU, 2 per block (8 for sides below 3,200 pixels), and the data of the region.
  ///   The overview has up to 905 × 905 pixels, or 1/64 of the image.
  /// - JPEG with several scans: 128 bytes per block, which is 3 per pixel for 4:2:0 and 6 for 4:4:4. The overview is
  ///   the same.
  /// - PNG: some rows; if interlaced, 1 to 4 bytes per pixel. The overview has up to 1,279 × 1,279 pixels.
  /// - HEIC and AVIF: a row of tiles, or the image, as coded and at 3 bytes per pixel (6 for HEIC above 8 bits). The
  ///   overview has up to 1,279 × 1,279 pixels.
  /// - JPEG XL: the image; while it is decoded, 45 bytes per pixel, 15 for each other channel, and six times the profile.
  ///   The overview is that of HEIC.
  /// - GIF: some rows; if interlaced, 1 byte per pixel of the first frame. The overview is that of PNG.
  /// - TIFF with strips: some rows and a strip as stored. With tiles: a tile as stored and decoded, and a row of tiles
  ///   as pixels. JPEG compression adds up to 6 bytes per pixel of a strip or tile, and Zstandard 128 MiB. The overview
  ///   is that of PNG.
  /// - RAW: the memory of the embedded JPEG.
  /// - WebP: lossy, some rows, or 5 bytes per pixel with alpha; lossless, 4 bytes per pixel; and twice the region. The
  ///   overview has 640 × 640 pixels.
  /// - Gain map: the memory of a JPEG, and 4 bytes per sample.
  ///
  /// Metadata add three times the size of profile and EXIF data. An XMP packet of up to 512 KiB adds up to 21 times its
  /// size, plus 256 KiB. Color conversion adds 30 KB for a profile of curves and a matrix. Other profiles add 1 MiB and
  /// 16 times their tables.
  ///
  /// The region adds 1, 3 or 4 bytes per pixel. The encoder adds the output file and its own memory:
  ///
  /// - PNG: 1 byte per sample.
  /// - JPEG: 0.7 to 1.7 bytes per sample, and 2 more if progressive or up to 32,768 samples.
  /// - WebP: lossy, 4.5 bytes per pixel, and 33 more up to 1 MP or with alpha; lossless, 35.
  public var memory: Int { Int(saturating: decoderBytes + rendering.bytes(as: format.usualOutput)) }
  /// The cost of the overview and of a region of a quarter of the image, without detection. The unit is a megapixel of
  /// baseline JPEG (4:2:0) decoded to RGB. Use it for shares and time limits; similar files differ by a factor of 2.
  public var cost: Double

  private let decoderBytes: Double
  /// See ``DecodingEstimate/blurBytes``.
  private let blurBytes: Double
  private let rendering: RenderingEstimate

  /// The image's size as displayed, in pixels.
  public var size: PixelSize { orientation.applied(to: storedSize) }

  /// Returns an upper bound, in bytes, of the memory for a crop by `request`. Small outputs need less than ``memory``,
  /// if the format can decode at a smaller scale. For ``AnimationPolicy/best`` and ``AnimationPolicy/keep``, it includes
  /// the animation's canvas, its largest frame, and the encoders.
  ///
  /// An external plan may need as much as the same request without sizes.
  ///
  /// - Parameters:
  ///   - request: The frames and their sizes.
  ///   - output: The output format. Default the image's own, or JPEG of quality 85.
  public func memory(for request: CropRequest, as output: OutputFormat? = nil) -> Int {
    memory(for: request, as: output, encodedPixels: nil)
  }

  /// Returns an upper bound, in bytes, of the memory for ``FaceCropper/blur(_:request:plan:as:progress:)``.
  ///
  /// A JPEG that keeps its blocks takes the memory of all coefficients, 2 bytes per sample, and four times the file's
  /// size. A baseline file takes much less, unless its Huffman tables lack a code.
  ///
  /// - Parameters:
  ///   - request: The request, whose ``BlurRequest/sidecar`` takes memory, too.
  ///   - output: The format of the result; nil as in that call.
  public func memory(for request: BlurRequest, as output: OutputFormat? = nil) -> Int {
    guard output == nil, format == .jpeg else {
      // The means of a hidden area are small beside the image.
      return memory(for: CropRequest(output: CropOutput(sidecar: request.sidecar)), as: output)
    }
    return Int(
      saturating: decoderBytes + blurBytes + rendering.searchingBytes + Self.bytes(ofSidecar: request.sidecar))
  }

  /// Returns the cost of a crop by `request`, as ``cost`` without frames beyond the first one. The frames of an animation
  /// are decoded once for ``AnimationPolicy/best``, and twice for ``AnimationPolicy/keep``. A new background adds its
  /// cut-outs: one for each frame of the output.
  public func cost(for request: CropRequest) -> Double {
    let cutout = request.output.background == nil ? 0 : CutoutEstimate.cost
    guard isAnimated else { return cost + cutout }
    switch request.search.animation {
    case .first: return cost + cutout
    case .best: return cost * Double(frameCount) + cutout
    case .keep: return (cost * 2 + cutout) * Double(frameCount)
    }
  }

  /// Returns the bound if at most `encodedPixels` of an output are encoded.
  func memory(for request: CropRequest, as output: OutputFormat?, encodedPixels: Double?) -> Int {
    var request = request
    request.output.sizes = request.output.sizes.map(\.bound)
    return Int(
      saturating: decoderBytes + Self.bytes(ofSidecar: request.output.sidecar)
        + Self.bytes(ofSidecar: request.search.regions.sidecar)
        + rendering.bytes(for: request, as: output ?? format.usualOutput, encodedPixels: encodedPixels))
  }

  private static func bytes(ofSidecar packet: [UInt8]?) -> Double {
    Double(packet.map { XMLMemory.bytes($0.count) + $0.count } ?? 0)
  }

  /// The gain map in the file; see ``GainMap``.
  public struct GainMapInfo: Hashable, Sendable {
    /// The metadata format.
    public var kind: GainMap.Kind
    /// The size as stored, in pixels.
    public var size: PixelSize
  }

  /// An ICC profile.
  public struct ColorProfile: Hashable, Sendable {
    /// The profile's description; nil if absent.
    public var name: String?
    /// The size of the profile in bytes.
    public var bytes: Int
    /// Whether the file has no profile, and its EXIF data name the colors: Adobe RGB.
    public var isByEXIF = false
  }
}

extension ImageInfo {
  init(
    reading bytes: Span<UInt8>, page: Int? = nil, isFileMapping: Bool, job: Job
  ) throws(FaceCropError) {
    let fileBytes = bytes.count
    self = try Codecs.withSession(
      bytes, page: page, isFileMapping: isFileMapping, allowsDamage: false, job: job
    ) { (session) throws(FaceCropError) in
      try session.checkHeader(fileBytes: fileBytes, job.limits)
      let info = try ImageInfo(session, fileBytes: fileBytes, job)
      // A cancelled estimate is incomplete.
      try job.check()
      return info
    }
  }

  private init(_ session: any ImageSession, fileBytes: Int, _ job: Job) throws(FaceCropError) {
    let header = session.header
    let estimate = session.estimate
    format = session.format
    storedSize = header.size
    orientation = header.orientation
    isGray = header.isGray
    hasTransparency = header.hasAlpha
    bitsPerSample = header.bitsPerSample
    pageCount = header.pageCount
    isProgressive = header.isProgressive
    isAnimated = header.isAnimated
    frameCount = header.frameCount
    profile = header.profile.map {
      ColorProfile(name: ICCProfile.name(of: $0), bytes: $0.count, isByEXIF: header.isProfileByEXIF)
    }
    let exif = header.exif.flatMap(EXIF.init)
    hasEXIF = exif != nil
    hasXMP = !header.credits.xmp.isEmpty
    hasIPTC = !header.credits.iptc.isEmpty
    resolution = header.resolution ?? exif?.resolution
    captureDate = exif?.captureTime.map(Date.init(timeIntervalSince1970:))
    (captureDay, originalTime) = (exif?.captureDay, exif?.originalTime)
    raw = header.raw
    credits = try header.credits.read(job).credits
    credits.fill(from: exif.map(Credits.init) ?? Credits())
    regions = try RegionReader.read(header.credits.xmp, job).regions(of: header.size, header.orientation)
    self.fileBytes = fileBytes
    warnings = header.faults.inOrder
    // Each piece of metadata exists three times: as read, as passed on, and once in between.
    let metadataBytes = max(header.metadataBytes, (header.profile?.count ?? 0) + (header.exif?.count ?? 0))
    let colorBytes = header.profile.map { ICCProfile.conversionBytes($0, header.isGray ? .gray : .rgb) } ?? 0
    let map = try job.attempt { () throws(FaceCropError) in try session.gainMap() } ?? nil
    gainMap = map.map { GainMapInfo(kind: $0.metadata.kind, size: $0.header.size) }
    // The map is decoded, resized, and encoded twice. It is decoded after the image, not beside it.
    let mapBytes = map.map {
      $0.session.estimate.bytes + $0.header.size.area * Double(4 * $0.header.format.channels)
        + Double($0.header.credits.memory)
    }
    decoderBytes =
      estimate.bytes + Double(3 * metadataBytes + colorBytes + header.credits.memory) + (mapBytes ?? 0)
    rendering = RenderingEstimate(session, estimate, limits: job.limits)
    cost = estimate.cost + (map?.session.estimate.cost ?? 0)
    blurBytes = estimate.blurBytes
  }
}
