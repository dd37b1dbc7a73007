/// The metadata that a policy copies to crops, read once for all of them.
struct KeptMetadata {
  /// The credits of IPTC and XMP, written anew; nil for none.
  let xmp: [UInt8]?
  /// The resolution in pixels per inch; nil if unknown.
  let resolution: Double?
  /// Whether credits are lost because they are unreadable or too long.
  let losesCredits: Bool

  private let policy: MetadataPolicy
  private let exif: EXIF?

  /// Reads the metadata. A `resolution` of nil copies the image's, unless the policy is `strip`. Fields of the packet
  /// `sidecar` replace the image's. `namesPeople` keeps the names of people. Throws only ``FaceCropError/cancelled`` or
  /// ``FaceCropError/outOfMemory``.
  init(
    of header: ImageHeader, by policy: MetadataPolicy, resolution: Double?, sidecar: [UInt8]?, namesPeople: Bool = true,
    _ job: Job
  ) throws(FaceCropError) {
    self.policy = policy
    var exif = header.exif.flatMap(EXIF.init)
    self.resolution = resolution ?? (policy == .strip ? nil : header.resolution ?? exif?.resolution)
    if policy == .strip {
      (xmp, losesCredits) = (nil, false)
    } else {
      // The time grows with the packet.
      try job.step(header.credits.xmp.count)
      var (credits, isRead) = try header.credits.read(job)
      if let sidecar {
        var beside = CreditSources()
        beside.take(\.xmp, of: sidecar.count) { sidecar }
        var (own, isWhole) = try beside.read(job)
        exif?.replaceCredits(by: own)
        own.fill(from: credits)
        (credits, isRead) = (own, isRead && isWhole)
      }
      // Not every output format has EXIF data.
      if let exif { credits.fill(from: Credits(exif)) }
      if !namesPeople { credits.people = [] }
      let (packet, isWritten) = XMPPacket.written(credits.kept(by: policy))
      (xmp, losesCredits) = (packet, !isRead || !isWritten)
    }
    self.exif = exif
  }

  /// Returns the EXIF data of a crop, by its size as stored. After a conversion, the colors are sRGB. An orientation is
  /// written even if the image has no EXIF data.
  func exif(size: PixelSize, orientation: Orientation = .up, colorsAreConverted: Bool = false) -> [UInt8]? {
    (exif ?? (orientation == .up ? nil : EXIF(.bigEndian)))?.kept(
      by: policy, size: size, orientation: orientation, colorsAreConverted: colorsAreConverted, resolution: resolution)
  }
}

extension MetadataPolicy {
  /// Returns whether all credits of an XMP packet beside an image can be kept.
  ///
  /// - Throws: ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  package func keepsAll(of packet: [UInt8]) async throws(FaceCropError) -> Bool {
    try await Job.run(limits: Limits(), progress: nil) { (job) throws(FaceCropError) in
      let header = ImageHeader(size: PixelSize(width: 1, height: 1))
      return try !KeptMetadata(of: header, by: self, resolution: nil, sidecar: packet, job).losesCredits
    }
  }
}

struct CropMetadata {
  /// The EXIF data as a TIFF structure.
  var exif: [UInt8]?
  var xmp: [UInt8]?
}
