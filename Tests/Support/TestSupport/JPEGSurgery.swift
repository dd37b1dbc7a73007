/// Changes to the bytes of a finished JPEG that no encoder makes.
public enum JPEGSurgery {
  /// A marker before the entropy-coded data.
  public struct Marker: Equatable, Sendable {
    /// The byte after 0xFF.
    public let code: UInt8
    /// The offset of its 0xFF.
    public let offset: Int
    /// The bytes of the whole segment: marker, length and payload.
    public let size: Int

    public var payload: Range<Int> { min(offset + 4, end)..<end }
    public var end: Int { offset + size }
    /// Whether it is SOF0...SOF15, without DHT, JPG and DAC in between.
    public var isFrame: Bool { (0xC0...0xCF).contains(code) && ![0xC4, 0xC8, 0xCC].contains(code) }
  }

  /// Returns the markers from SOI to the first SOS, both included; fewer before a truncation or garbage.
  public static func markers(in jpeg: [UInt8]) -> [Marker] {
    guard jpeg.starts(with: [0xFF, 0xD8]) else { return [] }
    var markers = [Marker(code: 0xD8, offset: 0, size: 2)]
    var offset = 2
    while offset + 4 <= jpeg.count, jpeg[offset] == 0xFF {
      // Fill bytes may precede a marker.
      if jpeg[offset + 1] == 0xFF {
        offset += 1
        continue
      }
      let size = 2 + Int(jpeg[offset + 2]) << 8 + Int(jpeg[offset + 3])
      guard size >= 4, offset + size <= jpeg.count else { break }
      markers.append(Marker(code: jpeg[offset + 1], offset: offset, size: size))
      if jpeg[offset + 1] == 0xDA { break }
      offset += size
    }
    return markers
  }

  /// Returns the offset of the first scan's entropy-coded data.
  public static func entropyOffset(in jpeg: [UInt8]) -> Int? {
    markers(in: jpeg).last { $0.code == 0xDA }?.end
  }

  /// Inserts segments directly after SOI.
  public static func inserting(_ segments: [MarkerSegment], into jpeg: [UInt8]) -> [UInt8] {
    Array(jpeg.prefix(2)) + segments.flatMap(\.encoded) + jpeg.dropFirst(2)
  }

  /// Removes the segments with a code before the first scan.
  public static func removing(code: UInt8, from jpeg: [UInt8]) -> [UInt8] {
    var result = jpeg
    for marker in markers(in: jpeg).reversed() where marker.code == code {
      result.removeSubrange(marker.offset..<marker.end)
    }
    return result
  }

  /// Returns segments of tables, each with `text` of 64 bytes as its values. They come before a file's own tables, which
  /// replace some. The others are used by no component.
  public static func tables(holding text: [UInt8]) -> [MarkerSegment] {
    precondition(text.count == 64, "one value for each coefficient")
    let numbers: [UInt8] = [0, 1, 2, 3]
    let quantization = numbers.flatMap { [$0] + text }
    // 64 codes of 8 bits.
    let lengths = [UInt8](repeating: 0, count: 7) + [64] + [UInt8](repeating: 0, count: 8)
    let huffman = numbers.flatMap { (number: UInt8) -> [UInt8] in
      [number] + lengths + text + [0x10 | number] + lengths + text
    }
    return [
      MarkerSegment(code: 0xDB, bytes: quantization + quantization), MarkerSegment(code: 0xDB, bytes: quantization),
      MarkerSegment(code: 0xC4, bytes: huffman + huffman), MarkerSegment(code: 0xC4, bytes: huffman),
    ]
  }

  /// Removes an EOI at the end.
  public static func removingEOI(_ jpeg: [UInt8]) -> [UInt8] {
    jpeg.suffix(2) == [0xFF, 0xD9] ? Array(jpeg.dropLast(2)) : jpeg
  }

  public static func appending(trailer: [UInt8], to jpeg: [UInt8]) -> [UInt8] {
    jpeg + trailer
  }

  /// Flips the bits of one byte that are set in `mask`.
  public static func flippingByte(at offset: Int, mask: UInt8 = 0xFF, in jpeg: [UInt8]) -> [UInt8] {
    var result = jpeg
    result[offset] ^= mask
    return result
  }

  /// Writes other numbers into the frame header; `type` is its marker's second byte, 0xC0...0xCF.
  public static func patchingFrame(
    of jpeg: [UInt8], type: UInt8? = nil, precision: UInt8? = nil, width: UInt16? = nil, height: UInt16? = nil
  ) throws -> [UInt8] {
    guard let frame = markers(in: jpeg).first(where: \.isFrame), frame.payload.count >= 6 else {
      throw FixtureError("no frame header")
    }
    var result = jpeg
    let start = frame.payload.lowerBound
    if let type { result[frame.offset + 1] = type }
    if let precision { result[start] = precision }
    if let height { result.replaceSubrange(start + 1..<start + 3, with: height.bigEndianBytes) }
    if let width { result.replaceSubrange(start + 3..<start + 5, with: width.bigEndianBytes) }
    return result
  }
}
