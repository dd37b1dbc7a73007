import ArgumentParser
import FaceCrop

/// The limits for each image, for all commands.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Refuse images with more pixels. (example: 40MP; default: 100MP)", valueName: "n"))
  var maxPixels: Quantity?

  @Option(help: ArgumentHelp("Refuse larger files. (example: 64MiB; default: 256MiB)", valueName: "n"))
  var maxFileSize: Quantity?

  @Option(help: ArgumentHelp("Refuse images with a longer side. (default: 30000)", valueName: "n"))
  var maxSide: Quantity?

  @Option(help: ArgumentHelp("Give up an image after this many seconds. (default: 30)", valueName: "s"))
  var timeout: Double?

  func validate() throws {
    if let timeout, !(timeout >= 0.001 && timeout <= 1e9) {
      throw ValidationError("--timeout \(timeout) is out of range (use 0.001 to 1000000000 seconds)")
    }
  }

  /// Returns the bytes for encoding this many pixels. AVIF with full color and transparency takes 54 for each, so this
  /// leaves some to spare.
  private static func encoding(_ pixels: Int) -> Int { Int(min(Double(pixels) * 56, 0x1p62)) }

  var limits: Limits {
    var limits = Limits()
    if let maxPixels {
      // A higher pixel limit also raises the memory limits, because the user has enough memory.
      let isMore = maxPixels.value > limits.pixels
      limits.pixels = maxPixels.value
      let bytes = isMore ? Int(min(Double(maxPixels.value) * 4, 0x1p62)) : 0
      if isMore { limits.encodingBytes = max(limits.encodingBytes, Self.encoding(maxPixels.value)) }
      for limit in [\Limits.coefficientBytes, \.regionBytes, \.pictureBytes, \.heifBytes] {
        limits[keyPath: limit] = max(limits[keyPath: limit], bytes)
      }
    }
    if let maxSide { limits.side = maxSide.value }
    if let timeout { limits.time = .seconds(timeout) }
    if let maxFileSize { limits.fileBytes = maxFileSize.value }
    return limits
  }
}
