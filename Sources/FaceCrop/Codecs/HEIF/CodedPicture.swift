#if HEIF
  internal import CHEIFShim

  /// An item of a file that a codec decodes: a whole image, or a tile of one.
  struct CodedPicture {
    let item: Int
    let codec: FCHEIFCodec
    /// The size in the file, in pixels. The codec may return more to the right and below.
    let size: PixelSize
    let samples: CodedSamples
    /// The bytes of its coded samples.
    private let codedBytes: Int
    /// The bytes of a frame's samples in memory.
    private let frameBytes: Int
    /// The bytes of its decoded pixels: RGB or gray.
    let pixelBytes: Int
    let location: HEIFItems.Location
    private let hevc: HEVCConfiguration?
    /// The units in AV1's configuration.
    private let av1Units: [UInt8]
    /// The operating point of an AV1 image, which selects its layers (AVIF 1.1, 2.3.2).
    let operatingPoint: Int
    /// The frames of a still AV1 image, those that are not shown included.
    let frames: Int
    /// The upper bound of frames in memory at once.
    let heldFrames: Int
    /// The matrix and range of its samples; nil uses those in the bitstream.
    private let nclx: Box?

    /// The allowed excess of the coded size over the file's size: whole blocks of the largest kind.
    static let slack = 64

    /// Reads the properties of an item. `nclx` is the color box of the grid that contains it, and `configurations` are
    /// those read so far.
    init(
      _ item: Int, in file: HEIFFile, nclx: Box?, configurations: inout CodedConfigurations, job: Job
    ) throws(FaceCropError) {
      let items = file.items
      guard let location = items.locations[item], !location.isEmpty else {
        throw .corrupt("an item has no data in the file")
      }
      self.item = item
      self.location = location
      size = try items.size(of: item)
      // This check comes first, so that an image over a limit gets that error.
      try job.limits.check(size)
      self.nclx = items.colorBox("nclx", of: item) ?? nclx
      var point = items.property("a1op", of: item)
      operatingPoint = try point?.number(1) ?? 0
      let largest = Self.largest(of: size)
      switch items.types[item] {
      case "hvc1", "hev1":
        guard let box = items.numberedProperty("hvcC", of: item) else {
          throw .corrupt("an item has no HEVC configuration")
        }
        let hevc = try configurations.hevc[largest, default: [:]].value(for: box.number) { () throws(FaceCropError) in
          try HEVCConfiguration(box.content, largest: largest)
        }
        codec = .HEVC
        self.hevc = hevc
        av1Units = []
        (frames, heldFrames) = (1, 1)
        samples = hevc.sequence.samples
      case "av01":
        guard let box = items.numberedProperty("av1C", of: item) else {
          throw .corrupt("an item has no AV1 configuration")
        }
        let av1 = try configurations.av1.value(for: box.number) { () throws(FaceCropError) in
          try job.step()
          return try AV1Configuration(box.content, start: file.start(of: location, AV1Sequence.mostBytes))
        }
        codec = .AV1
        hevc = nil
        av1Units = av1.units
        frames = try Self.frames(av1.units, file, location, job)
        heldFrames = av1.copies.held(frames: frames)
        samples = av1.samples
      case let type:
        throw .unsupported("an item has the unknown type '\(type.map { "\($0)" } ?? "none")'")
      }
      // Without limits on the size, the sums are clamped instead of overflowing.
      codedBytes = samples.bytes(size)
      frameBytes = codec == .AV1 ? samples.bytes(Self.inBlocks(size)) : codedBytes
      pixelBytes = size.bytes(channels: samples.chroma == .monochrome ? 1 : 3)
    }

    /// Counts the frames of an AV1 image, without reading its pixels.
    private static func frames(
      _ units: [UInt8], _ file: HEIFFile, _ location: HEIFItems.Location, _ job: Job
    ) throws(FaceCropError) -> Int {
      var still = AV1Still()
      _ = try still.read(job) { $0 < units.count ? units[$0] : nil }
      _ = try still.read(job) { file.byte($0, of: location) }
      try still.check()
      return max(still.frames, 1)
    }

    /// Returns a size in dav1d's whole blocks of 128 pixels.
    private static func inBlocks(_ size: PixelSize) -> PixelSize {
      func whole(_ side: Int) -> Int { (side + 127) / 128 * 128 }
      return PixelSize(width: whole(size.width), height: whole(size.height))
    }

    static func largest(of size: PixelSize) -> PixelSize {
      PixelSize(width: size.width + slack, height: size.height + slack)
    }

    /// Returns whether both can be tiles of one image, and take the same memory.
    func isAlike(_ other: CodedPicture) -> Bool {
      size == other.size && samples.chroma == other.samples.chroma && codedBytes == other.codedBytes
        && frames == other.frames && heldFrames == other.heldFrames
    }

    /// An upper bound of the bytes for decoding, pixels included, without the decoder's notes. The samples exist once,
    /// beside the pixels. A copy with film grain exists before the pixels.
    var decodingBytes: Int {
      let held = frameBytes.multipliedClamped(by: heldFrames)
      return frames > 1 ? held.addingClamped(pixelBytes) : max(held, frameBytes.addingClamped(pixelBytes))
    }

    /// The matrix (ITU-T H.273, table 4) and range in the file.
    var matrix: (code: Int, isFullRange: Bool)? { nclx.flatMap { Self.matrix($0.content) } }

    /// Returns the matrix and range in a box of code points (ISO/IEC 14496-12, 12.1.5).
    static func matrix(_ box: ByteReader) -> (code: Int, isFullRange: Bool)? {
      var box = box
      guard (try? box.number(8)) != nil, let code = try? box.number(2),
        let range = try? box.number(1)
      else { return nil }
      return (code, range & 0x80 != 0)
    }

    /// The upper bound of coded bytes, twice the uncompressed size.
    var maximumDataBytes: Int { codedBytes.addingClamped(codedBytes).addingClamped(65_536) }

    /// The upper bound of a frame's sides.
    var largest: PixelSize { Self.largest(of: size) }

    /// An upper bound of the bytes for its data, with the decoder's copies and notes about slices.
    var dataBytes: Int {
      let data = min(location.count, maximumDataBytes)
      // The data exist twice: as read, and as passed on.
      guard let hevc else { return data.multipliedClamped(by: 2) }
      // libde265 copies the data, and stores a number for each three bytes with a skipped one.
      return data.multipliedClamped(by: 6).addingClamped(hevc.sliceBytes)
    }

    /// Returns the decoder's input: the units of its configuration, and then the item's data.
    func units(_ data: [UInt8], _ job: Job) throws(FaceCropError) -> [UInt8] {
      if let hevc { return try hevc.units(ofFirstPicture: data, job) }
      let units = av1Units + data
      try AV1Units.check(units, job)
      // dav1d gets nothing of a next image. It would decode it too, if that is not shown, or is a layer.
      var still = AV1Still()
      let end = try still.read(job) { $0 < units.count ? units[$0] : nil }
      try still.check()
      return end < units.count ? Array(units[..<end]) : units
    }
  }

  /// The configurations of a canvas's items by the number of the property in the file. Each is read once.
  struct CodedConfigurations {
    /// Each is read with the data of its first item, because tiles of one configuration are coded alike.
    var av1: [Int: AV1Configuration] = [:]
    /// The keys are the largest sizes of a coded image.
    var hevc: [PixelSize: [Int: HEVCConfiguration]] = [:]
  }

  extension Dictionary {
    /// Returns the value of a key, and creates it the first time.
    mutating func value(for key: Key, create: () throws(FaceCropError) -> Value) throws(FaceCropError) -> Value {
      if let known = self[key] { return known }
      let value = try create()
      self[key] = value
      return value
    }
  }

  extension HEIFItems {
    /// Returns the size in its `ispe` property.
    func size(of item: Int) throws(FaceCropError) -> PixelSize {
      guard var box = property("ispe", of: item) else { throw .corrupt("an item has no size") }
      _ = try box.version()
      return try .init(reading: &box, width: 4)
    }
  }

  extension PixelSize {
    /// Reads width and height. Neither is 0 or so large that their product could overflow.
    init(reading reader: inout ByteReader, width: Int) throws(FaceCropError) {
      self.init(width: try reader.number(width), height: try reader.number(width))
      guard self.width > 0, height > 0, longSide <= Int(Int32.max) / 2 else {
        throw .corrupt("an item has the invalid size \(self.width)×\(height)")
      }
    }
  }
#endif
