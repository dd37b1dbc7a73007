/// Builds TIFF files from their samples without compression or a library, so that the expected pixels are certain.
public struct TIFFBuilder: Sendable {
  public enum Colors: Int, Sendable, CaseIterable {
    case whiteIsZero = 0
    case gray, rgb, palette
    case inks = 5

    public var count: Int { self == .rgb ? 3 : self == .inks ? 4 : 1 }
    public var depths: [Int] { self == .palette ? [1, 2, 4, 8] : [1, 2, 4, 6, 8, 10, 12, 14, 15, 16] }
  }

  public enum Alpha: Int, Sendable {
    case none = 0
    case associated, unassociated
  }

  /// An entry of the directory: numbers of type 3, 4 or 16, or bytes.
  public struct Entry: Sendable {
    public var type: Int
    public var count: Int
    public var bytes: [UInt8]
  }

  public var (width, height): (Int, Int)
  public var colors: Colors
  public var bits: Int
  public var alpha: Alpha
  public var isPlanar = false
  public var tile: (width: Int, height: Int)?
  public var rowsPerStrip = 7
  public var isBigEndian = false
  public var isBig = false
  /// Raw samples, those of a pixel together.
  public var samples: [Int]
  /// The bytes of every strip or tile instead of the samples, and their compression.
  public var stream: (bytes: [UInt8], compression: Int)?
  /// Entries that add to or replace the image's; nil removes one.
  public var changes: [Int: Entry?] = [:]
  /// Directories, each referenced by an entry of 4 or 8 bytes.
  public var inner: [Int: [Int: Entry]] = [:]

  /// Creates random samples.
  public init(width: Int, height: Int, colors: Colors = .rgb, bits: Int = 8, alpha: Alpha = .none, seed: UInt64 = 1) {
    (self.width, self.height, self.colors, self.bits, self.alpha) = (width, height, colors, bits, alpha)
    let channels = colors.count + (alpha == .none ? 0 : 1)
    let noise = Pixels.noise(width: width, height: height, channels: 2 * channels, seed: seed).samples
    samples = (0..<width * height * channels).map { (place: Int) -> Int in
      let sample = Int(noise[2 * place]) << 8 | Int(noise[2 * place + 1])
      return sample >> (16 - bits)
    }
    if alpha == .associated {
      // Colors are at most their alpha.
      for pixel in stride(from: 0, to: samples.count, by: channels) {
        for channel in 0..<channels - 1 {
          samples[pixel + channel] = min(samples[pixel + channel], samples[pixel + channels - 1])
        }
      }
    }
  }

  /// Creates a file of 8-bit samples of 1, 3 or 4 channels.
  public init(_ pixels: Pixels) {
    self.init(
      width: 1, height: 1, colors: pixels.channels == 1 ? .gray : .rgb,
      alpha: pixels.channels == 4 ? .unassociated : .none)
    (width, height, samples) = (pixels.width, pixels.height, pixels.samples.map(Int.init))
  }

  /// Creates a file whose strips, as high as the image unless changed, or tiles are all the same bytes.
  public init(
    width: Int, height: Int, colors: Colors, isPlanar: Bool = false, stream: [UInt8], compression: Int
  ) {
    self.init(width: 1, height: 1, colors: colors)
    (self.width, self.height, rowsPerStrip) = (width, height, height)
    self.isPlanar = isPlanar
    self.stream = (bytes: stream, compression: compression)
  }

  private var channels: Int { colors.count + (alpha == .none ? 0 : 1) }

  private func paletteColor(_ index: Int) -> [UInt8] {
    [UInt8(index * 7 & 255), UInt8(index * 31 & 255), UInt8(255 - index)]
  }

  /// All reds, all greens, all blues.
  private var paletteLevels: [Int] {
    (0..<3).flatMap { (channel: Int) -> [Int] in
      (0..<(1 << bits)).map { (index: Int) -> Int in Int(paletteColor(index)[channel]) * 257 }
    }
  }

  // MARK: Expected pixels

  /// The image in 8-bit RGBA.
  public var pixels: Pixels {
    let largest = 1 << bits - 1
    var result: [UInt8] = []
    result.reserveCapacity(width * height * 4)
    for start in stride(from: 0, to: samples.count, by: channels) {
      let raw = samples[start..<start + channels]
      let levels = raw.map { (sample: Int) -> UInt8 in
        let scaled: Int = sample * 255 + largest / 2
        return UInt8(scaled / largest)
      }
      var color: [UInt8] =
        switch colors {
        case .whiteIsZero: [UInt8](repeating: 255 - levels[0], count: 3)
        case .gray: [UInt8](repeating: levels[0], count: 3)
        case .rgb: Array(levels[..<3])
        case .palette: paletteColor(samples[start])
        case .inks: (0..<3).map { Self.multiplied(255 - levels[$0], 255 - levels[3]) }
        }
      let opacity = alpha == .none ? 255 : Int(levels[channels - 1])
      if alpha == .associated {
        color = color.map { (level: UInt8) -> UInt8 in
          let scaled: Int = Int(level) * 255 + opacity / 2
          return opacity == 0 ? 0 : UInt8(min(255, scaled / opacity))
        }
      }
      result += color + [UInt8(opacity)]
    }
    return Pixels(width: width, height: height, channels: 4, samples: result)
  }

  private static func multiplied(_ a: UInt8, _ b: UInt8) -> UInt8 {
    let product: Int = Int(a) * Int(b) + 127
    return UInt8(product / 255)
  }

  // MARK: The file

  public func encoded() -> [UInt8] {
    var file = Array((isBigEndian ? "MM" : "II").utf8)
    file += isBig ? written([43, 8, 0], 2) : written([42], 2)
    let link = file.count
    file += [UInt8](repeating: 0, count: isBig ? 8 : 4)
    var (offsets, counts): ([Int], [Int]) = ([], [])
    for part in parts() {
      offsets.append(file.count)
      counts.append(part.count)
      file += part
    }
    var entries: [Int: Entry] = [
      256: longs([width]), 257: longs([height]), 258: shorts([Int](repeating: bits, count: channels)), 259: shorts([1]),
      262: shorts([colors.rawValue]), 277: shorts([channels]), 284: shorts([isPlanar ? 2 : 1]),
    ]
    if let tile {
      entries[322] = longs([tile.width])
      entries[323] = longs([tile.height])
      entries[324] = longs(offsets)
      entries[325] = longs(counts)
    } else {
      entries[273] = longs(offsets)
      entries[278] = longs([rowsPerStrip])
      entries[279] = longs(counts)
    }
    if let stream { entries[259] = shorts([stream.compression]) }
    if alpha != .none { entries[338] = shorts([alpha.rawValue]) }
    if colors == .palette {
      entries[320] = shorts(paletteLevels)
    }
    for (tag, inner) in inner {
      entries[tag] = longs([file.count])
      file += directory(inner, at: file.count)
    }
    for (tag, change) in changes { entries[tag] = change }
    file.replaceSubrange(link..<link + (isBig ? 8 : 4), with: written([file.count], isBig ? 8 : 4))
    return file + directory(entries, at: file.count)
  }

  public func shorts(_ numbers: [Int]) -> Entry { Entry(type: 3, count: numbers.count, bytes: written(numbers, 2)) }
  public func longs(_ numbers: [Int]) -> Entry { Entry(type: 4, count: numbers.count, bytes: written(numbers, 4)) }
  public func bigs(_ numbers: [Int]) -> Entry { Entry(type: 16, count: numbers.count, bytes: written(numbers, 8)) }
  public func rational(_ dividend: Int, _ divisor: Int) -> Entry {
    Entry(type: 5, count: 1, bytes: written([dividend, divisor], 4))
  }
  public func bytes(_ bytes: [UInt8], type: Int = 7) -> Entry { Entry(type: type, count: bytes.count, bytes: bytes) }

  public func directory(_ entries: [Int: Entry], at offset: Int) -> [UInt8] {
    let (wide, inline) = isBig ? (8, 8) : (4, 4)
    var bytes = written([entries.count], isBig ? 8 : 2)
    var outside: [UInt8] = []
    let end = offset + bytes.count + entries.count * (4 + 2 * wide) + wide
    for (tag, entry) in entries.sorted(by: { $0.key < $1.key }) {
      bytes += written([tag, entry.type], 2) + written([entry.count], wide)
      if entry.bytes.count <= inline {
        bytes += entry.bytes + [UInt8](repeating: 0, count: inline - entry.bytes.count)
      } else {
        bytes += written([end + outside.count], wide)
        outside += entry.bytes
      }
    }
    return bytes + [UInt8](repeating: 0, count: wide) + outside
  }

  private func written(_ numbers: [Int], _ bytes: Int) -> [UInt8] {
    numbers.flatMap { (number: Int) -> [UInt8] in
      let little = (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      return isBigEndian ? little.reversed() : little
    }
  }

  /// Returns the strips or tiles, plane by plane.
  private func parts() -> [[UInt8]] {
    let planes = isPlanar ? (0..<channels).map { [$0] } : [Array(0..<channels)]
    if let stream {
      let across = tile.map { (width + $0.width - 1) / $0.width } ?? 1
      let rows = tile?.height ?? rowsPerStrip
      return [[UInt8]](repeating: stream.bytes, count: planes.count * across * ((height + rows - 1) / rows))
    }
    return planes.flatMap { (channels: [Int]) -> [[UInt8]] in
      guard let tile else {
        return stride(from: 0, to: height, by: rowsPerStrip).map { top in
          (top..<min(top + rowsPerStrip, height)).flatMap { row(Int($0), 0..<width, channels) }
        }
      }
      return stride(from: 0, to: height, by: tile.height).flatMap { top in
        stride(from: 0, to: width, by: tile.width).map { left in
          (top..<top + tile.height).flatMap { row(Int($0), left..<left + tile.width, channels) }
        }
      }
    }
  }

  /// Returns the packed samples of a row, with zeros outside of the image.
  private func row(_ row: Int, _ columns: Range<Int>, _ channels: [Int]) -> [UInt8] {
    var packed: [UInt8] = []
    var (buffer, filled) = (0, 0)
    for column in columns {
      for channel in channels {
        let isInside = row < height && column < width
        let sample = isInside ? samples[(row * width + column) * self.channels + channel] : 0
        if bits == 16 {
          packed += written([sample], 2)
          continue
        }
        (buffer, filled) = (buffer << bits | sample, filled + bits)
        while filled >= 8 {
          filled -= 8
          packed.append(UInt8(buffer >> filled))
          buffer &= 1 << filled - 1
        }
      }
    }
    if filled > 0 { packed.append(UInt8(buffer << (8 - filled))) }
    return packed
  }
}

extension TIFFBuilder {
  /// Returns a file of gray pages with 8 × 8 pixels of one level, and their NewSubfileType.
  public static func pages(_ pages: [(level: UInt8, kind: Int?)]) -> [UInt8] {
    let tiff = TIFFBuilder(width: 8, height: 8, colors: .gray)
    var file: [UInt8] = Array("II".utf8) + [42, 0, 0, 0, 0, 0]
    var link = 4
    for page in pages {
      let strip = file.count
      file += [UInt8](repeating: page.level, count: 64)
      var entries = [
        256: tiff.longs([8]), 257: tiff.longs([8]), 258: tiff.shorts([8]), 259: tiff.shorts([1]), 262: tiff.shorts([1]),
        273: tiff.longs([strip]), 277: tiff.shorts([1]), 278: tiff.longs([8]), 279: tiff.longs([64]),
      ]
      entries[254] = page.kind.map { tiff.longs([$0]) }
      file.replaceSubrange(link..<link + 4, with: UInt32(file.count).littleEndianBytes)
      link = file.count + 2 + 12 * entries.count
      file += tiff.directory(entries, at: file.count)
    }
    return file
  }
}
