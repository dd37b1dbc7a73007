import CJPEGFixtures

/// The output of the reference decode.
public enum ReferenceOutput: Sendable, CaseIterable {
  /// One channel: the stored luma.
  case gray
  case rgb
  /// Gray, RGB (for RGB and YCbCr) or CMYK (for CMYK and YCCK); CMYK as stored, never inverted.
  case native
  /// The stored components without color conversion.
  case stored
}

/// Decodes every row with plain libjpeg-turbo, at `scale`/8, with the exact DCT and fancy upsampling.
///
/// Stops after the last row: a missing EOI or a trailer may cause a warning, since the decoder reads ahead.
public func referenceDecode(
  _ jpeg: [UInt8], scale: Int = 8, as output: ReferenceOutput = .rgb
) throws -> (pixels: Pixels, warnings: Int) {
  guard (1...8).contains(scale) else { throw FixtureError("scale is 1...8") }
  let kind =
    switch output {
    case .gray: FX_OUTPUT_GRAY
    case .rgb: FX_OUTPUT_RGB
    case .native: FX_OUTPUT_NATIVE
    case .stored: FX_OUTPUT_STORED
    }
  var picture = unsafe fx_picture()
  try unsafe orThrow { message in unsafe fx_decode(jpeg, jpeg.count, Int32(scale), kind, &picture, message) }
  defer { unsafe fx_free(picture.pixels) }
  let (width, height, channels) = unsafe (Int(picture.width), Int(picture.height), Int(picture.components))
  let samples = unsafe Array(UnsafeBufferPointer(start: picture.pixels, count: width * height * channels))
  return unsafe (Pixels(width: width, height: height, channels: channels, samples: samples), Int(picture.warnings))
}

/// The quantized DCT coefficients of one component.
public struct Coefficients: Equatable, Sendable {
  public let widthInBlocks: Int
  public let heightInBlocks: Int
  /// The components of the whole file.
  public let componentCount: Int
  /// 64 a block in natural (not zigzag) order; the blocks in raster order.
  public let values: [Int16]

  /// Returns the 64 values of one block.
  public func block(x: Int, y: Int) -> [Int16] {
    precondition((0..<widthInBlocks).contains(x) && (0..<heightInBlocks).contains(y), "outside the picture")
    let start = (y * widthInBlocks + x) * 64
    return Array(values[start..<start + 64])
  }
}

/// Reads the quantized DCT coefficients of a component, 0 for the first.
public func quantizedCoefficients(
  _ jpeg: [UInt8], component: Int
) throws -> (coefficients: Coefficients, warnings: Int) {
  guard let index = Int32(exactly: component) else { throw FixtureError("no such component") }
  var native = unsafe fx_coefficients()
  try unsafe orThrow { message in unsafe fx_read_coefficients(jpeg, jpeg.count, index, &native, message) }
  defer { unsafe fx_free(native.values) }
  let (width, height) = unsafe (native.width_in_blocks, native.height_in_blocks)
  let values = unsafe Array(UnsafeBufferPointer(start: native.values, count: width * height * 64))
  let coefficients = Coefficients(
    widthInBlocks: width, heightInBlocks: height, componentCount: unsafe Int(native.components), values: values)
  return unsafe (coefficients, Int(native.warnings))
}

/// Turns a C function's 0 and message into an error.
func orThrow(_ call: (UnsafeMutablePointer<CChar>?) -> Int32) throws {
  var message = [CChar](repeating: 0, count: Int(FX_MESSAGE_SIZE))
  let done = unsafe message.withUnsafeMutableBufferPointer { unsafe call($0.baseAddress) }
  guard done == 1 else {
    let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    throw FixtureError(String(decoding: text, as: UTF8.self))
  }
}
