import CRasterFixtures

/// Decodes a PNG file to RGBA by libpng's simplest call.
public func referenceDecodePNG(_ png: [UInt8]) throws -> Pixels {
  try unsafe decode { picture in unsafe fr_decode_png(png, png.count, &picture) }
}

/// Decodes a WebP file to RGBA by libwebp's simplest call.
public func referenceDecodeWebP(_ webP: [UInt8]) throws -> Pixels {
  try unsafe decode { picture in unsafe fr_decode_webp(webP, webP.count, &picture) }
}

/// Decodes up to 100 frames of an animated WebP file to RGBA, as libwebp shows them. Returns them with the times in
/// milliseconds at which they end.
public func referenceDecodeWebPAnimation(_ webP: [UInt8]) throws -> [(pixels: Pixels, end: Int)] {
  var ends = [Int32](repeating: 0, count: 100)
  var count: Int32 = 0
  let all = try unsafe decode { picture in
    unsafe count = fr_decode_webp_animation(webP, webP.count, 100, &picture, &ends)
    return count > 0 ? 1 : 0
  }
  let height = all.height / Int(count)
  return (0..<Int(count)).map {
    (all.cropped(x: 0, y: $0 * height, width: all.width, height: height), Int(ends[$0]))
  }
}

/// Decodes the indices of a GIF file's first frame by giflib's simplest call.
public func referenceDecodeGIF(_ gif: [UInt8]) throws -> Pixels {
  try unsafe decode(channels: 1) { picture in unsafe fr_decode_gif(gif, gif.count, &picture) }
}

/// Encodes one frame of indices as GIF with giflib.
///
/// - Parameter colors: 256 colors of three bytes.
public func encodeGIF(_ indices: Pixels, colors: [UInt8], isInterlaced: Bool = false) throws -> [UInt8] {
  precondition(indices.channels == 1 && colors.count == 768, "indices, and their colors")
  var count = 0
  let bytes = unsafe fr_encode_gif(
    indices.samples, indices.width, indices.height, colors, isInterlaced ? 1 : 0, &count)
  guard let bytes = unsafe bytes else { throw FixtureError("no GIF file") }
  defer { unsafe fr_free(bytes) }
  return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// Decodes a TIFF file's first page to RGBA as stored, premultiplied, by libtiff's simplest call.
public func referenceDecodeTIFF(_ tiff: [UInt8]) throws -> Pixels {
  try unsafe decode { picture in unsafe fr_decode_tiff(tiff, tiff.count, &picture) }
}

/// Encodes a TIFF file with libtiff.
///
/// - Parameters:
///   - samples: Samples of `bits` bits; those of 1 or 16 bits as stored bytes.
///   - photometric: TIFF's number; by default that of gray, RGB, or CMYK.
///   - compression: TIFF's number.
///   - tile: The side of a tile; 0 for strips.
public func encodeTIFF(
  _ samples: Pixels, bits: Int = 8, photometric: Int? = nil, compression: Int = 1, predictor: Int = 0, tile: Int = 0,
  rowsPerStrip: Int = 16
) throws -> [UInt8] {
  let usual = samples.channels == 1 ? 1 : samples.channels == 3 ? 2 : 5
  let kind = fr_tiff(
    bits: Int32(bits), channels: Int32(samples.channels), photometric: Int32(photometric ?? usual),
    compression: Int32(compression), predictor: Int32(predictor), tile: Int32(tile), rowsPerStrip: Int32(rowsPerStrip))
  var count = 0
  // A row of bits has an eighth of the bytes.
  let width = bits == 1 ? samples.width * 8 : bits == 16 ? samples.width / 2 : samples.width
  let bytes = unsafe fr_encode_tiff(samples.samples, width, samples.height, kind, &count)
  guard let bytes = unsafe bytes else { throw FixtureError("no TIFF file") }
  defer { unsafe fr_free(bytes) }
  return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// Encodes RGBA pixels as WebP.
///
/// - Parameter quality: Nil for lossless.
public func encodeWebP(_ pixels: Pixels, quality: Float?) throws -> [UInt8] {
  precondition(pixels.channels == 4, "RGBA")
  var count = 0
  let bytes = unsafe fr_encode_webp(pixels.samples, pixels.width, pixels.height, quality ?? -1, &count)
  guard let bytes = unsafe bytes else { throw FixtureError("no WebP file") }
  defer { unsafe fr_free(bytes) }
  return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// Encodes a PNG file with libpng, for images that are too large for ``PNGBuilder``.
public func encodePNG(_ pixels: Pixels, isInterlaced: Bool = false) throws -> [UInt8] {
  var count = 0
  let bytes = unsafe fr_encode_png(
    pixels.samples, pixels.width, pixels.height, Int32(pixels.channels), isInterlaced ? 1 : 0, &count)
  guard let bytes = unsafe bytes else { throw FixtureError("no PNG file") }
  defer { unsafe fr_free(bytes) }
  return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// Compresses bytes with zlib's best compression.
public func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
  var count = 0
  guard let packed = unsafe fr_compress(bytes, bytes.count, &count) else { throw FixtureError("it cannot be packed") }
  defer { unsafe fr_free(packed) }
  return unsafe Array(UnsafeBufferPointer(start: packed, count: count))
}

private func decode(channels: Int = 4, _ call: (inout fr_picture) -> Int32) throws -> Pixels {
  var picture = unsafe fr_picture()
  guard unsafe call(&picture) == 1 else { throw FixtureError("a file that cannot be read") }
  defer { unsafe fr_free(picture.pixels) }
  let (width, height) = unsafe (Int(picture.width), Int(picture.height))
  let samples = unsafe Array(UnsafeBufferPointer(start: picture.pixels, count: width * height * channels))
  return Pixels(width: width, height: height, channels: channels, samples: samples)
}

extension Pixels {
  /// The pixels in four channels, opaque if they have no alpha; gray is repeated.
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

  /// Returns RGBA over a background color, in RGB.
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
