/// Builds PNG files of every kind from their samples without a library, so that the expected pixels are certain.
public struct PNGBuilder: Sendable {
  /// The color type in the file's header.
  public enum Color: UInt8, Sendable, CaseIterable {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6

    public var channels: Int {
      switch self {
      case .gray, .palette: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgba: 4
      }
    }

    public var depths: [Int] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      default: [8, 16]
      }
    }
  }

  public var width: Int
  public var height: Int
  public var color: Color
  public var depth: Int
  public var isInterlaced = false
  /// A transparent color, or, for a palette, transparent entries.
  public var isTransparent = false
  /// Raw samples of the file's depth.
  public var samples: [Int]
  /// Chunks before and after the pixels.
  public var before: [(name: String, data: [UInt8])] = []
  public var behind: [(name: String, data: [UInt8])] = []
  /// Bytes of pixels in one chunk.
  public var chunkSize = 8_192

  /// Creates random samples; one pixel in four has the transparent color.
  public init(width: Int, height: Int, color: Color = .rgb, depth: Int = 8, seed: UInt64 = 1) {
    self.width = width
    self.height = height
    self.color = color
    self.depth = depth
    let noise = Pixels.noise(width: width, height: height, channels: color.channels * 2, seed: seed).samples
    samples = (0..<width * height * color.channels).map { (place: Int) -> Int in
      let sample = Int(noise[2 * place]) << 8 | Int(noise[2 * place + 1])
      return sample >> (16 - depth)
    }
    for pixel in stride(from: 0, to: width * height, by: 4) {
      for channel in 0..<color.channels { samples[pixel * color.channels + channel] = key[channel] }
    }
  }

  /// Creates a file of 8-bit samples of 1, 3 or 4 channels.
  public init(_ pixels: Pixels) {
    width = pixels.width
    height = pixels.height
    color = pixels.channels == 1 ? .gray : pixels.channels == 3 ? .rgb : .rgba
    depth = 8
    samples = pixels.samples.map(Int.init)
  }

  /// The transparent color.
  private var key: [Int] { [1, 2, 0, 1].map { $0 & (1 << depth - 1) } }
  private var palette: [[UInt8]] {
    (0..<1 << depth).map { (entry: Int) -> [UInt8] in
      [UInt8(entry * 7 & 255), UInt8(entry * 31 & 255), UInt8(255 - entry)]
    }
  }
  /// The alphas of the palette's first entries.
  private let paletteAlphas: [UInt8] = [0, 128]

  // MARK: Expected pixels

  /// The image in 8-bit RGBA.
  public var pixels: Pixels {
    let largest = 1 << depth - 1
    func eight(_ value: Int) -> UInt8 {
      let scaled: Int = value * 255 + largest / 2
      return UInt8(scaled / largest)
    }
    var result: [UInt8] = []
    result.reserveCapacity(width * height * 4)
    for pixel in 0..<width * height {
      let raw = Array(samples[pixel * color.channels..<(pixel + 1) * color.channels])
      let isKey = isTransparent && raw == Array(key[..<color.channels])
      switch color {
      case .gray: result += [eight(raw[0]), eight(raw[0]), eight(raw[0]), isKey ? 0 : 255]
      case .grayAlpha: result += [eight(raw[0]), eight(raw[0]), eight(raw[0]), eight(raw[1])]
      case .rgb: result += raw.map(eight) + [isKey ? 0 : 255]
      case .rgba: result += raw.map(eight)
      case .palette:
        let alpha = isTransparent && raw[0] < paletteAlphas.count ? paletteAlphas[raw[0]] : 255
        result += palette[raw[0]] + [alpha]
      }
    }
    return Pixels(width: width, height: height, channels: 4, samples: result)
  }

  // MARK: The file

  public static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  public func encoded() -> [UInt8] {
    var file = Self.signature
    var header: [UInt8] = UInt32(width).bigEndianBytes
    header += UInt32(height).bigEndianBytes
    header += [UInt8(depth), color.rawValue, 0, 0, isInterlaced ? 1 : 0]
    file += Self.chunk("IHDR", header)
    for chunk in before { file += Self.chunk(chunk.name, chunk.data) }
    if color == .palette { file += Self.chunk("PLTE", palette.flatMap { $0 }) }
    if isTransparent {
      let data = key.prefix(color.channels).flatMap { UInt16($0).bigEndianBytes }
      file += Self.chunk("tRNS", color == .palette ? paletteAlphas : data)
    }
    let data = Self.zlib(isInterlaced ? interlacedRows : rows(0, 0, 1, 1))
    for start in stride(from: 0, to: data.count, by: chunkSize) {
      file += Self.chunk("IDAT", Array(data[start..<min(start + chunkSize, data.count)]))
    }
    for chunk in behind { file += Self.chunk(chunk.name, chunk.data) }
    return file + Self.chunk("IEND", [])
  }

  /// Adam7's passes (PNG specification, 8.2).
  private var interlacedRows: [UInt8] {
    [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
      .flatMap { rows($0.0, $0.1, $0.2, $0.3) }
  }

  /// Returns unfiltered rows of every `stepX`-th pixel of every `stepY`-th row.
  private func rows(_ left: Int, _ top: Int, _ stepX: Int, _ stepY: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    guard left < width else { return bytes }
    for y in stride(from: top, to: height, by: stepY) {
      bytes.append(0)
      var (bits, count) = (0, 0)
      for x in stride(from: left, to: width, by: stepX) {
        for channel in 0..<color.channels {
          bits = bits << depth | samples[(y * width + x) * color.channels + channel]
          count += depth
          while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bits >> (count - 8)))
            count -= 8
          }
          bits &= 0xFF_FFFF
        }
      }
      if count > 0 { bytes.append(UInt8(truncatingIfNeeded: bits << (8 - count))) }
    }
    return bytes
  }

  /// Returns a profile's chunk.
  public static func profile(_ profile: [UInt8]) -> (name: String, data: [UInt8]) {
    ("iCCP", Array("Fixture\0\0".utf8) + zlib(profile))
  }

  /// Returns a profile's chunk, compressed so that repetition takes no room.
  public static func packedProfile(_ profile: [UInt8]) throws -> (name: String, data: [UInt8]) {
    ("iCCP", Array("Fixture\0\0".utf8) + (try compressed(profile)))
  }

  /// Returns a chunk of EXIF data, with JPEG's prefix from ``EXIFBuilder``.
  public static func exif(_ tiff: [UInt8]) -> (name: String, data: [UInt8]) {
    ("eXIf", tiff)
  }

  public static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    return UInt32(data.count).bigEndianBytes + body + checksum(body).bigEndianBytes
  }

  /// Returns a file with the checksum of every complete chunk corrected.
  public static func withRightChecksums(_ file: [UInt8]) -> [UInt8] {
    var result = file
    var start = 8
    while start + 12 <= file.count, file.starts(with: signature) {
      let length = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = start + 8 + length
      guard end + 4 <= file.count else { break }
      result.replaceSubrange(end..<end + 4, with: checksum(file[(start + 4)..<end]).bigEndianBytes)
      start = end + 4
    }
    return result
  }

  /// Stores bytes without compression (RFC 1950, 1951).
  private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let count = min(bytes.count - start, 65_535)
      result.append(start + count == bytes.count ? 1 : 0)
      result += UInt16(count).littleEndianBytes + (~UInt16(count)).littleEndianBytes
      result += bytes[start..<start + count]
      start += count
    } while start < bytes.count
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return result + (high << 16 | low).bigEndianBytes
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }

  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
  }
}
