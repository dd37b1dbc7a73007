import ArgumentParser
import FaceCrop

/// The limits for each image, for all commands.
struct LimitOptions: ParsableArguments {
  // `info`, which reads no pixels, has no such option.
  @Flag(.of("allow-truncated")) var allowTruncated = false
  @Option(.of("max-pixels"), parse: Quantity.pixels.positive) var maxPixels: Int?
  @Option(.of("max-file-size"), parse: Quantity.bytes.positive) var maxFileSize: Int?
  @Option(.of("max-side"), parse: Quantity.others.positive) var maxSide: Int?
  @Option(.of("timeout")) var timeout: Double?

  var limits: Limits {
    var limits = Limits()
    if let maxPixels {
      // A higher pixel limit also raises the memory limits, because the user has enough memory.
      if maxPixels > limits.pixels {
        limits.animationPixels = max(limits.animationPixels, Limits.bytes(maxPixels, Limits.animationFactor))
        limits.encodingBytes = max(limits.encodingBytes, Limits.bytes(maxPixels, Limits.codingBytes))
        let bytes = Limits.bytes(maxPixels, Limits.decodingBytes)
        for limit in [\Limits.coefficientBytes, \.regionBytes, \.imageBytes, \.heifBytes] {
          limits[keyPath: limit] = max(limits[keyPath: limit], bytes)
        }
      }
      limits.pixels = maxPixels
    }
    if let maxSide { limits.side = maxSide }
    if let timeout { limits.time = .seconds(timeout) }
    if let maxFileSize { limits.fileBytes = maxFileSize }
    return limits
  }
}
