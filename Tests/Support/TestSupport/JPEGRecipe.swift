import CJPEGFixtures

/// The settings of a JPEG: every trait that libjpeg-turbo can write.
public struct JPEGRecipe: Equatable, Sendable {
  /// The stored colors.
  public enum Color: Sendable, CaseIterable {
    case gray, yCbCr, rgb, cmyk, ycck
  }

  /// One component's sampling factors, 1...4.
  public struct Sampling: Equatable, Sendable {
    public var horizontal: Int
    public var vertical: Int

    public init(_ horizontal: Int, _ vertical: Int) {
      self.horizontal = horizontal
      self.vertical = vertical
    }
  }

  public var quality: Int
  public var color: Color
  /// Whether to write a JFIF marker; `nil` for libjpeg's default, which writes it for gray and YCbCr.
  public var jfif: Bool?
  /// Whether to write an Adobe marker; `nil` for libjpeg's default, which writes it for RGB, CMYK and YCCK.
  public var adobe: Bool?
  /// The sampling of each component; the default is 1×1.
  public var sampling: [Sampling]
  public var progressive: Bool
  /// One component a scan; in a progressive file the DC scans are separate too.
  public var multiscan: Bool
  public var arithmetic: Bool
  public var optimizedHuffman: Bool
  /// Whether steps above 255 are allowed, at low qualities: an extended sequential file (SOF1).
  public var wideQuantization: Bool
  /// The restart interval in MCUs; 0 for no restart markers.
  public var restartInterval: Int
  /// The restart interval in rows of MCUs; overrides `restartInterval` unless 0.
  public var restartRows: Int
  /// Segments after libjpeg's own APP0 and APP14, in order.
  public var segments: [MarkerSegment]

  public init(
    quality: Int = 90, color: Color = .yCbCr, jfif: Bool? = nil, adobe: Bool? = nil, sampling: [Sampling] = [],
    progressive: Bool = false, multiscan: Bool = false, arithmetic: Bool = false, optimizedHuffman: Bool = false,
    wideQuantization: Bool = false, restartInterval: Int = 0, restartRows: Int = 0, segments: [MarkerSegment] = []
  ) {
    self.quality = quality
    self.color = color
    self.jfif = jfif
    self.adobe = adobe
    self.sampling = sampling
    self.progressive = progressive
    self.multiscan = multiscan
    self.arithmetic = arithmetic
    self.optimizedHuffman = optimizedHuffman
    self.wideQuantization = wideQuantization
    self.restartInterval = restartInterval
    self.restartRows = restartRows
    self.segments = segments
  }

  /// Returns a changed copy.
  public func with(_ change: (inout JPEGRecipe) -> Void) -> JPEGRecipe {
    var copy = self
    change(&copy)
    return copy
  }

  /// The channels that `encode` requires: 1, 3 or 4. Gray also takes RGB.
  public var channels: Int {
    switch color {
    case .gray: 1
    case .yCbCr, .rgb: 3
    case .cmyk, .ycck: 4
    }
  }

  /// Encodes gray, RGB or CMYK samples. CMYK is stored unchanged, never inverted.
  public func encode(_ pixels: Pixels) throws -> [UInt8] {
    guard pixels.channels == channels || (color == .gray && pixels.channels == 3) else {
      throw FixtureError("\(color) wants \(channels) channels, not \(pixels.channels)")
    }
    guard sampling.count <= Int(FX_MAXIMUM_COMPONENTS), let width = UInt32(exactly: pixels.width),
      let height = UInt32(exactly: pixels.height), let quality = Int32(exactly: quality),
      let restartInterval = UInt32(exactly: restartInterval), let restartRows = UInt32(exactly: restartRows)
    else { throw FixtureError("a number out of range") }

    var options = unsafe fx_encode_options()
    unsafe options.quality = quality
    unsafe options.color = color.native
    unsafe options.jfif = marker(jfif)
    unsafe options.adobe = marker(adobe)
    unsafe options.horizontal = try factors(\.horizontal)
    unsafe options.vertical = try factors(\.vertical)
    unsafe options.progressive = progressive
    unsafe options.multiscan = multiscan
    unsafe options.arithmetic = arithmetic
    unsafe options.optimized_huffman = optimizedHuffman
    unsafe options.wide_quantization = wideQuantization
    unsafe options.restart_interval = restartInterval
    unsafe options.restart_rows = restartRows

    // C reads the segments from one run of bytes, which avoids nested closures over arrays.
    let bytes = segments.flatMap(\.bytes)
    return try unsafe bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      var natives = unsafe [fx_segment]()
      for segment in segments {
        let rest = unsafe bytes.baseAddress.map { unsafe $0 + start }
        unsafe natives.append(fx_segment(code: segment.code, bytes: rest, count: segment.bytes.count))
        start += segment.bytes.count
      }
      return try unsafe natives.withUnsafeBufferPointer { natives in
        unsafe options.segments = natives.baseAddress
        unsafe options.segment_count = natives.count
        var jpeg: UnsafeMutablePointer<UInt8>?
        var count = 0
        try unsafe orThrow { message in
          unsafe fx_encode(
            pixels.samples, pixels.samples.count, width, height, Int32(pixels.channels), &options, &jpeg, &count,
            message)
        }
        defer { unsafe fx_free(jpeg) }
        return unsafe Array(UnsafeBufferPointer(start: jpeg, count: count))
      }
    }
  }

  private func marker(_ choice: Bool?) -> fx_marker {
    switch choice {
    case nil: FX_MARKER_DEFAULT
    case false?: FX_MARKER_OMIT
    case true?: FX_MARKER_WRITE
    }
  }

  private func factors(_ axis: KeyPath<Sampling, Int>) throws -> (UInt8, UInt8, UInt8, UInt8) {
    var factors: [UInt8] = [0, 0, 0, 0]
    for (index, component) in sampling.enumerated() {
      guard let factor = UInt8(exactly: component[keyPath: axis]) else { throw FixtureError("a number out of range") }
      factors[index] = factor
    }
    return (factors[0], factors[1], factors[2], factors[3])
  }
}

extension JPEGRecipe.Color {
  fileprivate var native: fx_color {
    switch self {
    case .gray: FX_COLOR_GRAY
    case .yCbCr: FX_COLOR_YCBCR
    case .rgb: FX_COLOR_RGB
    case .cmyk: FX_COLOR_CMYK
    case .ycck: FX_COLOR_YCCK
    }
  }
}

// MARK: - Named kinds

extension JPEGRecipe {
  public static let baseline444 = JPEGRecipe()
  public static let baseline422 = JPEGRecipe(sampling: [Sampling(2, 1)])
  public static let baseline440 = JPEGRecipe(sampling: [Sampling(1, 2)])
  public static let baseline420 = JPEGRecipe(sampling: [Sampling(2, 2)])
  public static let sampling411 = JPEGRecipe(sampling: [Sampling(4, 1)])
  public static let sampling410 = JPEGRecipe(sampling: [Sampling(4, 2)])
  public static let sampling2x4 = JPEGRecipe(sampling: [Sampling(2, 4)])
  public static let progressive = baseline420.with { $0.progressive = true }
  public static let multiscan = baseline420.with { $0.multiscan = true }
  public static let arithmetic = baseline420.with { $0.arithmetic = true }
  /// Seven MCUs, so that restart markers fall on every position in a row.
  public static let restart = baseline420.with { $0.restartInterval = 7 }
  public static let gray = JPEGRecipe(color: .gray)
  public static let rgb = JPEGRecipe(color: .rgb)
  public static let cmykAdobe = JPEGRecipe(color: .cmyk)
  public static let cmykPlain = JPEGRecipe(color: .cmyk, adobe: false)
  public static let ycckAdobe = JPEGRecipe(color: .ycck)

  /// The kinds above, and the combinations that decoders treat differently.
  public static let allKinds: [(name: String, recipe: JPEGRecipe)] = [
    ("baseline 4:4:4", baseline444),
    ("baseline 4:2:2", baseline422),
    ("baseline 4:4:0", baseline440),
    ("baseline 4:2:0", baseline420),
    ("baseline 4:2:0, optimized Huffman", baseline420.with { $0.optimizedHuffman = true }),
    ("baseline 4:2:0, no JFIF", baseline420.with { $0.jfif = false }),
    ("baseline 4:2:0, Adobe", baseline420.with { $0.adobe = true }),
    ("4:1:1", sampling411),
    ("4:1:0", sampling410),
    ("luma 2x4", sampling2x4),
    ("chroma finer than luma", JPEGRecipe(sampling: [Sampling(1, 1), Sampling(2, 2), Sampling(2, 2)])),
    ("unequal chroma", JPEGRecipe(sampling: [Sampling(4, 1), Sampling(2, 1), Sampling(1, 1)])),
    (
      "multiscan 4:4:4 written 2x2",
      JPEGRecipe(sampling: [Sampling(2, 2), Sampling(2, 2), Sampling(2, 2)]).multiscanned
    ),
    ("progressive 4:2:0", progressive),
    ("progressive 4:4:4", baseline444.with { $0.progressive = true }),
    ("progressive 4:2:2", baseline422.with { $0.progressive = true }),
    ("progressive 4:2:0, restarts", restart.with { $0.progressive = true }),
    ("progressive 4:2:0, separate DC scans", progressive.multiscanned),
    ("progressive gray", gray.with { $0.progressive = true }),
    ("multiscan 4:2:0", multiscan),
    ("multiscan 4:2:0, restarts", multiscan.with { $0.restartRows = 1 }),
    ("arithmetic 4:2:0", arithmetic),
    ("arithmetic 4:2:0, restarts", arithmetic.with { $0.restartInterval = 7 }),
    ("progressive arithmetic 4:2:0", arithmetic.with { $0.progressive = true }),
    ("restarts every 7 MCUs", restart),
    ("restarts every MCU", baseline422.with { $0.restartInterval = 1 }),
    ("restarts every row", baseline420.with { $0.restartRows = 1 }),
    ("16-bit quantization", baseline420.with { ($0.quality, $0.wideQuantization) = (3, true) }),
    ("gray", gray),
    ("gray written 2x2", gray.with { $0.sampling = [Sampling(2, 2)] }),
    ("RGB", rgb),
    ("progressive RGB", rgb.with { $0.progressive = true }),
    ("CMYK, Adobe", cmykAdobe),
    ("CMYK, no Adobe", cmykPlain),
    ("progressive CMYK, Adobe", cmykAdobe.with { $0.progressive = true }),
    ("YCCK, Adobe", ycckAdobe),
    (
      "YCCK 4:2:0, Adobe",
      ycckAdobe.with { $0.sampling = [Sampling(2, 2), Sampling(1, 1), Sampling(1, 1), Sampling(2, 2)] }
    ),
  ]

  private var multiscanned: JPEGRecipe { with { $0.multiscan = true } }
}

/// The reason why a fixture could not be made or read; usually libjpeg's message.
public struct FixtureError: Error, Equatable, CustomStringConvertible {
  public let message: String

  public init(_ message: String) {
    self.message = message
  }

  public var description: String { message }
}
