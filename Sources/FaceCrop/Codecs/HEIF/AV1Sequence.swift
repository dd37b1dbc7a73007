#if HEIF
  internal import CHEIFShim

  /// The sample format of a coded image.
  struct CodedSamples: Equatable {
    var chroma: FCHEIFChroma
    /// Bits a sample.
    var depth: Int

    /// Returns the bytes of an image's samples.
    func bytes(_ size: PixelSize) -> Int {
      size.bytes(channels: [.monochrome: 2, .YUV420: 3, .YUV422: 4][chroma, default: 6] * (depth > 8 ? 2 : 1)) / 2
    }
  }

  /// The copies of a frame that decoding takes, besides the frame.
  struct AV1Copies: Equatable {
    /// Whether a frame may be coded narrower than it is, and is stretched.
    var isScaled = true
    /// Whether the shown frame may get film grain.
    var hasGrain = true

    /// Returns the frames in memory of an image that consists of some.
    func held(frames: Int) -> Int { frames * (isScaled ? 2 : 1) + (hasGrain ? 1 : 0) }
  }

  /// The sample format in a sequence header (AV1 specification, 5.5).
  enum AV1Sequence {
    /// Bytes at an image's beginning among which its sequence header is looked for; it comes first.
    static let mostBytes = 256

    /// - Parameter units: the beginning of an image.
    /// - Returns: nil without a complete sequence header.
    static func samples(in units: [UInt8]) -> CodedSamples? {
      guard let content = AV1Units.sequence(in: units) else { return nil }
      var bits = ParameterBits(Array(content))
      return try? header(&bits).samples
    }

    /// - Parameter units: the beginning of an image.
    /// - Returns: nil without a complete sequence header.
    static func copies(in units: [UInt8]) -> AV1Copies? {
      guard let content = AV1Units.sequence(in: units) else { return nil }
      var bits = ParameterBits(Array(content))
      do {
        let (samples, isScaled) = try header(&bits)
        // The rest of a gray image's colors, or the place of the chroma samples and a flag.
        switch samples.chroma {
        case .monochrome:
          if try bits.flag() { try bits.skip(24) }
          try bits.skip(1)
        case .YUV420: try bits.skip(3)
        default: try bits.skip(1)
        }
        return AV1Copies(isScaled: isScaled, hasGrain: try bits.flag())
      } catch {
        return nil
      }
    }

    private static func header(
      _ bits: inout ParameterBits
    ) throws(FaceCropError) -> (samples: CodedSamples, isScaled: Bool) {
      let profile = try bits.number(3)
      try bits.skip(1)
      let isReduced = try bits.flag()
      if isReduced { try bits.skip(5) } else { try skipOperatingPoints(&bits) }
      let (width, height) = (try bits.number(4) + 1, try bits.number(4) + 1)
      try bits.skip(width + height)
      if !isReduced, try bits.flag() { try bits.skip(4 + 3) }
      // Blocks of 128, and two kinds of prediction.
      try bits.skip(3)
      if !isReduced { try skipTools(&bits) }
      let isScaled = try bits.flag()
      // Two filters.
      try bits.skip(2)
      return (try colors(&bits, profile: profile), isScaled)
    }

    /// Timing, the decoder's model and operating points.
    private static func skipOperatingPoints(_ bits: inout ParameterBits) throws(FaceCropError) {
      var delayBits: Int?
      if try bits.flag() {
        try bits.skip(32 + 32)
        if try bits.flag() { _ = try bits.exponential() }
        if try bits.flag() {
          delayBits = try bits.number(5) + 1
          try bits.skip(32 + 5 + 5)
        }
      }
      let hasDisplayDelay = try bits.flag()
      for _ in 0...(try bits.number(5)) {
        try bits.skip(12)
        // The tier of the higher levels.
        if try bits.number(5) > 7 { try bits.skip(1) }
        if let delayBits, try bits.flag() { try bits.skip(2 * delayBits + 1) }
        if hasDisplayDelay, try bits.flag() { try bits.skip(4) }
      }
    }

    /// Reads the tools for the prediction of a video's frames.
    private static func skipTools(_ bits: inout ParameterBits) throws(FaceCropError) {
      try bits.skip(4)
      let hasOrder = try bits.flag()
      if hasOrder { try bits.skip(2) }
      let choosesScreenContent = try bits.flag()
      let mayBeScreenContent = choosesScreenContent ? true : try bits.flag()
      // Whole vectors: chosen by each frame, or always or never.
      if mayBeScreenContent, try !bits.flag() { try bits.skip(1) }
      if hasOrder { try bits.skip(3) }
    }

    /// The color configuration (5.5.2).
    private static func colors(_ bits: inout ParameterBits, profile: Int) throws(FaceCropError) -> CodedSamples {
      var depth = 8
      if try bits.flag() { depth = profile == 2 ? try bits.flag() ? 12 : 10 : 10 }
      if profile != 1, try bits.flag() { return CodedSamples(chroma: .monochrome, depth: depth) }
      // Lossless sRGB has no further fields.
      if try bits.flag(), try bits.number(24) == 0x01_0D_00 { return CodedSamples(chroma: .YUV444, depth: depth) }
      try bits.skip(1)
      let chroma: FCHEIFChroma
      switch profile {
      case 0: chroma = .YUV420
      case 1: chroma = .YUV444
      default:
        let isHalved = depth == 12 ? try bits.flag() : true
        let isQuartered = depth == 12 && isHalved ? try bits.flag() : false
        chroma = isQuartered ? .YUV420 : isHalved ? .YUV422 : .YUV444
      }
      return CodedSamples(chroma: chroma, depth: depth)
    }
  }

  /// AV1's configuration: the box `av1C` (AV1-ISOBMFF, 2.3.3). An image's own sequence header takes precedence, as it
  /// does for decoders.
  struct AV1Configuration {
    let samples: CodedSamples
    let copies: AV1Copies
    /// The units in it.
    let units: [UInt8]

    /// - Parameter start: the beginning of an image's data.
    init(_ box: ByteReader, start: [UInt8]) throws(FaceCropError) {
      var box = box
      // Profile and level, then flags.
      let flags = try box.number(3)
      _ = try box.number(1)
      units = box.rest
      func flag(_ bit: Int) -> Bool { flags >> bit & 1 == 1 }
      samples =
        AV1Sequence.samples(in: start) ?? AV1Sequence.samples(in: Array(units.prefix(AV1Sequence.mostBytes)))
        ?? CodedSamples(
          chroma: flag(4) ? .monochrome : !flag(3) ? .YUV444 : flag(2) ? .YUV420 : .YUV422,
          depth: !flag(6) ? 8 : flag(5) ? 12 : 10)
      copies =
        AV1Sequence.copies(in: start) ?? AV1Sequence.copies(in: Array(units.prefix(AV1Sequence.mostBytes)))
        ?? AV1Copies()
    }
  }
#endif
