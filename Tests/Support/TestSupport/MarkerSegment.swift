/// A JPEG marker segment without its marker's 0xFF and its length.
public struct MarkerSegment: Equatable, Sendable {
  public var code: UInt8
  public var bytes: [UInt8]

  public init(code: UInt8, bytes: [UInt8]) {
    self.code = code
    self.bytes = bytes
  }

  /// Returns APP0...APP15.
  public static func app(_ number: UInt8, _ bytes: [UInt8]) -> MarkerSegment {
    precondition(number < 16, "APP0...APP15")
    return MarkerSegment(code: 0xE0 + number, bytes: bytes)
  }

  /// Returns EXIF data after JPEG's identifier.
  public static func exif(_ tiff: [UInt8]) -> MarkerSegment {
    app(1, Array("Exif\0\0".utf8) + tiff)
  }

  public static func comment(_ text: String) -> MarkerSegment {
    MarkerSegment(code: 0xFE, bytes: Array(text.utf8))
  }

  /// The segment in a file: marker, length, bytes.
  public var encoded: [UInt8] {
    precondition(bytes.count <= 65533, "a marker segment holds at most 65533 bytes")
    return [0xFF, code] + UInt16(bytes.count + 2).bigEndianBytes + bytes
  }
}

extension FixedWidthInteger {
  public var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  public var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}
