internal import FoundationEssentials

/// The file format of a response: "FCPICTUR", the length of the header, the header as JSON, the color profile, the
/// pixels, and the SHA-256 of everything before it.
enum StoredResponse {
  /// The version. Raise it with every change of the format or of any response.
  static let version = "4"

  private static let magic = Array("FCPICTUR".utf8)
  private static let lengthBytes = 4
  private static let hashBytes = 32

  private struct Header: Codable {
    var size: PixelSize
    var channels: Int
    var profileBytes: Int?
    var region: NormalizedRect
    var sourceSize: PixelSize
    var rotation: QuarterTurn
    var format: String
    var faces: [Face]
    var warnings: [CropWarning]
  }

  /// Returns the bytes of a file; nil for a degraded response, which may improve later.
  static func bytes(of response: ImageResponse) -> [UInt8]? {
    guard !response.isDegraded else { return nil }
    let pixels = response.image.buffer()
    let header = Header(
      size: pixels.size, channels: pixels.format.channels, profileBytes: response.colorProfile?.count,
      region: response.region, sourceSize: response.sourceSize, rotation: response.rotation,
      format: response.format.rawValue, faces: response.faces, warnings: response.warnings)
    let encoder = JSONEncoder()
    // Equal responses give equal files.
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(header) else { return nil }
    var bytes = magic
    bytes.reserveCapacity(magic.count + lengthBytes + json.count + response.byteCount + hashBytes)
    for place in 0..<lengthBytes { bytes.append(UInt8(truncatingIfNeeded: json.count >> (8 * place))) }
    bytes += json
    bytes += response.colorProfile ?? []
    bytes += pixels.bytes
    return bytes + ContentHash(of: bytes).bytes
  }

  /// Reads a file; nil if it is damaged.
  static func read(_ bytes: [UInt8]) -> ImageResponse? {
    let start = magic.count + lengthBytes
    guard bytes.count >= start + hashBytes, bytes.starts(with: magic) else { return nil }
    let content = bytes.span.extracting(..<(bytes.count - hashBytes))
    guard ContentHash(of: content).bytes == Array(bytes.suffix(hashBytes)) else { return nil }
    let length = (0..<lengthBytes).reduce(0) { $0 | Int(bytes[magic.count + $1]) << (8 * $1) }
    guard start + length <= content.count,
      let header = try? JSONDecoder().decode(Header.self, from: Data(bytes[start..<start + length])),
      let pixelFormat = [1: PixelBuffer.Format.gray, 3: .rgb, 4: .rgba][header.channels],
      let format = ImageFormat(rawValue: header.format), header.profileBytes ?? 0 >= 0
    else { return nil }
    let pixelStart = start + length + (header.profileBytes ?? 0)
    let pixels = bytes[..<content.count].dropFirst(pixelStart)
    guard header.size.width > 0, header.size.height > 0, header.size.bytes(channels: header.channels) == pixels.count
    else { return nil }
    return ImageResponse(
      image: PixelView(PixelBuffer(size: header.size, format: pixelFormat, bytes: Array(pixels))), isDegraded: false,
      region: header.region, sourceSize: header.sourceSize, rotation: header.rotation, format: format,
      faces: header.faces,
      colorProfile: header.profileBytes.map { Array(bytes[(start + length)..<(start + length + $0)]) },
      warnings: header.warnings)
  }
}
