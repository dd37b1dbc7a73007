#if HEIF
  import CHEIFShim
  import TestSupport
  import Testing

  @testable import FaceCrop

  /// A file's `av1C` may say what it likes: the sequence header is what is decoded.
  @Suite struct AV1SequenceTests {
    private static let pattern = Pixels.testPattern(width: 192, height: 128)

    /// The same image with other flags in its configuration: bits of a sample, gray, subsampling.
    private static func lying(_ item: CodedItem, flags: UInt8) -> CodedItem {
      var item = item
      item.configuration[10] = flags
      return item
    }

    @Test(arguments: [("420", 8), ("422", 8), ("444", 8), ("420", 12)])
    func theSequenceHeaderDecides(chroma: String, depth: Int) throws {
      let item = try CodedItem(Self.pattern, codec: .av1, depth: depth, chroma: chroma)
      let honest = HEIFBuilder(item).encoded()
      let expected = try decoded(honest)
      let memory = try Self.info(honest).memory
      // 8 bits of 4:4:4, 4:2:2 and 4:2:0; gray; 12 bits.
      for flags: UInt8 in [0, 0x08, 0x0C, 0x1C, 0x60] {
        let file = HEIFBuilder(Self.lying(item, flags: flags)).encoded()
        #expect(try decoded(file) == expected, "flags \(flags)")
        let info = try Self.info(file)
        #expect(info.memory == memory && info.bitsPerSample == depth)
      }
    }

    @Test func grayIsGrayWhateverIsSaid() throws {
      let item = try CodedItem(Self.pattern.gray, codec: .av1)
      let file = HEIFBuilder(Self.lying(item, flags: 0)).encoded()
      try withSession(file) { (session) throws(FaceCropError) in #expect(session.header.isGray) }
      #expect(try decoded(file) == decoded(HEIFBuilder(item).encoded()))
    }

    /// Memory is checked for what the sequence header says, before anything is decoded.
    @Test func limitsHoldForWhatIsDecoded() throws {
      let item = try CodedItem(Self.pattern, codec: .av1, chroma: "444")
      var limits = Limits()
      // RGB beside planes of 4:2:0 would fit.
      limits.heifBytes = 192 * 128 * 5
      #expect(throws: FaceCropError.self) {
        try withSession(HEIFBuilder(Self.lying(item, flags: 0x0C)).encoded(), limits: limits) {
          (session) throws(FaceCropError) in try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
        }
      }
      let fits = try CodedItem(Self.pattern, codec: .av1, chroma: "420")
      _ = try withSession(HEIFBuilder(Self.lying(fits, flags: 0)).encoded(), limits: limits) {
        (session) throws(FaceCropError) in try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
      }
    }

    /// Tiles that share a configuration and are coded in two ways.
    @Test func tilesAreCodedAlike() throws {
      var builder = HEIFBuilder()
      builder.brand = "avif"
      let tiles = try ["420", "444"].map { try CodedItem(Self.pattern, codec: .av1, chroma: $0) }
      builder.primary = builder.addGrid(tiles, columns: 2, width: 384, height: 128)
      #expect(throws: FaceCropError.corrupt("the tiles differ in their coding")) { try decoded(builder.encoded()) }
      // One configuration of both: the second tile is not what was counted.
      for index in 0..<2 { builder.items[index].properties.removeFirst() }
      builder.shared = [tiles[0].configuration]
      builder.sharedAssociations = [(1, [0]), (2, [0])]
      let error = #expect(throws: FaceCropError.self) { try decoded(builder.encoded()) }
      #expect(error?.kind == "corrupt")
    }

    /// A frame of one column takes the memory of 128, so that its pixels do not bound it.
    @Test(arguments: [(100, 512), (512, 50)]) func framesAreNotFarWiderOrHigher(width: Int, height: Int) throws {
      var item = try CodedItem(Self.pattern, codec: .av1)
      (item.width, item.height) = (width, height)
      // Frames are refused before they get memory, and not for being too small afterwards.
      #expect(throws: FaceCropError.corrupt("the AV1 data are invalid, or the image has another size")) {
        try decoded(HEIFBuilder(item).encoded())
      }
    }

    // MARK: Frames of a still image

    /// A unit with its length, and a layer if it has one.
    private static func unit(_ type: Int, layer: Int? = nil, _ content: [UInt8]) -> [UInt8] {
      let head = UInt8(type << 3 | 2 | (layer == nil ? 0 : 4))
      let layers: [UInt8] = layer.map { [UInt8($0 << 3)] } ?? []
      return [head] + layers + [UInt8(content.count)] + content
    }
    /// The first bits say whether an earlier frame is shown, the kind of a new one, and whether that is shown.
    private static func frame(isShown: Bool, layer: Int? = nil) -> [UInt8] {
      unit(6, layer: layer, [isShown ? 0x10 : 0, 0])
    }
    private static let shownAgain = unit(3, [0x80])

    /// A 4:2:0 image whose frames say how they are coded.
    private static var header: [UInt8] {
      sequence(profile: 0, isReduced: false) { bits in
        bits.put(0b0001, 4)
        bits.put(0, 3)
      }
    }

    private static func file(_ units: [UInt8], side: Int = 1_024, width: Int? = nil) throws -> [UInt8] {
      var item = try CodedItem(pattern, codec: .av1)
      (item.width, item.height, item.data) = (width ?? side, side, units)
      return HEIFBuilder(item).encoded()
    }

    /// Returns the number of frames, and the end of the image.
    private static func frames(_ units: [UInt8]) throws -> [Int] {
      var still = AV1Still()
      let end = try still.read(.forTests()) { $0 < units.count ? units[$0] : nil }
      return [still.frames, end]
    }

    /// Hidden frames stay in memory for the one that is shown.
    @Test func hiddenFramesCount() throws {
      let hidden = Self.frame(isShown: false)
      let one = try Self.info(Self.file(Self.header + Self.frame(isShown: true)))
      let units = [Self.header, hidden, hidden, hidden, Self.shownAgain].flatMap(\.self)
      let three = try Self.info(Self.file(units))
      // Two more frames, in 4:2:0.
      #expect(three.memory >= one.memory + 2 * 1_024 * 1_024 * 3 / 2)
      #expect(three.cost > 2 * one.cost)
      var limits = Limits()
      limits.heifBytes = 1_024 * 1_024 * 6
      let file = try Self.file(units)
      let error = #expect(throws: FaceCropError.self) {
        try withSession(file, limits: limits) { (session) throws(FaceCropError) in
          try session.region(PixelRect(x: 0, y: 0, width: 8, height: 8))
        }
      }
      guard case .overLimit(.heifBytes, _, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    /// dav1d's frames have whole blocks of 128 pixels.
    @Test func framesOfOneColumnCountAsBlocks() throws {
      let (side, shown, hidden) = (20_000, Self.frame(isShown: true), Self.frame(isShown: false))
      let one = try Self.info(Self.file(Self.header + shown, side: side, width: 1))
      let four = try Self.info(Self.file(Self.header + hidden + hidden + hidden + shown, side: side, width: 1))
      #expect(four.memory >= one.memory + 3 * 128 * side * 3 / 2)
    }

    @Test func manyFramesAreRefused() throws {
      for (count, isRead) in [(4, true), (5, false), (8, false)] {
        let hidden = (0..<count).flatMap { _ in Self.frame(isShown: false) }
        let file = try Self.file(Self.header + hidden + Self.shownAgain, side: 512)
        if isRead {
          _ = try Self.info(file)
        } else {
          let error = #expect(throws: FaceCropError.self) { try Self.info(file) }
          #expect(error?.kind == "unsupported")
        }
      }
    }

    /// A next image is neither counted nor decoded. Layers of one image belong together.
    @Test func oneImageIsDecoded() throws {
      let shown = Self.frame(isShown: true)
      let first = Self.header + shown
      #expect(try Self.frames(first) == [1, first.count])
      #expect(try Self.frames(first + shown) == [1, first.count])
      #expect(try Self.frames(first + Self.frame(isShown: false)) == [1, first.count])
      #expect(try Self.frames(first + [0x12, 0] + shown) == [1, first.count])
      let layers = Self.header + (0..<4).flatMap { Self.frame(isShown: true, layer: $0) }
      #expect(try Self.frames(layers) == [4, layers.count])
      #expect(try Self.frames(layers + Self.frame(isShown: true, layer: 1)) == [4, layers.count])
      for chroma in ["420", "444"] {
        let item = try CodedItem(Self.pattern, codec: .av1, chroma: chroma)
        var twice = item
        twice.data += item.data
        #expect(try decoded(HEIFBuilder(twice).encoded()) == decoded(HEIFBuilder(item).encoded()))
      }
    }

    /// The usual image has one frame, without a copy for film grain or for a change of its width.
    @Test(arguments: [("420", 8), ("444", 8), ("422", 10)])
    func theUsualImageHasOneFrame(chroma: String, depth: Int) throws {
      let item = try CodedItem(Self.pattern, codec: .av1, depth: depth, chroma: chroma)
      let copies = try #require(AV1Sequence.copies(in: item.data))
      #expect(try copies.held(frames: Self.frames(item.data)[0]) == 1)
      let gray = try CodedItem(Self.pattern.gray, codec: .av1)
      #expect(AV1Sequence.copies(in: gray.data) == AV1Copies(isScaled: false, hasGrain: false))
      // The header for these tests says film grain.
      #expect(AV1Sequence.copies(in: Self.header)?.hasGrain == true)
    }

    // MARK: Headers

    private static func info(_ file: [UInt8]) throws -> ImageInfo {
      try ImageInfo(reading: file.span, isFileMapping: false, job: .forTests())
    }

    /// A sequence header (AV1 specification, 5.5.1) behind a temporal delimiter.
    private static func sequence(
      profile: Int, isReduced: Bool = true, hasTiming: Bool = false, colors: (inout BitString) -> Void
    ) -> [UInt8] {
      var bits = BitString()
      bits.put(profile, 3)
      bits.put(isReduced ? 3 : 0, 2)
      if isReduced {
        bits.put(8, 5)
      } else {
        bits.put(hasTiming ? 1 : 0, 1)
        if hasTiming {
          bits.put(1, 32)
          bits.put(25, 32)
          // Frames at equal distances, and a decoder's model with delays of 10 bits.
          bits.put(0b1_1, 2)
          bits.put(0b1, 1)
          bits.put(9, 5)
          bits.put(1, 32)
          bits.put(0, 10)
        }
        bits.put(1, 1)
        // Two operating points, one of a high level and with delays.
        bits.put(1, 5)
        for level in [8, 12] {
          bits.put(0, 12)
          bits.put(level, 5)
          if level > 7 { bits.put(1, 1) }
          if hasTiming {
            bits.put(1, 1)
            bits.put(0, 21)
          }
          bits.put(1, 1)
          bits.put(9, 4)
        }
      }
      bits.put(7, 4)
      bits.put(6, 4)
      bits.put(191, 8)
      bits.put(127, 7)
      if !isReduced {
        bits.put(1, 1)
        bits.put(0, 7)
      }
      bits.put(0b111, 3)
      if !isReduced {
        bits.put(0b1111, 4)
        bits.put(0b111, 3)
        // Screen content where a frame says so; whole vectors never.
        bits.put(0b100, 3)
        bits.put(6, 3)
      }
      bits.put(0, 3)
      colors(&bits)
      bits.put(1, 1)
      let content = bits.bytes(filledBy: false)
      return [0x12, 0, 0x0A, UInt8(content.count)] + content
    }

    @Test(arguments: [(true, false), (false, false), (false, true)])
    func headersOfAllProfilesAreRead(isReduced: Bool, hasTiming: Bool) {
      func samples(_ profile: Int, _ colors: (Int, Int)...) -> CodedSamples? {
        AV1Sequence.samples(
          in: Self.sequence(profile: profile, isReduced: isReduced, hasTiming: hasTiming) { bits in
            for (value, count) in colors { bits.put(value, count) }
          })
      }
      // Depth, gray, no description, range.
      #expect(samples(0, (0b0_0_0_1, 4)) == CodedSamples(chroma: .YUV420, depth: 8))
      #expect(samples(0, (0b1_1_0_1, 4)) == CodedSamples(chroma: .monochrome, depth: 10))
      #expect(samples(1, (0b1_0_0, 3)) == CodedSamples(chroma: .YUV444, depth: 10))
      #expect(samples(2, (0b0_0_0_0, 4)) == CodedSamples(chroma: .YUV422, depth: 8))
      #expect(samples(2, (0b10_0_0_0, 5)) == CodedSamples(chroma: .YUV422, depth: 10))
      #expect(samples(2, (0b11_0_0_0_0, 6)) == CodedSamples(chroma: .YUV444, depth: 12))
      #expect(samples(2, (0b11_0_0_0_11, 7)) == CodedSamples(chroma: .YUV420, depth: 12))
      #expect(samples(2, (0b11_0_0_0_10, 7)) == CodedSamples(chroma: .YUV422, depth: 12))
      // A description: BT.2020 and PQ, and the RGB of sRGB.
      #expect(samples(0, (0b0_0_1, 3), (9 << 16 | 16 << 8 | 9, 24), (0, 1)) == CodedSamples(chroma: .YUV420, depth: 8))
      #expect(samples(1, (0b0_1, 2), (1 << 16 | 13 << 8, 24)) == CodedSamples(chroma: .YUV444, depth: 8))
    }

    @Test func truncatedSequencesAreNil() {
      let whole = Self.sequence(profile: 0, isReduced: false, hasTiming: true) { $0.put(0b0001, 4) }
      #expect(AV1Sequence.samples(in: whole) != nil)
      for count in 0..<whole.count - 1 {
        #expect(AV1Sequence.samples(in: Array(whole.prefix(count))) == nil)
        var short = whole
        if count >= 4 {
          short[3] = UInt8(count - 4)
          #expect(AV1Sequence.samples(in: short) == nil, "\(count)")
        }
      }
    }
  }
#endif
