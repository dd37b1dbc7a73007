/// What of a picture's metadata goes into its crops by a policy: read once for all of them.
struct KeptMetadata {
  /// Credits of IPTC and XMP, written anew; nil where there are none.
  let xmp: [UInt8]?
  /// Pixels per inch; nil where nothing is said.
  let resolution: Double?
  /// Credits are lost that cannot be read, or for which there is no room.
  let losesCredits: Bool

  private let policy: MetadataPolicy
  private let exif: EXIF?

  /// - Parameters:
  ///   - resolution: Asked for; nil leaves the picture's, under the policies that keep something.
  ///   - sidecar: An XMP packet that counts before the picture's.
  /// - Throws: ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  init(
    of header: ImageHeader, by policy: MetadataPolicy, resolution: Double?, sidecar: [UInt8]?, _ job: Job
  ) throws(FaceCropError) {
    self.policy = policy
    exif = header.exif.flatMap(EXIF.init)
    self.resolution = resolution ?? (policy == .strip ? nil : header.resolution ?? exif?.resolution)
    if policy == .strip {
      (xmp, losesCredits) = (nil, false)
    } else {
      var (credits, isRead) = try header.credits.read(job)
      if let sidecar {
        var beside = CreditSources()
        beside.take(xmp: sidecar.count) { sidecar }
        var (own, isWhole) = try beside.read(job)
        own.fill(from: credits)
        (credits, isRead) = (own, isRead && isWhole)
      }
      let (packet, isWritten) = XMPPacket.written(credits.kept(by: policy))
      (xmp, losesCredits) = (packet, !isRead || !isWritten)
    }
  }

  /// - Parameters:
  ///   - size: of the crop as stored.
  ///   - orientation: how its pixels are to be turned.
  ///   - colorsAreConverted: whether they are sRGB now, whatever they were.
  func exif(size: PixelSize, orientation: Orientation = .up, colorsAreConverted: Bool = false) -> [UInt8]? {
    exif?.kept(
      by: policy, size: size, orientation: orientation, colorsAreConverted: colorsAreConverted, resolution: resolution)
  }
}

/// The metadata of a crop.
struct CropMetadata {
  /// EXIF data: a TIFF structure.
  var exif: [UInt8]?
  /// An XMP packet.
  var xmp: [UInt8]?
}
