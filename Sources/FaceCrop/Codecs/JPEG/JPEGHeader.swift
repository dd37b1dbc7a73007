/// The header of a JPEG file before its first scan (ITU-T T.81, annex B).
///
/// libjpeg 2.1.5 could collect the segments too, but takes quadratic time (issue 764), and the limits must be checked
/// before it sees the file.
struct JPEGHeader: Sendable {
  struct Component: Sendable {
    var horizontalSampling: Int
    var verticalSampling: Int
  }

  /// libjpeg's upper bound of a side, JPEG_MAX_DIMENSION.
  static let largestSide = 65_500

  /// The prefix of the EXIF data in their segment (CIPA DC-008-2019, 4.7.2).
  static let exifIdentifier = Array("Exif\0\0".utf8)

  var size = PixelSize(width: 0, height: 0)
  var components: [Component] = []
  var isProgressive = false
  /// Whether the image has several scans, so that libjpeg holds the coefficients of the whole image.
  var hasSeveralScans = false
  var orientation = Orientation.up
  /// The EXIF data, from the first EXIF segment with a TIFF structure.
  var exif: [UInt8]?
  /// The bytes of the segments of profile and EXIF data.
  private(set) var metadataBytes = 0
  /// The first XMP packet, and the IPTC records in Photoshop's resources.
  var credits = CreditSources()
  /// The resolution of JFIF, or else of Photoshop's resources, in pixels per inch.
  var resolution: Double?
  /// A whole ICC profile for the stored colors; see ``ImageHeader/profile``.
  var profile: [UInt8]?
  private var isProfileByEXIF = false
  /// The range of the multi-picture index.
  var multiPicture: Range<Int>?
  /// The ISO 21496-1 data of a gain map, or of an image that has one.
  var gainMap: [UInt8]?
  /// Whether there are profile segments without a usable profile.
  var dropsProfile = false

  var isGray: Bool { components.count == 1 }
  /// Whether the image is CMYK or YCCK, which is decoded to RGB.
  var isOfInks: Bool { components.count == 4 }

  private var maximumHorizontalSampling: Int { components.map(\.horizontalSampling).max() ?? 1 }
  private var maximumVerticalSampling: Int { components.map(\.verticalSampling).max() ?? 1 }

  /// The properties that all formats share.
  var image: ImageHeader {
    ImageHeader(
      size: size, orientation: orientation, isGray: isGray, isProgressive: hasSeveralScans,
      profile: isOfInks ? nil : profile, isProfileByEXIF: isProfileByEXIF, exif: exif, metadataBytes: metadataBytes,
      credits: credits, resolution: resolution)
  }

  /// The rows of pixels in one row of iMCUs.
  var rowsPerMCU: Int { 8 * maximumVerticalSampling }

  /// The bytes of libjpeg's coefficients for a file with several scans.
  var coefficientBytes: Int { blockCount * 64 * 2 }

  /// The number of 8 × 8 blocks in all components.
  private var blockCount: Int {
    components.reduce(0) { sum, component in
      func blocks(_ side: Int, _ sampling: Int, _ maximum: Int) -> Int {
        let blocks = (side * sampling + 8 * maximum - 1) / (8 * maximum)
        return (blocks + sampling - 1) / sampling * sampling
      }
      return sum
        + blocks(size.width, component.horizontalSampling, maximumHorizontalSampling)
        * blocks(size.height, component.verticalSampling, maximumVerticalSampling)
    }
  }

  /// The largest file, in bytes, with one scan whose coefficients are cached for its regions.
  static let longestKept = 1 << 20

  /// Estimates decoding. A region's data are cut out of the file. `scans` is the number in a file with several; nil
  /// assumes the typical one.
  func estimate(fileBytes: Int, scans: Int?) -> DecodingEstimate {
    // The overview has 1/8 of the size, or up to 905 pixels a side: its planes, the colors, and the upright copy.
    let overview = max(905 * 905, size.area / 64) * 9
    guard !hasSeveralScans else {
      // By default encoders write ten scans.
      let cost = (0.5 + 0.2 * Double(scans ?? 10)) * size.megapixels
      return DecodingEstimate(
        bytes: Double(coefficientBytes) + overview, blurBytes: blurBytes(fileBytes: fileBytes), cost: cost)
    }
    // The index takes 2 bytes per block, plus up to 4 for its MCU. Smaller images add 6 for an overview of a quarter,
    // or 16 for a half.
    var index = Double(blockCount * (size.longSide <= 1_600 ? 22 : size.longSide < 3_200 ? 12 : 6))
    // Cached coefficients take up to four times the file's bytes. Those of some rows add 1 MiB, or four rows of MCUs.
    if fileBytes <= Self.longestKept {
      index += Double(min(4 * fileBytes, 4 << 20) + max(1 << 20, 24 * size.width * rowsPerMCU))
    }
    // If the file's tables lack a code, all coefficients are needed.
    return DecodingEstimate(
      bytes: index + Double(fileBytes) + overview,
      blurBytes: Double(coefficientBytes) + blurBytes(fileBytes: fileBytes), cost: 0.5 * size.megapixels)
  }

  /// Returns the bytes of the output while it grows, and of the new samples of one row of MCUs.
  private func blurBytes(fileBytes: Int) -> Double {
    // An edited file is about as large as the input, and a growing buffer exists up to three times.
    let samples = components.reduce(0) { $0 + $1.verticalSampling * $1.horizontalSampling }
    let row = (size.width + 64) * 8 * samples / max(maximumHorizontalSampling, 1)
    return Double(4 * fileBytes + 5 * row)
  }

  /// Reads the segments up to the first scan of a file that starts like a JPEG, and checks the limits. Throws
  /// ``FaceCropError/corrupt(_:)``, ``FaceCropError/unsupported(_:)`` or
  /// ``FaceCropError/overLimit(_:actual:allowed:)``.
  ///
  /// - Parameter isEmbedded: whether another format's file gives a meaning to any number of components.
  init(reading bytes: Span<UInt8>, isEmbedded: Bool = false, job: Job) throws(FaceCropError) {
    var profileChunks = ICCProfileChunks()
    // Photoshop's resources, in which the records come early.
    var photoshop: [UInt8] = []
    var isPhotoshopCut = false
    var offset = 2
    while true {
      try job.step()
      let marker = try Self.nextMarker(in: bytes, from: &offset, job)
      switch marker {
      case 0x01, 0xD0...0xD7: continue  // TEM and RSTn stand alone.
      case 0xD8: throw .corrupt("a second image begins inside the header")
      case 0xD9: throw .corrupt("the file ends before an image begins")
      default: break
      }
      guard let length = bytes.uint16(at: offset) else { throw .corrupt("the file ends inside its header") }
      guard length >= 2 else { throw .corrupt("a header segment has the invalid length \(length)") }
      let segment = offset + 2..<offset + length
      guard segment.upperBound <= bytes.count else { throw .corrupt("the file ends inside its header") }
      offset = segment.upperBound

      switch marker {
      case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA:
        guard components.isEmpty else { throw .corrupt("the header describes two images") }
        isProgressive = marker == 0xC2 || marker == 0xCA
        try readFrame(bytes, segment, isEmbedded: isEmbedded, limits: job.limits)
      case 0xC3, 0xC5...0xC7, 0xCB, 0xCD...0xCF:
        throw .unsupported(JPEGProcess.name(marker))
      case 0xDA:
        guard !components.isEmpty else { throw .corrupt("the image data begin before their description") }
        guard let count = bytes.byte(at: segment.lowerBound), !segment.isEmpty else {
          throw .corrupt("the file ends inside its header")
        }
        hasSeveralScans = isProgressive || Int(count) < components.count
        try finish(profileChunks, bytes, limits: job.limits)
        let records = PhotoshopResources.iptc(in: photoshop)
        credits.take(\.iptc, of: records.count) { Array(photoshop[records]) }
        if records.isEmpty && isPhotoshopCut { credits.isCut = true }
        // Photoshop's resolution counts if JFIF and EXIF have none.
        if resolution == nil, let found = PhotoshopResources.resolution(in: photoshop),
          exif.flatMap({ EXIF($0) })?.resolution == nil
        {
          resolution = found
        }
        return
      case 0xE0 where resolution == nil && bytes.contains("JFIF\0", at: segment.lowerBound):
        resolution = Self.resolution(bytes, segment.dropFirst(7))
        continue
      case 0xE1 where credits.xmp.isEmpty && bytes.contains("http://ns.adobe.com/xap/1.0/\0", at: segment.lowerBound):
        let packet = segment.dropFirst(XMPPacket.identifier.count)
        credits.take(\.xmp, of: packet.count) { bytes.copy(packet) }
        continue
      case 0xED where bytes.contains(PhotoshopResources.identifier, at: segment.lowerBound):
        let part = segment.dropFirst(PhotoshopResources.identifier.utf8CodeUnitCount)
        isPhotoshopCut = isPhotoshopCut || photoshop.count + part.count > 2 * CreditSources.mostBytes
        if !isPhotoshopCut { photoshop += bytes.copy(part) }
        continue
      case 0xE1 where exif == nil && bytes.contains("Exif\0\0", at: segment.lowerBound):
        let tiff = bytes.copy(segment.dropFirst(Self.exifIdentifier.count))
        guard let tags = EXIF(tiff) else { continue }
        metadataBytes += segment.count
        exif = tiff
        orientation = tags.orientation
        profile = tags.profile
        isProfileByEXIF = profile != nil
      case 0xE2 where bytes.contains("ICC_PROFILE\0", at: segment.lowerBound):
        metadataBytes += segment.count
        profileChunks.add(bytes, segment)
      case 0xE2 where multiPicture == nil && bytes.contains(MultiPicture.identifier, at: segment.lowerBound):
        multiPicture = segment
        continue
      case 0xE2 where gainMap == nil && bytes.contains(GainMap.Metadata.isoIdentifier, at: segment.lowerBound):
        gainMap = bytes.copy(segment.dropFirst(GainMap.Metadata.isoIdentifier.utf8CodeUnitCount))
        continue
      default: continue
      }
      try job.limits.check(.metadataBytes, metadataBytes)
    }
  }

  /// Returns the next marker's code. It skips bytes before it and fill bytes, like libjpeg (T.81, B.1.1.2).
  private static func nextMarker(
    in bytes: Span<UInt8>, from offset: inout Int, _ job: Job
  ) throws(FaceCropError) -> UInt8 {
    let (start, bytesAtOnce) = (offset, 1 << 16)
    var isBehindMark = false
    while let byte = bytes.byte(at: offset) {
      offset += 1
      if (offset - start) % bytesAtOnce == 0 { try job.step(bytesAtOnce) }
      if isBehindMark, byte != 0, byte != 0xFF { return byte }
      isBehindMark = byte == 0xFF
    }
    throw .corrupt("the file ends before an image begins")
  }

  private mutating func readFrame(
    _ bytes: Span<UInt8>, _ segment: Range<Int>, isEmbedded: Bool, limits: Limits
  ) throws(FaceCropError) {
    let start = segment.lowerBound
    guard segment.count >= 6, let precision = bytes.byte(at: start), let height = bytes.uint16(at: start + 1),
      let width = bytes.uint16(at: start + 3), let count = bytes.byte(at: start + 5),
      segment.count == 6 + 3 * Int(count)
    else { throw .corrupt("the description of the image is too short") }
    guard precision == 8 else { throw .unsupported("the JPEG has \(precision) bits per sample, not 8") }
    guard width > 0 else { throw .corrupt("the image has no width") }
    guard height > 0 else { throw .unsupported("the JPEG has its height after the first scan (DNL)") }
    try limits.check(PixelSize(width: width, height: height))
    guard max(width, height) <= Self.largestSide else {
      throw .unsupported("the JPEG has a side above \(Self.largestSide) pixels")
    }
    guard [1, 3, 4].contains(count) || isEmbedded && count > 0 else {
      throw .unsupported("the JPEG has \(count) color components, not 1, 3 or 4")
    }
    size = PixelSize(width: width, height: height)
    for index in 0..<Int(count) {
      let sampling = Int(bytes.byte(at: start + 7 + 3 * index) ?? 0)
      let component = Component(horizontalSampling: sampling >> 4, verticalSampling: sampling & 15)
      guard (1...4).contains(component.horizontalSampling), (1...4).contains(component.verticalSampling) else {
        throw .corrupt("a sampling factor is not 1 to 4")
      }
      components.append(component)
    }
  }

  /// Returns the resolution in JFIF (ITU-T T.871, 10.1), stored as a unit and the pixels per unit along each side.
  private static func resolution(_ bytes: Span<UInt8>, _ density: Range<Int>) -> Double? {
    guard density.count >= 5, let unit = bytes.byte(at: density.lowerBound),
      let x = bytes.uint16(at: density.lowerBound + 1), x == bytes.uint16(at: density.lowerBound + 3)
    else { return nil }
    switch unit {
    case 1: return Resolution.checked(Double(x))
    case 2: return Resolution.checked(Double(x) * 2.54)
    default: return nil
    }
  }

  private mutating func finish(
    _ chunks: ICCProfileChunks, _ bytes: Span<UInt8>, limits: Limits
  ) throws(FaceCropError) {
    if hasSeveralScans { try limits.check(.coefficientBytes, coefficientBytes) }
    if isOfInks || !chunks.isEmpty { (profile, isProfileByEXIF) = (nil, false) }
    guard !chunks.isEmpty else { return }
    profile = chunks.profile(in: bytes, isGray ? .gray : isOfInks ? .cmyk : .rgb)
    dropsProfile = profile == nil
  }
}

extension Codecs.EmbeddedStream {
  /// Reads the headers of JPEG data, such as a strip of a TIFF; nil if they are damaged, or the image is larger than
  /// `most`.
  init?(jpeg bytes: Span<UInt8>, most: PixelSize, job: Job) throws(FaceCropError) {
    let header: JPEGHeader
    do throws(FaceCropError) {
      header = try JPEGHeader(reading: bytes, isEmbedded: true, job: job)
    } catch {
      switch error {
      case .cancelled, .outOfMemory, .overLimit(.coefficientBytes, _, _): throw error
      default: return nil
      }
    }
    guard header.size.width <= most.width, header.size.height <= most.height else { return nil }
    self.init()
    guard header.hasSeveralScans else { return }
    heldBytes = header.coefficientBytes
    repeatedPixels = header.size.bytes(channels: max(try Self.scans(in: bytes, job) - 1, 0))
  }

  /// Counts the markers of scans. Some may be in metadata.
  private static func scans(in bytes: Span<UInt8>, _ job: Job) throws(FaceCropError) -> Int {
    let bytesAtOnce = 65_536
    var count = 0
    for start in stride(from: 0, to: bytes.count, by: bytesAtOnce) {
      try job.step(bytesAtOnce)
      for place in start..<min(start + bytesAtOnce, bytes.count - 1) where bytes[place] == 0xFF {
        if bytes[place + 1] == 0xDA { count += 1 }
      }
    }
    return count
  }
}
