#if HEIF
  /// A sequence of AV1 images in a `moov` box, and its data (ISO/IEC 14496-12, 8.2 to 8.7).
  public struct HEIFSequenceBuilder: Sendable {
    public var images: [CodedItem]
    /// Gray images; none for an opaque sequence.
    public var alpha: [CodedItem] = []
    /// Times in thousandths of a second.
    public var times: [Int]
    /// How often it plays; 0 for forever, and nil without an edit list.
    public var plays: Int? = 0
    /// The images in a chunk.
    public var perChunk = 100
    public var hasWideOffsets = false
    /// The bits of a size; 32 for the usual table.
    public var sizeBits = 32
    /// Names this number of images of one byte instead of the table of sizes.
    public var namedCount: Int?
    public var isPremultiplied = false
    /// The size in the tracks; nil for that of the first image.
    public var size: (width: Int, height: Int)?
    /// Further boxes in the description of the images.
    public var description: [UInt8] = []

    public init(_ images: [CodedItem], times: [Int]) { (self.images, self.times) = (images, times) }

    /// Returns the boxes `moov` and `mdat` for this offset in the file.
    public func boxes(at offset: Int) -> [UInt8] {
      let data = images.flatMap(\.data)
      func movie(_ start: Int) -> [UInt8] {
        var tracks = track(1, images, handler: "pict", at: start, references: isPremultiplied ? [("prem", 2)] : [])
        if !alpha.isEmpty {
          tracks += track(2, alpha, handler: "auxv", at: start + data.count, references: [("auxl", 1)])
        }
        return HEIFBuilder.box("moov", HEIFBuilder.box("mvhd", Self.number(0, 96)) + tracks)
      }
      return movie(offset + movie(0).count + 8) + HEIFBuilder.box("mdat", data + alpha.flatMap(\.data))
    }

    private func track(
      _ number: Int, _ images: [CodedItem], handler: String, at offset: Int, references: [(String, Int)]
    ) -> [UInt8] {
      let total = times.reduce(0, +)
      let shown = plays == 0 ? Int(UInt32.max) : total * (plays ?? 1)
      let (width, height) = size ?? (images[0].width, images[0].height)
      var header = Self.number(0, 12) + Self.number(number, 4) + Self.number(0, 4) + Self.number(shown, 4)
      header += Self.number(0, 52) + Self.number(width << 16, 4) + Self.number(height << 16, 4)
      let edits = plays.map {
        HEIFBuilder.box(
          "edts",
          HEIFBuilder.box(
            "elst",
            [0, 0, 0, $0 == 1 ? 0 : 1] + Self.number(1, 4) + Self.number(total, 4) + Self.number(0, 4)
              + Self.number(0x10000, 4)))
      }
      let links = references.flatMap { HEIFBuilder.box($0.0, Self.number($0.1, 4)) }
      let media =
        HEIFBuilder.box("mdhd", Self.number(0, 12) + Self.number(1_000, 4) + Self.number(total, 4) + Self.number(0, 4))
        + HEIFBuilder.box("hdlr", Self.number(0, 8) + Array(handler.utf8) + Self.number(0, 13))
        + HEIFBuilder.box("minf", HEIFBuilder.box("stbl", table(images, width, height, at: offset)))
      return HEIFBuilder.box(
        "trak",
        HEIFBuilder.box("tkhd", header) + (links.isEmpty ? [] : HEIFBuilder.box("tref", links)) + (edits ?? [])
          + HEIFBuilder.box("mdia", media))
    }

    private func table(_ images: [CodedItem], _ width: Int, _ height: Int, at offset: Int) -> [UInt8] {
      let entry =
        Self.number(0, 6) + Self.number(1, 2) + Self.number(0, 16) + Self.number(width, 2) + Self.number(height, 2)
        + Self.number(0, 50) + images[0].configuration + description
      let counts = stride(from: 0, to: images.count, by: perChunk).map { min(perChunk, images.count - $0) }
      var runs: [UInt8] = []
      for (index, count) in counts.enumerated() where index == 0 || counts[index - 1] != count {
        runs += Self.number(index + 1, 4) + Self.number(namedCount ?? count, 4) + Self.number(1, 4)
      }
      let runCount = runs.count / 12
      var (offsets, place): ([UInt8], Int) = ([], offset)
      for (index, image) in images.enumerated() {
        if index % perChunk == 0 { offsets += Self.number(place, hasWideOffsets ? 8 : 4) }
        place += image.data.count
      }
      let sizes = namedCount == nil ? images.flatMap { Self.number($0.data.count, sizeBits / 8) } : []
      let kind = namedCount == nil ? sizeBits == 32 ? 0 : sizeBits : 1
      return HEIFBuilder.box(
        "stsd", Self.number(0, 4) + Self.number(1, 4) + HEIFBuilder.box(images[0].type, entry))
        + HEIFBuilder.box(
          "stts",
          Self.number(0, 4) + Self.number(times.count, 4) + times.flatMap { Self.number(1, 4) + Self.number($0, 4) })
        + HEIFBuilder.box("stsc", Self.number(0, 4) + Self.number(runCount, 4) + runs)
        + HEIFBuilder.box(
          sizeBits == 32 ? "stsz" : "stz2",
          Self.number(0, 4) + Self.number(kind, 4) + Self.number(namedCount ?? images.count, 4) + sizes)
        + HEIFBuilder.box(
          hasWideOffsets ? "co64" : "stco", Self.number(0, 4) + Self.number(counts.count, 4) + offsets)
    }

    private static func number(_ value: Int, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }
  }

  extension HEIFBuilder {
    /// Returns the file with a sequence behind it.
    public func encoded(with sequence: HEIFSequenceBuilder) -> [UInt8] {
      let still = encoded()
      return still + sequence.boxes(at: still.count)
    }
  }
#endif
