/// Builds GIF files of every kind from their indices without a library, so that the expected pixels are certain.
public struct GIFBuilder: Sendable {
  /// The logical screen.
  public var width: Int
  public var height: Int
  /// The position of the frame on the screen.
  public var (x, y) = (0, 0)
  /// The frame's indices, in one channel.
  public var frame: Pixels
  /// Colors of three bytes; their number is a power of two, 2 to 256.
  public var colors: [[UInt8]]
  public var isInterlaced = false
  public var transparentIndex: Int?
  /// Whether the colors are local to the frame, and the global ones differ.
  public var hasLocalColors = false
  /// The number of copies of the frame.
  public var frameCount = 1
  /// Complete blocks before and after the frame.
  public var before: [UInt8] = []
  public var behind: [UInt8] = []
  public var hasEnd = true
  /// The bits of an index that the data declare; nil for those of the colors.
  public var minimumBits: Int?
  /// Compressed data in place of the indices'.
  public var codes: [UInt8]?

  /// Creates a frame of random indices that fills the screen.
  public init(width: Int, height: Int, bits: Int = 8, seed: UInt64 = 1) {
    let noise = Pixels.noise(width: width, height: height, channels: 1, seed: seed)
    let indices = noise.samples.map { (sample: UInt8) -> UInt8 in sample >> UInt8(8 - bits) }
    let colors = (0..<(1 << bits)).map { (index: Int) -> [UInt8] in
      [UInt8(index * 7 & 255), UInt8(index * 31 & 255), UInt8(255 - index)]
    }
    self.init(Pixels(width: width, height: height, channels: 1, samples: indices), colors: colors)
  }

  public init(_ frame: Pixels, colors: [[UInt8]]) {
    (width, height, self.frame, self.colors) = (frame.width, frame.height, frame, colors)
  }

  /// The screen in RGBA after the first frame.
  public var pixels: Pixels {
    var result = [UInt8](repeating: 0, count: width * height * 4)
    for row in 0..<frame.height {
      for column in 0..<frame.width {
        let index = Int(frame.samples[row * frame.width + column])
        let place = ((row + y) * width + column + x) * 4
        result.replaceSubrange(place..<place + 4, with: colors[index] + [index == transparentIndex ? 0 : 255])
      }
    }
    return Pixels(width: width, height: height, channels: 4, samples: result)
  }

  // MARK: The file

  public func encoded() -> [UInt8] {
    let bits = colors.count.trailingZeroBitCount
    let table = colors.flatMap { $0 }
    let flags = UInt8(0x80 | bits - 1)
    var file = Array("GIF89a".utf8) + Self.numbers([width, height]) + [flags, 0, 0]
    file += hasLocalColors ? table.map { $0 ^ 0xFF } : table
    file += before
    for _ in 0..<frameCount {
      if let transparentIndex { file += [0x21, 0xF9, 4, 1, 0, 0, UInt8(transparentIndex), 0] }
      file += [0x2C] + Self.numbers([x, y, frame.width, frame.height])
      file += [(hasLocalColors ? flags : 0) | (isInterlaced ? 0x40 : 0)]
      if hasLocalColors { file += table }
      let minimum = minimumBits ?? max(bits, 2)
      file += codes.map { [UInt8(minimum)] + Self.blocks($0) } ?? Self.data(of: storedIndices, bits: minimum)
    }
    return file + behind + (hasEnd ? [0x3B] : [])
  }

  /// The indices in the order of the four passes (GIF89a, appendix E).
  private var storedIndices: [UInt8] {
    guard isInterlaced else { return frame.samples }
    return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { first, distance in
      stride(from: first, to: frame.height, by: distance).flatMap {
        frame.samples[$0 * frame.width..<($0 + 1) * frame.width]
      }
    }
  }

  /// Returns an application extension.
  public static func application(_ name: String, _ data: [UInt8]) -> [UInt8] {
    [0x21, 0xFF, UInt8(name.utf8.count)] + Array(name.utf8) + blocks(data)
  }

  public static func numbers(_ numbers: [Int]) -> [UInt8] {
    numbers.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
  }

  /// Returns codes that clear the table, for indices of 2 to 8 bits, without any pixel.
  public static func clearCodes(bits: Int, bytes count: Int) -> [UInt8] {
    // This many bytes hold whole codes.
    let unit = (0..<(bits + 1)).map { byte in
      (0..<8).reduce(0 as UInt8) { $0 | ((8 * byte + $1) % (bits + 1) == bits ? 1 << UInt8($1) : 0) }
    }
    return (0..<count).map { unit[$0 % unit.count] }
  }

  private static func blocks(_ data: [UInt8]) -> [UInt8] {
    stride(from: 0, to: data.count, by: 255).flatMap { start in
      let end = min(start + 255, data.count)
      return [UInt8(end - start)] + data[start..<end]
    } + [0]
  }

  /// Returns codes of 2-bit indices for `count` pixels of index 0, in as few bytes as possible.
  public static func run(of count: Int) -> [UInt8] {
    let (clear, end) = (4, 5)
    var packed: [UInt8] = []
    var (buffer, filled, width) = (0, 0, 3)
    func put(_ code: Int) {
      buffer |= code << filled
      filled += width
      while filled >= 8 {
        packed.append(UInt8(buffer & 255))
        (buffer, filled) = (buffer >> 8, filled - 8)
      }
    }
    put(clear)
    put(0)
    // Each code has a pixel more than the one before it, until the table is full.
    var (left, next, length) = (count - 1, end + 1, 1)
    while left > length, next < 4_096 {
      put(next)
      (length, next) = (length + 1, next + 1)
      left -= length
      if next == 1 << width, width < 12 { width += 1 }
    }
    for _ in 0..<left / length { put(next - 1) }
    if left % length > 0 { put(left % length == 1 ? 0 : end + left % length - 1) }
    put(end)
    if filled > 0 { packed.append(UInt8(buffer & 255)) }
    return packed
  }

  /// Returns a frame's data: each index has its own code, and the table is cleared before codes grow longer.
  public static func data(of indices: [UInt8], bits: Int) -> [UInt8] {
    var packed: [UInt8] = []
    var (buffer, filled) = (0, 0)
    func put(_ code: Int) {
      buffer |= code << filled
      filled += bits + 1
      while filled >= 8 {
        packed.append(UInt8(buffer & 255))
        (buffer, filled) = (buffer >> 8, filled - 8)
      }
    }
    let clear = 1 << bits
    for (number, index) in indices.enumerated() {
      if number % (clear - 2) == 0 { put(clear) }
      put(Int(index))
    }
    put(clear + 1)
    if filled > 0 { packed.append(UInt8(buffer & 255)) }
    return [UInt8(bits)] + blocks(packed)
  }
}
