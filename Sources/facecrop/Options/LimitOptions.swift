import ArgumentParser
import FaceCrop

/// The limits for each image, for all commands.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Refuse images with more pixels; above the default, raise the memory limits, too. (example: 160MP; default: 100MP)",
      valueName: "n"))
  var maxPixels: PixelCount?

  @Option(help: ArgumentHelp("Refuse larger files. (example: 64MiB; default: 256MiB)", valueName: "n"))
  var maxFileSize: ByteCount?

  @Option(help: ArgumentHelp("Refuse images with a longer side. (default: 30000)", valueName: "n"))
  var maxSide: SideLength?

  @Option(help: ArgumentHelp("Give up an image after this many seconds. (default: 30)", valueName: "s"))
  var timeout: Double?

  func validate() throws {
    if let timeout, !(timeout >= 0.001 && timeout <= 1e9) {
      throw ValidationError("--timeout \(timeout) is out of range (use 0.001 to 1000000000 seconds)")
    }
  }

  /// The memory per pixel above the default number of pixels, in bytes.
  private static let decodingBytes = 4
  /// The same for encoding. AVIF with full color and transparency takes 54, so this leaves some to spare.
  private static let codingBytes = 56

  /// Returns the bytes for a number of pixels, with an upper bound that no memory reaches.
  private static func bytes(_ pixels: Int, _ each: Int) -> Int { Int(min(Double(pixels) * Double(each), 0x1p62)) }

  /// The pixels of all frames of an animation for each pixel of an image.
  private static let animationFactor = 10

  /// Returns the value of `--max-pixels`, in millions, that admits a number of pixels of all frames.
  static func megapixels(forAnimation pixels: Int) -> Int { megapixels(pixels, animationFactor) }

  /// Returns the value of `--max-pixels`, in millions, that admits a number of bytes in a decoder's memory.
  static func megapixels(forBytes bytes: Int) -> Int { megapixels(bytes, decodingBytes) }

  /// Returns the same for an encoder's memory.
  static func megapixels(forEncoding bytes: Int) -> Int { megapixels(bytes, codingBytes) }

  private static func megapixels(_ bytes: Int, _ each: Int) -> Int {
    // Only a value above the default raises the limits for memory.
    max(bytes.dividedUp(by: each * 1_000_000), Limits().pixels / 1_000_000 + 1)
  }

  var limits: Limits {
    var limits = Limits()
    if let maxPixels {
      // A higher pixel limit also raises the memory limits, because the user has enough memory.
      let isMore = maxPixels.value > limits.pixels
      limits.pixels = maxPixels.value
      let bytes = isMore ? Self.bytes(maxPixels.value, Self.decodingBytes) : 0
      if isMore {
        limits.animationPixels = max(
          limits.animationPixels, Self.bytes(maxPixels.value, Self.animationFactor))
        limits.encodingBytes = max(limits.encodingBytes, Self.bytes(maxPixels.value, Self.codingBytes))
      }
      for limit in [\Limits.coefficientBytes, \.regionBytes, \.imageBytes, \.heifBytes] {
        limits[keyPath: limit] = max(limits[keyPath: limit], bytes)
      }
    }
    if let maxSide { limits.side = maxSide.value }
    if let timeout { limits.time = .seconds(timeout) }
    if let maxFileSize { limits.fileBytes = maxFileSize.value }
    return limits
  }
}
