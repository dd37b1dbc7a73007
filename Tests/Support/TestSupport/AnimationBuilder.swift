/// Builds animated GIF and PNG files frame by frame, and draws them in the simplest way, so that the expected pixels are
/// certain.
public struct AnimationBuilder: Sendable {
  public struct Frame: Sendable {
    /// RGBA, or indices for GIF.
    public var pixels: Pixels
    public var (x, y) = (0, 0)
    /// 0 or 1 keeps the frame, 2 clears its place, and 3 restores it, as in GIF.
    public var disposal = 1
    /// Hundredths of a second.
    public var delay = 10
    /// Whether transparent pixels show what is below them, instead of replacing it. GIF always does.
    public var isBlended = true

    public init(_ pixels: Pixels) { self.pixels = pixels }
  }

  public var width: Int
  public var height: Int
  public var frames: [Frame] = []
  /// The repetitions as GIF counts them, which is one less than the plays; nil writes none.
  public var repetitions: Int?

  public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  /// Returns frames at random places with random properties. Pixels have a few colors, and some are transparent.
  public static func random(width: Int, height: Int, count: Int, seed: UInt64) -> AnimationBuilder {
    var random = SplitMix64(seed: seed)
    var animation = AnimationBuilder(width: width, height: height)
    animation.repetitions = Int.random(in: 0...3, using: &random)
    for index in 0..<count {
      let (columns, rows) = (Int.random(in: 1...width, using: &random), Int.random(in: 1...height, using: &random))
      let samples = (0..<columns * rows).flatMap { _ -> [UInt8] in
        let isClear = Int.random(in: 0..<4, using: &random) == 0
        return isClear
          ? [0, 0, 0, 0] : [UInt8.random(in: 0...5, using: &random) * 50, UInt8(index * 9 & 255), 77, 255]
      }
      var frame = Frame(Pixels(width: columns, height: rows, channels: 4, samples: samples))
      (frame.x, frame.y) = (
        Int.random(in: 0...width - columns, using: &random), Int.random(in: 0...height - rows, using: &random)
      )
      frame.disposal = Int.random(in: 0...3, using: &random)
      frame.delay = Int.random(in: 0...50, using: &random)
      animation.frames.append(frame)
    }
    return animation
  }

  /// The canvas after each frame, in RGBA.
  public var shown: [Pixels] {
    var canvas = [[UInt8]](repeating: [0, 0, 0, 0], count: width * height)
    var result: [Pixels] = []
    for frame in frames {
      let before = canvas
      for row in 0..<frame.pixels.height {
        for column in 0..<frame.pixels.width where row + frame.y < height && column + frame.x < width {
          let place = (row + frame.y) * width + column + frame.x
          let from = 4 * (row * frame.pixels.width + column)
          let pixel = Array(frame.pixels.samples[from..<from + 4])
          if pixel[3] == 255 || !frame.isBlended { canvas[place] = pixel }
        }
      }
      result.append(Pixels(width: width, height: height, channels: 4, samples: canvas.flatMap { $0 }))
      switch frame.disposal {
      case 2:
        for row in frame.y..<min(frame.y + frame.pixels.height, height) {
          for column in frame.x..<min(frame.x + frame.pixels.width, width) {
            canvas[row * width + column] = [0, 0, 0, 0]
          }
        }
      case 3: canvas = before
      default: break
      }
    }
    return result
  }

  // MARK: Files

  /// The GIF file; each frame has up to 255 colors.
  public func gif(isInterlaced: Bool = false) -> [UInt8] {
    var file = Array("GIF89a".utf8) + GIFBuilder.numbers([width, height]) + [0x70, 0, 0]
    if let repetitions { file += GIFBuilder.application("NETSCAPE2.0", [1] + GIFBuilder.numbers([repetitions])) }
    for frame in frames {
      var colors: [[UInt8]] = []
      let indices = stride(from: 0, to: frame.pixels.samples.count, by: 4).map { place -> UInt8 in
        let pixel = Array(frame.pixels.samples[place..<place + 4])
        guard pixel[3] == 255 else { return 255 }
        if let known = colors.firstIndex(of: Array(pixel[..<3])) { return UInt8(known) }
        colors.append(Array(pixel[..<3]))
        return UInt8(colors.count - 1)
      }
      let table = colors.flatMap { $0 } + [UInt8](repeating: 9, count: 768 - 3 * colors.count)
      let rows = (0..<frame.pixels.height).map {
        Array(indices[$0 * frame.pixels.width..<($0 + 1) * frame.pixels.width])
      }
      let order = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap {
        Array(stride(from: $0.0, to: frame.pixels.height, by: $0.1))
      }
      let stored = isInterlaced ? order.flatMap { rows[$0] } : indices
      file += [0x21, 0xF9, 4, UInt8(frame.disposal << 2 | 1)] + GIFBuilder.numbers([frame.delay]) + [255, 0]
      file += [0x2C] + GIFBuilder.numbers([frame.x, frame.y, frame.pixels.width, frame.pixels.height])
      file += [0x87 | (isInterlaced ? 0x40 : 0)] + table + GIFBuilder.data(of: stored, bits: 8)
    }
    return file + [0x3B]
  }

  /// The animated PNG file.
  public func png() -> [UInt8] {
    var file: [UInt8] = []
    var number: UInt32 = 0
    func next() -> [UInt8] {
      defer { number += 1 }
      return number.bigEndianBytes
    }
    for (index, frame) in frames.enumerated() {
      let still = PNGBuilder(frame.pixels).encoded()
      let chunks = Self.chunks(of: still)
      if index == 0 {
        precondition(frame.pixels.width == width && frame.pixels.height == height, "the first frame fills the canvas")
        file = Array(still.prefix(33))
        let plays = repetitions.map { $0 == 0 ? 0 : $0 + 1 } ?? 1
        file += PNGBuilder.chunk("acTL", UInt32(frames.count).bigEndianBytes + UInt32(plays).bigEndianBytes)
      }
      let sizes = [frame.pixels.width, frame.pixels.height, frame.x, frame.y].flatMap { UInt32($0).bigEndianBytes }
      let delay = [UInt8(frame.delay >> 8), UInt8(frame.delay & 255), 0, 100]
      let disposal: UInt8 = [0, 0, 1, 2][frame.disposal]
      file += PNGBuilder.chunk("fcTL", next() + sizes + delay + [disposal, frame.isBlended ? 1 : 0])
      for chunk in chunks where chunk.name == "IDAT" {
        file += index == 0 ? PNGBuilder.chunk("IDAT", chunk.data) : PNGBuilder.chunk("fdAT", next() + chunk.data)
      }
    }
    return file + PNGBuilder.chunk("IEND", [])
  }

  private static func chunks(of png: [UInt8]) -> [(name: String, data: [UInt8])] {
    var chunks: [(String, [UInt8])] = []
    var place = 8
    while place + 8 <= png.count {
      let length = png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      chunks.append(
        (String(decoding: png[place + 4..<place + 8], as: UTF8.self), Array(png[place + 8..<place + 8 + length])))
      place += 12 + length
    }
    return chunks
  }
}
