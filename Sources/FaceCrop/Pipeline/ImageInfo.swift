public import FoundationEssentials

/// What a picture's header says, and what a crop of it would take; see ``FaceCropper/info(of:)``.
public struct ImageInfo: Hashable, Sendable {
  /// What its first bytes say it is.
  public var format: ImageFormat
  /// The picture's size as stored, in pixels.
  public var storedSize: PixelSize
  /// What turns it for display.
  public var orientation: Orientation
  /// One channel of color.
  public var isGray: Bool
  /// An alpha channel, or a transparent color or palette. Of an animation, also a first frame that leaves some of it free.
  public var hasTransparency: Bool
  /// Bits of one sample, or of an index into a palette, as stored. All are decoded to 8.
  public var bitsPerSample: Int
  /// A progressive JPEG or one of several scans, an interlaced PNG: the whole picture is in the decoder's memory.
  public var isProgressive: Bool
  /// Only the first frame is read.
  public var isAnimated: Bool
  /// A usable color profile; nil when there is none, or one that is dropped, which is one of the ``warnings``.
  public var profile: ColorProfile?
  /// Whether there are EXIF data.
  public var hasEXIF: Bool
  /// Whether there is an XMP packet.
  public var hasXMP: Bool
  /// Whether there are IPTC's own records (IIM).
  public var hasIPTC: Bool
  /// Who made the picture and whose it is: by XMP, what that does not say by IPTC, then by EXIF data.
  public var credits: Credits
  /// Pixels per inch that it says it has; nil when it does not say, or not the same along both sides.
  public var resolution: Double?
  /// When it was taken (EXIF's DateTimeOriginal) or, where that is missing, when it was last edited (DateTime); by UTC unless
  /// the camera says how its clock was set.
  public var captureDate: Date?
  /// Of a camera's RAW file, what it says beside its preview, which is the picture that all else is said of; nil for other formats.
  public var raw: RAWOrigin?
  /// The picture's gain map; nil where it has none that can be used.
  public var gainMap: GainMapInfo?
  /// Bytes of the file.
  public var fileBytes: Int
  /// What is already known to be wrong, and would not keep it from being cropped.
  public var warnings: [CropWarning]

  /// Bytes that a crop and ``FaceCropper/encode(_:as:background:progress:)`` take at most, whatever the region, up to the whole
  /// picture at full size: an upper bound for admission, not what a crop of a face takes. The output is of the picture's own format,
  /// or JPEG of quality 85. The file's bytes and what the detector holds are not in it. Of many crops one by one, by
  /// ``FaceCropper/crops(of:plan:request:progress:)``, each takes that.
  ///
  /// | | decoder | to which comes |
  /// |---|---|---|
  /// | JPEG of one scan | 4 bytes an MCU, 2 a block (8 below 3,200 pixels a side), and the part of the file that is cut out | an overview of at most 905 × 905 pixels, or 1/64 of the picture |
  /// | of several scans | 128 bytes a block: 3 a pixel for 4:2:0, 6 for 4:4:4 | the same |
  /// | PNG | some rows; if interlaced, 1 to 4 bytes a pixel | an overview of at most 1,279 × 1,279 pixels |
  /// | HEIC, AVIF | a row of tiles, or the picture, as coded and at 3 bytes a pixel, twice that for HEIC of more than 8 bits | an overview of at most 1,279 × 1,279 pixels |
  /// | JPEG XL | the picture; while it is decoded 45 bytes a pixel, and 15 for each other channel | the same as of HEIC |
  /// | GIF | some rows; if interlaced, 1 byte a pixel of the first frame | the same as of PNG |
  /// | TIFF | of strips some rows and a strip as stored, of tiles a tile as stored and decoded, and a row of them as pixels; JPEG up to 6 bytes a pixel of a strip or tile, Zstandard 128 MiB | the same as of PNG |
  /// | RAW | as of the JPEG in it | the same as of JPEG |
  /// | a gain map | as of a JPEG, and 4 bytes a sample of it | nothing |
  /// | WebP | lossy: some rows, with alpha 5 bytes a pixel; lossless: 4 bytes a pixel; twice the region | an overview of 640 × 640 pixels |
  ///
  /// To that comes three times the profile and the EXIF data, up to 21 times an XMP packet of at most 512 KiB and 256 KiB, and what converting the colors takes: 30 KB for a profile of curves
  /// and a matrix, a mebibyte and 16 times the profile's tables for others. The region's pixels are 1, 3 or 4 bytes each; the
  /// output file comes to that, and what its encoder holds: for PNG 1 byte a sample; for JPEG 0.7 to 1.7, and 2 more if it is
  /// progressive or has at most 32,768 samples; for lossy WebP 4.5 a pixel, up to 1 MP or with alpha 33 more; for lossless
  /// WebP 35.
  public var memory: Int { Int(saturating: decoderBytes + rendering.bytes(as: format.usualOutput)) }
  /// The cost of the overview and of a region of a quarter of the image, without detection. The unit is one megapixel of
  /// baseline JPEG (4:2:0) decoded to RGB. An estimate, for shares of work and time limits; files of one kind differ by a factor of 2.
  public var cost: Double

  private let decoderBytes: Double
  private let rendering: RenderingEstimate

  /// The picture's size as displayed, in pixels.
  public var size: PixelSize { orientation.applied(to: storedSize) }

  /// Bytes that a crop by `request` takes at most: as ``memory``, but small outputs are decoded small, where the format can.
  ///
  /// A plan from elsewhere may need as much as for the same request without sizes.
  ///
  /// - Parameters:
  ///   - request: The frames and their sizes.
  ///   - output: What the crop is encoded as. Default the picture's own format, or JPEG, of quality 85.
  public func memory(for request: CropRequest, as output: OutputFormat? = nil) -> Int {
    memory(for: request, as: output, encodedPixels: nil)
  }

  /// The same where no more pixels of an output than that are encoded.
  func memory(for request: CropRequest, as output: OutputFormat?, encodedPixels: Double?) -> Int {
    Int(
      saturating: decoderBytes
        + rendering.bytes(for: request, as: output ?? format.usualOutput, encodedPixels: encodedPixels))
  }

  /// A gain map, as ``GainMap`` has it.
  public struct GainMapInfo: Hashable, Sendable {
    /// How the file says it.
    public var kind: GainMap.Kind
    /// Its size as stored, in pixels.
    public var size: PixelSize
  }

  /// An ICC profile.
  public struct ColorProfile: Hashable, Sendable {
    /// What it calls itself; nil when it does not say.
    public var name: String?
    /// Bytes of the profile.
    public var bytes: Int
  }
}

extension ImageInfo {
  /// Reads a file's header.
  init(reading bytes: Span<UInt8>, isFileMapping: Bool, job: Job) throws(FaceCropError) {
    let fileBytes = bytes.count
    self = try Codecs.withSession(
      bytes, isFileMapping: isFileMapping, allowsDamage: false, job: job
    ) { (session) throws(FaceCropError) in
      try session.checkHeader(fileBytes: fileBytes, job.limits)
      let info = try ImageInfo(session, fileBytes: fileBytes, job)
      // What was cut short while it was estimated is no estimate.
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
    isProgressive = header.isProgressive
    isAnimated = header.isAnimated
    profile = header.profile.map { ColorProfile(name: ICCProfile.name(of: $0), bytes: $0.count) }
    let exif = header.exif.flatMap(EXIF.init)
    hasEXIF = exif != nil
    hasXMP = !header.credits.xmp.isEmpty
    hasIPTC = !header.credits.iptc.isEmpty
    resolution = header.resolution ?? exif?.resolution
    captureDate = exif?.captureTime.map(Date.init(timeIntervalSince1970:))
    raw = header.raw
    credits = try header.credits.read(job).credits
    credits.fill(from: exif.map(Credits.init) ?? Credits())
    self.fileBytes = fileBytes
    warnings = header.warnings
    // What a file brings is there once as it is read, once as it is handed on, and once between.
    let metadataBytes = max(header.metadataBytes, (header.profile?.count ?? 0) + (header.exif?.count ?? 0))
    let colorBytes = header.profile.map { ICCProfile.conversionBytes($0, header.isGray ? .gray : .rgb) } ?? 0
    var map: GainMapSource?
    do throws(FaceCropError) {
      map = try session.gainMap()
    } catch {
      // The picture is as good without it.
      try job.check()
      if error == .outOfMemory { throw error }
    }
    gainMap = map.map { GainMapInfo(kind: $0.metadata.kind, size: $0.header.size) }
    // Decoded, made smaller, and encoded twice over; one behind the other with the picture.
    let mapBytes = map.map {
      $0.session.estimate.bytes + $0.header.size.area * Double(4 * $0.header.format.channels)
        + Double($0.header.credits.memory)
    }
    decoderBytes =
      estimate.bytes + Double(3 * metadataBytes + colorBytes + header.credits.memory) + (mapBytes ?? 0)
    rendering = RenderingEstimate(session, estimate, limits: job.limits)
    cost = estimate.cost + (map?.session.estimate.cost ?? 0)
  }
}
