/// 8-bit pixels, row after row without gaps, top row first.
public struct PixelBuffer: Hashable, Sendable {
  public enum Format: Hashable, Sendable {
    /// One byte: luma.
    case gray
    /// Three bytes: R, G, B.
    case rgb

    public var channels: Int { self == .rgb ? 3 : 1 }
  }

  public let size: PixelSize
  public let format: Format
  /// `size.width * size.height * format.channels` bytes.
  public internal(set) var bytes: [UInt8]

  public var width: Int { size.width }
  public var height: Int { size.height }
  public var bytesPerRow: Int { size.width * format.channels }

  /// A picture of the given bytes, whose number must fit the size and the format.
  public init(size: PixelSize, format: Format, bytes: [UInt8]) {
    precondition(
      size.width >= 0 && size.height >= 0 && bytes.count == size.width * size.height * format.channels,
      "the bytes do not fit the size")
    self.size = size
    self.format = format
    self.bytes = bytes
  }
}

extension PixelBuffer {
  /// A picture whose bytes are written by `body`, which gets them uninitialized and has to write all of them.
  static func filled(
    size: PixelSize, format: Format,
    by body: (UnsafeMutableBufferPointer<UInt8>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> PixelBuffer {
    var failure: FaceCropError?
    let capacity = size.width * size.height * format.channels
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      do throws(FaceCropError) {
        try unsafe body(UnsafeMutableBufferPointer(rebasing: buffer[..<capacity]))
        count = capacity
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return PixelBuffer(size: size, format: format, bytes: bytes)
  }
}

extension PixelBuffer {
  /// The picture in RGB.
  func inColor() -> PixelBuffer {
    guard format == .gray else { return self }
    return PixelBuffer(size: size, format: .rgb, bytes: bytes.flatMap { [$0, $0, $0] })
  }
}
