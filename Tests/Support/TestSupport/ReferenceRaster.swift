import CRasterFixtures

/// A PNG file's picture in RGBA, as libpng's simplest call gives it.
public func referenceDecodePNG(_ png: [UInt8]) throws -> Pixels {
  try unsafe decode { picture in unsafe fr_decode_png(png, png.count, &picture) }
}

/// A WebP file's picture in RGBA, as libwebp's simplest call gives it.
public func referenceDecodeWebP(_ webP: [UInt8]) throws -> Pixels {
  try unsafe decode { picture in unsafe fr_decode_webp(webP, webP.count, &picture) }
}

/// A WebP file of RGBA pixels.
///
/// - Parameter quality: nil is lossless.
public func encodeWebP(_ pixels: Pixels, quality: Float?) throws -> [UInt8] {
  precondition(pixels.channels == 4, "RGBA")
  var count = 0
  let bytes = unsafe fr_encode_webp(pixels.samples, pixels.width, pixels.height, quality ?? -1, &count)
  guard let bytes = unsafe bytes else { throw FixtureError("no WebP file") }
  defer { unsafe fr_free(bytes) }
  return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// A PNG file by libpng, for pictures that are too large for ``PNGBuilder``.
public func encodePNG(_ pixels: Pixels, isInterlaced: Bool = false) throws -> [UInt8] {
  var count = 0
  let bytes = unsafe fr_encode_png(
    pixels.samples, pixels.width, pixels.height, Int32(pixels.channels), isInterlaced ? 1 : 0, &count)
  guard let bytes = unsafe bytes else { throw FixtureError("no PNG file") }
  defer { unsafe fr_free(bytes) }
  return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}

private func decode(_ call: (inout fr_picture) -> Int32) throws -> Pixels {
  var picture = unsafe fr_picture()
  guard unsafe call(&picture) == 1 else { throw FixtureError("a file that cannot be read") }
  defer { unsafe fr_free(picture.pixels) }
  let (width, height) = unsafe (Int(picture.width), Int(picture.height))
  let samples = unsafe Array(UnsafeBufferPointer(start: picture.pixels, count: width * height * 4))
  return Pixels(width: width, height: height, channels: 4, samples: samples)
}

extension Pixels {
  /// In four channels, opaque if it has no alpha; gray is repeated.
  public var rgba: Pixels {
    if channels == 4 { return self }
    var result: [UInt8] = []
    result.reserveCapacity(width * height * 4)
    for start in stride(from: 0, to: samples.count, by: channels) {
      for channel in 0..<3 { result.append(samples[start + (channels == 1 ? 0 : channel)]) }
      result.append(255)
    }
    return Pixels(width: width, height: height, channels: 4, samples: result)
  }

  /// RGBA in front of a color, in RGB.
  public func flattened(on background: [UInt8] = [255, 255, 255]) -> Pixels {
    precondition(channels == 4, "RGBA")
    var result: [UInt8] = []
    result.reserveCapacity(width * height * 3)
    for start in stride(from: 0, to: samples.count, by: 4) {
      let alpha = Double(samples[start + 3]) / 255
      for channel in 0..<3 {
        let value = Double(samples[start + channel]) * alpha + Double(background[channel]) * (1 - alpha)
        result.append(UInt8(value.rounded()))
      }
    }
    return Pixels(width: width, height: height, channels: 3, samples: result)
  }
}
