/// The header of a GIF file (GIF89a): its screen, first frame and colors, and the number of frames. Blocks are read
/// once, and not decompressed.
struct GIFHeader {
  /// The size of the logical screen, extended to contain the first frame.
  var size: PixelSize
  /// The first frame; without pixels if its data end before one.
  var frame: Frame
  /// The colors of the first frame in RGBA. Missing ones are black.
  var colors: [UInt8]
  /// Whether a color is transparent, or the frame does not cover the screen.
  var hasAlpha: Bool
  /// The bits of an index.
  var bitDepth: Int
  /// All frames of the file, the first one included.
  var frames: [Entry] = []
  var frameCount: Int { frames.count }
  /// The number of times that an animation plays, by the application extension NETSCAPE2.0; 0 repeats it forever.
  var plays = 1
  /// Whether the file reaches its end marker, and whether it contains all data of the first frame.
  var isComplete = false
  var isFrameComplete = false
  /// Whether there are bytes outside blocks, or a first frame without pixels.
  var hasRemarks = false
  /// The ICC profile in the application extension ICCRGBG1; empty for none.
  var profile: [UInt8] = []

  struct Frame {
    /// The offset of its compressed data.
    var data: Int
    var rect: PixelRect
    var isInterlaced: Bool
  }

  /// A frame of an animation, with the graphic control extension before it.
  struct Entry {
    var frame: Frame
    /// The byte range of its palette in the file; nil without a palette.
    var colors: Range<Int>?
    var dataBytes: Int
    var control: Control
  }

  /// A graphic control extension (GIF89a, 23).
  struct Control {
    var transparent: Int?
    var disposal = FrameDisposal.keep
    /// The delay in hundredths of a second.
    var delay = 0
  }

  private static let (extensionMark, frameMark, endMark) = (UInt8(0x21), UInt8(0x2C), UInt8(0x3B))
  private static let (graphicControl, application) = (UInt8(0xF9), UInt8(0xFF))
  static let screenBytes = 13

  init(reading file: ImageBytes, job: Job) throws(FaceCropError) {
    let bytes = unsafe file.buffer.span
    guard let width = bytes.uint16(at: 6, .littleEndian), let height = bytes.uint16(at: 8, .littleEndian),
      let flags = bytes.byte(at: 10)
    else { throw .corrupt("the file ends inside its header") }
    var blocks = GIFBlocks(file: file, place: Self.screenBytes, job: job)
    let common = blocks.takeColors(flags)
    var control = Control()

    while let mark = blocks.takeByte() {
      try job.step()
      switch mark {
      case Self.frameMark:
        let offset = blocks.place - 1
        guard var frame = Frame(bytes, at: offset), let flags = bytes.byte(at: offset + 9) else { break }
        try job.limits.check(.frames, frames.count + 1)
        blocks.place = offset + 10
        let own = blocks.takeColors(flags)
        frame.data = blocks.place
        // The first byte is the code size.
        blocks.place += 1
        let (count, isWhole) = try blocks.skipData()
        if frames.isEmpty {
          try frame.check(dataBytes: count)
          isFrameComplete = isWhole
        }
        frames.append(Entry(frame: frame, colors: own ?? common, dataBytes: count, control: control))
        control = Control()
      case Self.extensionMark:
        let label = blocks.takeByte()
        if label == Self.graphicControl { control = Control(bytes, at: blocks.place) }
        if label == Self.application, frames.isEmpty || plays == 1,
          bytes.contains("\u{B}NETSCAPE2.0", at: blocks.place),
          bytes.byte(at: blocks.place + 12) == 3, bytes.byte(at: blocks.place + 13).map({ $0 & 7 }) == 1,
          let repetitions = bytes.uint16(at: blocks.place + 14, .littleEndian)
        {
          // The animation plays once, and then repeats.
          plays = repetitions == 0 ? 0 : repetitions + 1
        }
        if label == Self.application, profile.isEmpty, bytes.contains("\u{B}ICCRGBG1012", at: blocks.place) {
          blocks.place += 12
          profile = try blocks.takeData(job.limits)
        } else {
          _ = try blocks.skipData()
        }
      case Self.endMark: isComplete = true
      default: hasRemarks = true
      }
      if isComplete { break }
    }
    guard let first = frames.first else { throw .corrupt("the file has no frame") }
    let transparent = first.control.transparent
    let rect = first.frame.rect
    size = PixelSize(width: max(width, rect.x + rect.width), height: max(height, rect.y + rect.height))
    try job.limits.check(size)
    guard rect.width > 0 && rect.height > 0 else { throw .corrupt("the first frame has no pixels") }
    frame = first.frame
    if isFrameComplete, frame.isEmpty(bytes) {
      frame.rect = PixelRect(x: 0, y: 0, width: 0, height: 0)
      hasRemarks = true
    }
    colors = Self.colors(of: first.colors.map { bytes.copy($0) }, transparent: transparent)
    bitDepth = first.colors.map { ($0.count / 3 - 1).bitWidth - ($0.count / 3 - 1).leadingZeroBitCount } ?? 8
    hasAlpha = transparent != nil || frame.rect.size != size
  }

  /// Returns the palette in RGBA, with levels of gray for nil.
  static func colors(of palette: [UInt8]?, transparent: Int?) -> [UInt8] {
    (0..<256).flatMap { (index: Int) -> [UInt8] in
      let color =
        if let palette {
          index < palette.count / 3 ? Array(palette[3 * index..<3 * index + 3]) : [0, 0, 0]
        } else {
          [UInt8](repeating: UInt8(index), count: 3)
        }
      return color + [index == transparent ? 0 : 255]
    }
  }
}

extension GIFHeader.Control {
  /// Reads an extension's block, which begins with its length.
  fileprivate init(_ bytes: Span<UInt8>, at place: Int) {
    let flags = bytes.byte(at: place + 1) ?? 0
    transparent = flags & 1 == 1 ? bytes.byte(at: place + 4).map(Int.init) : nil
    disposal = flags >> 2 & 7 == 2 ? .clear : flags >> 2 & 7 == 3 ? .restore : .keep
    delay = bytes.uint16(at: place + 2, .littleEndian) ?? 0
  }
}

extension GIFHeader.Frame {
  /// Reads a frame; nil if its descriptor is incomplete.
  fileprivate init?(_ bytes: Span<UInt8>, at offset: Int) {
    func number(_ index: Int) -> Int? { bytes.uint16(at: offset + 1 + 2 * index, .littleEndian) }
    guard let x = number(0), let y = number(1), let width = number(2), let height = number(3),
      let flags = bytes.byte(at: offset + 9)
    else { return nil }
    data = offset + 10
    rect = PixelRect(x: x, y: y, width: width, height: height)
    isInterlaced = flags & 0x40 != 0
  }

  /// Returns whether its data end before the first pixel: they are empty, or begin with the end code.
  func isEmpty(_ bytes: Span<UInt8>) -> Bool {
    guard let minimum = bytes.byte(at: data), let length = bytes.byte(at: data + 1) else { return false }
    if length == 0 { return true }
    guard minimum <= 12 else { return false }
    // Codes have up to 13 bits. A clear code can come first.
    let start = (0..<min(Int(length), 4)).reduce(0) { $0 | Int(bytes.byte(at: data + 2 + $1) ?? 0) << (8 * $1) }
    let (bits, clear) = (Int(minimum) + 1, 1 << Int(minimum))
    func code(_ index: Int) -> Int? {
      Int(length) * 8 >= bits * (index + 1) ? start >> (bits * index) & (1 << bits - 1) : nil
    }
    return code(0) == clear + 1 || code(0) == clear && code(1) == clear + 1
  }

  /// Checks that its data are no longer than badly compressed ones: a code of 12 bits per pixel, and others of 4.
  /// Further codes would give no pixels.
  func check(dataBytes: Int) throws(FaceCropError) {
    let most = 2 * rect.size.bytes(channels: 1) + 4_096
    guard dataBytes <= most else {
      throw .corrupt("a frame of \(rect.width)×\(rect.height) has \(dataBytes) bytes of data, more than \(most)")
    }
  }
}
