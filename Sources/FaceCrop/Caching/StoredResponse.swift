/// A response as the file of a cache: its color profile, and its pixels.
enum StoredResponse {
  /// The version. Raise it with every change of the format or of any response.
  static let version = "5"

  private struct Facts: Codable {
    var size: PixelSize
    var channels: Int
    var profileBytes: Int?
    var plan: CropPlan
    var format: String
    var warnings: [CropWarning]
  }

  /// Returns the bytes of a file; nil for a degraded response, which may improve later.
  static func bytes(of response: ImageResponse) -> [UInt8]? {
    guard !response.isDegraded else { return nil }
    let pixels = response.image.buffer()
    let facts = Facts(
      size: pixels.size, channels: pixels.format.channels, profileBytes: response.colorProfile?.count,
      plan: response.plan, format: response.format.rawValue, warnings: response.warnings)
    return StoredFile(facts, (response.colorProfile ?? []) + pixels.bytes).file
  }

  /// Reads a file; nil if it is damaged.
  static func read(_ bytes: [UInt8]) -> ImageResponse? {
    guard let stored = StoredFile<Facts>(file: bytes),
      let pixelFormat = [1: PixelBuffer.Format.gray, 3: .rgb, 4: .rgba][stored.facts.channels],
      let format = ImageFormat(rawValue: stored.facts.format), stored.facts.profileBytes ?? 0 >= 0
    else { return nil }
    let facts = stored.facts
    let pixels = stored.bytes.dropFirst(facts.profileBytes ?? 0)
    guard facts.size.width > 0, facts.size.height > 0, facts.size.bytes(channels: facts.channels) == pixels.count else {
      return nil
    }
    return ImageResponse(
      image: PixelView(PixelBuffer(size: facts.size, format: pixelFormat, bytes: Array(pixels))), isDegraded: false,
      plan: facts.plan, format: format, colorProfile: facts.profileBytes.map { Array(stored.bytes.prefix($0)) },
      warnings: facts.warnings)
  }
}
