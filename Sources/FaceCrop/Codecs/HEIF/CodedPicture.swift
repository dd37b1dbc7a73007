#if HEIF
  internal import CHEIFShim

  /// One item of a file that a codec decodes: a whole picture, or a tile of one.
  struct CodedPicture {
    /// Its number in the file.
    let item: Int
    let codec: FCHEIFCodec
    /// The size that the file says, in pixels; the codec may give more, to the right and below.
    let size: PixelSize
    let chroma: FCHEIFChroma
    /// Bits a sample.
    let depth: Int
    /// Bytes of its samples, as coded.
    private let codedBytes: Int
    /// Bytes of its planes, decoded: R, G and B, or gray.
    let planeBytes: Int
    let location: HEIFItems.Location
    private let configuration: Box
    private let hevc: HEVCConfiguration?
    /// The matrix and the range of its samples; the bitstream's own where there is none.
    private let nclx: Box?

    /// How much larger than the file says the coded picture may be: whole blocks of the largest kind.
    private static let slack = 64

    /// - Parameters:
    ///   - nclx: of what it is a part of.
    ///   - configurations: those that were read before.
    init(
      _ item: Int, in items: HEIFItems, nclx: Box?, configurations: inout HEVCConfigurations, limits: Limits
    ) throws(FaceCropError) {
      guard let location = items.locations[item], !location.extents.isEmpty else {
        throw .corrupt("one of its items has no data in the file")
      }
      self.item = item
      self.location = location
      size = try items.size(of: item)
      // First of all, so that a picture that is too large is said to be that.
      try limits.check(size)
      self.nclx = items.colorBox("nclx", of: item) ?? nclx
      let largest = Self.largest(of: size)
      let chroma: FCHEIFChroma
      switch items.types[item] {
      case "hvc1", "hev1":
        guard let box = items.numberedProperty("hvcC", of: item) else {
          throw .corrupt("an item has no HEVC configuration")
        }
        let hevc = try configurations.configuration(box.content, number: box.number, largest: largest)
        codec = .HEVC
        configuration = Box(type: "hvcC", content: box.content)
        self.hevc = hevc
        chroma = [.monochrome, .YUV420, .YUV422, .YUV444][hevc.sequence.chroma]
        depth = hevc.sequence.depth
      case "av01":
        guard var box = items.property("av1C", of: item) else { throw .corrupt("an item has no AV1 configuration") }
        codec = .AV1
        configuration = Box(type: "av1C", content: box)
        hevc = nil
        // ISO/IEC 14496-15's box for AV1 (AV1-ISOBMFF, 2.3.3): profile and level, then flags.
        let flags = try box.number(3)
        func flag(_ bit: Int) -> Bool { flags >> bit & 1 == 1 }
        depth = !flag(6) ? 8 : flag(5) ? 12 : 10
        chroma = flag(4) ? .monochrome : !flag(3) ? .YUV444 : flag(2) ? .YUV420 : .YUV422
      case let type:
        throw .unsupported("a part of it is of the kind '\(type.map { "\($0)" } ?? "none")'")
      }
      self.chroma = chroma
      let samples = [.monochrome: 2, .YUV420: 3, .YUV422: 4][chroma, default: 6]
      let bytes = depth > 8 ? 2 : 1
      // Who allows for any size gets numbers that say so, and not their overflow.
      codedBytes = size.bytes(channels: samples * bytes) / 2
      // The shim makes 8 bits of AV1's colors itself.
      planeBytes = size.bytes(channels: chroma == .monochrome ? bytes : codec == .AV1 ? 3 : 3 * bytes)
    }

    private static func largest(of size: PixelSize) -> PixelSize {
      PixelSize(width: size.width + slack, height: size.height + slack)
    }

    /// Whether both can be tiles of one picture.
    func isAlike(_ other: CodedPicture) -> Bool {
      size == other.size && chroma == other.chroma && planeBytes == other.planeBytes
    }

    /// Bytes that decoding takes at most, the planes among them; the decoders' notes left out. The samples are there once, beside
    /// what they are converted to.
    var decodingBytes: Int { codedBytes.addingClamped(planeBytes) }

    /// What the file says of its samples: the matrix (ITU-T H.273, table 4) and the range.
    var matrix: (code: Int, isFullRange: Bool)? {
      guard var box = nclx?.content, (try? box.number(8)) != nil, let code = try? box.number(2),
        let range = try? box.number(1)
      else { return nil }
      return (code, range & 0x80 != 0)
    }

    /// More bytes than coding it badly takes are not a picture's.
    var maximumDataBytes: Int { codedBytes.addingClamped(codedBytes).addingClamped(65_536) }

    /// The most that a frame of it may have.
    var maximumFramePixels: Int { Self.largest(of: size).bytes(channels: 1) }

    /// A HEIF file with this picture alone.
    ///
    /// - Parameter data: of the item.
    func file(_ data: [UInt8]) throws(FaceCropError) -> [UInt8] {
      let data = try hevc?.firstPicture(data) ?? data
      let properties =
        [
          box(configuration.type, configuration.content.rest),
          box("ispe", number(0, 4) + number(size.width, 4) + number(size.height, 4)),
        ] + (nclx.map { [box("colr", $0.content.rest)] } ?? [])
      let associations =
        number(0, 4) + number(1, 4) + number(1, 2) + number(properties.count, 1)
        + properties.indices.map { UInt8($0 + 1) }
      func meta(dataOffset: Int) -> [UInt8] {
        box(
          "meta",
          number(0, 4) + box("hdlr", number(0, 8) + ("pict" as FourCharacterCode).bytes + number(0, 13))
            + box("pitm", number(0, 4) + number(1, 2))
            + box(
              "iloc",
              number(0, 4) + number(0x4400, 2) + number(1, 2) + number(1, 2) + number(0, 2) + number(1, 2)
                + number(dataOffset, 4) + number(data.count, 4))
            + box(
              "iinf",
              number(0, 4) + number(1, 2)
                + box(
                  "infe",
                  number(2 << 24, 4) + number(1, 2) + number(0, 2)
                    + (codec == .HEVC ? "hvc1" : "av01" as FourCharacterCode).bytes + number(0, 1)))
            + box("iprp", box("ipco", properties.flatMap { $0 }) + box("ipma", associations)))
      }
      let brand = (codec == .HEVC ? "heic" : "avif" as FourCharacterCode).bytes
      let start = box("ftyp", brand + number(0, 4) + ("mif1" as FourCharacterCode).bytes + brand)
      let offset = start.count + meta(dataOffset: 0).count + 8
      return start + meta(dataOffset: offset) + box("mdat", data)
    }

    private func box(_ type: FourCharacterCode, _ content: [UInt8]) -> [UInt8] {
      number(8 + content.count, 4) + type.bytes + content
    }

    private func number(_ value: Int, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }
  }

  extension HEIFItems {
    /// Its `ispe` property.
    func size(of item: Int) throws(FaceCropError) -> PixelSize {
      guard var box = property("ispe", of: item) else { throw .corrupt("one of its items has no size") }
      _ = try box.version()
      return try .init(reading: &box, width: 4)
    }
  }

  extension PixelSize {
    /// Width and height, one after the other; neither is 0 nor so large that their product could overflow.
    init(reading reader: inout ByteReader, width: Int) throws(FaceCropError) {
      self.init(width: try reader.number(width), height: try reader.number(width))
      guard self.width > 0, height > 0, longSide <= Int(Int32.max) / 2 else {
        throw .corrupt("a size of \(self.width)x\(height) makes no picture")
      }
    }
  }
#endif
