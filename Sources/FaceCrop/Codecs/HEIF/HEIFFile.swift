#if HEIF
  /// A file's table of contents, and the data of its items.
  struct HEIFFile {
    let items: HEIFItems
    private let bytes: ImageBytes

    /// Bytes of the whole file.
    var count: Int { unsafe bytes.buffer.count }

    init(_ bytes: ImageBytes, job: Job) throws(FaceCropError) {
      self.bytes = bytes
      items = try HEIFItems(reading: unsafe Span(_unsafeElements: bytes.buffer), job: job)
    }

    /// Reads an item's data, as far as they are in the file. More than `most` bytes are an error.
    func data(
      _ location: HEIFItems.Location, most: Int
    ) throws(FaceCropError) -> (bytes: [UInt8], isComplete: Bool) {
      let count = unsafe location.isInside ? items.inside.count : bytes.buffer.count
      // More bytes than the file has means that extents overlap.
      guard location.count <= min(most, count) else { throw .corrupt("an item has too many bytes") }
      return (start(of: location, location.count), location.isComplete)
    }

    // MARK: Tracks

    /// Returns the tracks of the file; none without a `moov` box.
    func tracks(_ job: Job) throws(FaceCropError) -> [HEIFTrack] {
      guard let movie = items.movie else { return [] }
      return try HEIFTrack.all(in: bytes, movie, job)
    }

    /// Returns the bytes of a range that are in the file, at most `most`.
    func data(_ range: Range<Int>, most: Int) -> (bytes: [UInt8], isComplete: Bool) {
      let available = unsafe range.clamped(to: 0..<bytes.buffer.count).prefix(most)
      return (unsafe Array(bytes.buffer[available]), available.count == range.count && !range.isEmpty)
    }

    /// Returns up to `most` of the first bytes of an item's data, as far as the file contains them.
    func start(of location: HEIFItems.Location, _ most: Int) -> [UInt8] {
      var data: [UInt8] = []
      for part in location.parts where data.count < most {
        let range = part.range.prefix(most - data.count)
        if location.isInside {
          data += items.inside[range]
        } else {
          unsafe data += bytes.buffer[range]
        }
      }
      return data
    }

    /// Returns a byte of an item's data; nil outside.
    func byte(_ place: Int, of location: HEIFItems.Location) -> UInt8? {
      location.offset(place).map { unsafe location.isInside ? items.inside[$0] : bytes.buffer[$0] }
    }

    /// Returns the credits of an item, in its XMP packet.
    func credits(of item: Int) throws(FaceCropError) -> CreditSources {
      var credits = CreditSources()
      let found = items.items("cdsc", to: item).first { items.packets.contains($0) }
      guard let found, let location = items.locations[found] else { return credits }
      guard location.count <= CreditSources.mostBytes else {
        credits.isCut = true
        return credits
      }
      credits.xmp = try data(location, most: CreditSources.mostBytes).bytes
      return credits
    }

    /// Returns the EXIF data of an item; empty for none.
    func exif(of item: Int, limits: Limits) throws(FaceCropError) -> [UInt8] {
      let found = items.items("cdsc", to: item).first { items.types[$0] == "Exif" }
      guard let found, let location = items.locations[found] else { return [] }
      try limits.check(.metadataBytes, location.count)
      let data = try data(location, most: limits.metadataBytes).bytes
      // The data start with the number of bytes before the TIFF header (ISO/IEC 23008-12, A.2.1), such as "Exif\0\0".
      guard let skipped = data.span.uint32(at: 0), skipped <= data.count - 4 else { return [] }
      // Some writers do not count it.
      let identifier: StaticString = "Exif\0\0"
      let start = 4 + skipped
      return Array(data[(data.span.contains(identifier, at: start) ? start + identifier.utf8CodeUnitCount : start)...])
    }
  }
#endif
