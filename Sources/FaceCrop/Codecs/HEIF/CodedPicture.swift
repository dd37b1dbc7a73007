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
    /// Bytes of its pixels, decoded: R, G and B, or gray.
    let pixelBytes: Int
    let location: HEIFItems.Location
    private let hevc: HEVCConfiguration?
    /// The units in AV1's configuration.
    private let av1Units: [UInt8]
    /// The matrix and the range of its samples; the bitstream's own where there is none.
    private let nclx: Box?

    /// How much larger than the file says the coded picture may be: whole blocks of the largest kind.
    private static let slack = 64

    /// - Parameters:
    ///   - nclx: of what it is a part of.
    ///   - configurations: those that were read before.
    init(
      _ item: Int, in file: HEIFFile, nclx: Box?, configurations: inout CodedConfigurations, job: Job
    ) throws(FaceCropError) {
      let items = file.items
      guard let location = items.locations[item], !location.extents.isEmpty else {
        throw .corrupt("an item has no data in the file")
      }
      self.item = item
      self.location = location
      size = try items.size(of: item)
      // First of all, so that a picture that is too large is said to be that.
      try job.limits.check(size)
      self.nclx = items.colorBox("nclx", of: item) ?? nclx
      let largest = Self.largest(of: size)
      let chroma: FCHEIFChroma
      switch items.types[item] {
      case "hvc1", "hev1":
        guard let box = items.numberedProperty("hvcC", of: item) else {
          throw .corrupt("an item has no HEVC configuration")
        }
        let hevc = try configurations.hevc.configuration(box.content, number: box.number, largest: largest)
        codec = .HEVC
        self.hevc = hevc
        av1Units = []
        chroma = [.monochrome, .YUV420, .YUV422, .YUV444][hevc.sequence.chroma]
        depth = hevc.sequence.depth
      case "av01":
        guard let box = items.numberedProperty("av1C", of: item) else {
          throw .corrupt("an item has no AV1 configuration")
        }
        let av1 = try configurations.av1.configuration(box.content, number: box.number, job) {
          file.start(of: location, AV1Sequence.mostBytes)
        }
        codec = .AV1
        hevc = nil
        av1Units = av1.units
        (chroma, depth) = (av1.samples.chroma, av1.samples.depth)
      case let type:
        throw .unsupported("an item has the unknown type '\(type.map { "\($0)" } ?? "none")'")
      }
      self.chroma = chroma
      let samples = [.monochrome: 2, .YUV420: 3, .YUV422: 4][chroma, default: 6]
      let bytes = depth > 8 ? 2 : 1
      // Who allows for any size gets numbers that say so, and not their overflow.
      codedBytes = size.bytes(channels: samples * bytes) / 2
      pixelBytes = size.bytes(channels: chroma == .monochrome ? 1 : 3)
    }

    private static func largest(of size: PixelSize) -> PixelSize {
      PixelSize(width: size.width + slack, height: size.height + slack)
    }

    /// Whether both can be tiles of one picture, and take as much memory.
    func isAlike(_ other: CodedPicture) -> Bool {
      size == other.size && chroma == other.chroma && codedBytes == other.codedBytes
    }

    /// Bytes that decoding takes at most, the pixels among them; the decoders' notes left out. The samples are there once, beside
    /// what they are converted to.
    var decodingBytes: Int { codedBytes.addingClamped(pixelBytes) }

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

    /// Bytes that its data take at most, with the decoder's copies and what it notes of slices.
    var dataBytes: Int {
      let data = min(location.length ?? .max, maximumDataBytes)
      // They are there as they are read, and as they are handed on.
      guard let hevc else { return data.multipliedClamped(by: 2) }
      // libde265 copies them, and keeps a number for each three bytes of which one is left out.
      return data.multipliedClamped(by: 6).addingClamped(hevc.sliceBytes)
    }

    /// What its decoder is given: what stands in its configuration, and then the picture.
    ///
    /// - Parameter data: of the item.
    func units(_ data: [UInt8], _ job: Job) throws(FaceCropError) -> [UInt8] {
      if let hevc { return try hevc.units(ofFirstPicture: data, job) }
      let units = av1Units + data
      try AV1Units.check(units, job)
      return units
    }
  }

  /// The configurations of a canvas's items, each read once.
  struct CodedConfigurations {
    var av1 = AV1Configurations()
    var hevc = HEVCConfigurations()
  }

  extension HEIFItems {
    /// Its `ispe` property.
    func size(of item: Int) throws(FaceCropError) -> PixelSize {
      guard var box = property("ispe", of: item) else { throw .corrupt("an item has no size") }
      _ = try box.version()
      return try .init(reading: &box, width: 4)
    }
  }

  extension PixelSize {
    /// Width and height, one after the other; neither is 0 nor so large that their product could overflow.
    init(reading reader: inout ByteReader, width: Int) throws(FaceCropError) {
      self.init(width: try reader.number(width), height: try reader.number(width))
      guard self.width > 0, height > 0, longSide <= Int(Int32.max) / 2 else {
        throw .corrupt("an item has the invalid size \(self.width)×\(height)")
      }
    }
  }
#endif
