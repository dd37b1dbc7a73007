internal import CBasics
internal import Glibc

/// An image of 8-bit pixels, row by row without gaps, from the top.
public struct PixelBuffer: Hashable, Sendable {
  /// The channels of a pixel.
  public enum Format: Hashable, Sendable {
    /// One byte: luma.
    case gray
    /// Three bytes: R, G, B.
    case rgb
    /// Four bytes: R, G, B, and alpha. Colors are not premultiplied.
    case rgba

    /// The bytes of a pixel.
    public var channels: Int {
      switch self {
      case .gray: 1
      case .rgb: 3
      case .rgba: 4
      }
    }

    /// The format without alpha.
    var opaque: Format { self == .rgba ? .rgb : self }
  }

  /// The size in pixels.
  public let size: PixelSize
  /// The format of every pixel.
  public let format: Format
  /// The pixels: `size.width * size.height * format.channels` bytes.
  public internal(set) var bytes: [UInt8]

  /// The width in pixels.
  public var width: Int { size.width }
  /// The height in pixels.
  public var height: Int { size.height }
  /// The bytes from one row to the next.
  public var bytesPerRow: Int { size.width * format.channels }

  /// Creates an image. The number of bytes must match size and format.
  public init(size: PixelSize, format: Format, bytes: [UInt8]) {
    precondition(
      size.width >= 0 && size.height >= 0 && bytes.count == size.width * size.height * format.channels,
      "the bytes do not fit the size")
    self.size = size
    self.format = format
    self.bytes = bytes
  }

  /// Creates an image whose bytes `body` writes. They are uninitialized, so `body` must write all of them.
  init(size: PixelSize, format: Format, by body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    let byteCount = size.width * size.height * format.channels
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, count in
      unsafe body(bytes)
      count = byteCount
    }
    self.init(size: size, format: format, bytes: bytes)
  }
}

extension PixelBuffer {
  /// Creates an image whose bytes `body` writes, and returns it with the result of `body`. The bytes are uninitialized,
  /// so `body` must write all of them.
  static func filled<Value>(
    size: PixelSize, format: Format,
    by body: (UnsafeMutableBufferPointer<UInt8>) throws(FaceCropError) -> Value
  ) throws(FaceCropError) -> (picture: PixelBuffer, value: Value) {
    var result = Result<Value, FaceCropError>.failure(.outOfMemory)
    let capacity = size.bytes(channels: format.channels)
    // An array without enough memory ends the process, so allocations above the default limit are probed first.
    if capacity > Limits().regionBytes {
      let probe = unsafe malloc(capacity)
      guard unsafe probe != nil else { throw .outOfMemory }
      unsafe free(probe)
    }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      do throws(FaceCropError) {
        result = .success(try unsafe body(UnsafeMutableBufferPointer(rebasing: buffer[..<capacity])))
        count = capacity
      } catch {
        result = .failure(error)
      }
    }
    let value = try result.get()
    return (PixelBuffer(size: size, format: format, bytes: bytes), value)
  }
}

extension PixelBuffer.Format {
  /// The format in the words of the shims.
  var shimColor: FCColor {
    switch self {
    case .gray: .gray
    case .rgb: .RGB
    case .rgba: .RGBA
    }
  }
}

extension PixelBuffer {
  /// Returns the luma (ITU-R BT.601, 16-bit fixed point). Transparent pixels are composited over white.
  func inGray() -> PixelBuffer {
    if format == .gray { return self }
    let bytes = flattened(on: .white).bytes
    return unsafe PixelBuffer(size: size, format: .gray) { luma in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        for pixel in 0..<width * height {
          let (red, green) = unsafe (UInt32(bytes[3 * pixel]), UInt32(bytes[3 * pixel + 1]))
          let blue = unsafe UInt32(bytes[3 * pixel + 2])
          unsafe luma[pixel] = UInt8((19_595 * red + 38_470 * green + 7_471 * blue + 32_768) >> 16)
        }
      }
    }
  }

  /// Returns the image in RGB. Transparent pixels are composited over white.
  func inColor() -> PixelBuffer {
    guard format == .gray else { return flattened(on: .white) }
    return unsafe PixelBuffer(size: size, format: .rgb) { pixels in
      for (place, level) in bytes.enumerated() {
        for channel in 0..<3 { unsafe pixels[3 * place + channel] = level }
      }
    }
  }
}
