/// What a file's first bytes say it is. Its name says nothing.
enum ImageKind: Hashable {
  case read(ImageFormat)
  /// Recognized, but not read; the format's name.
  case other(String)
  case unknown

  /// From so many bytes on the answer stays what it is.
  static let bytesNeeded = 16

  var format: ImageFormat? {
    if case .read(let format) = self { format } else { nil }
  }

  init(of bytes: Span<UInt8>) {
    func starts(with signature: [UInt8], at offset: Int = 0) -> Bool {
      signature.indices.allSatisfy { bytes.byte(at: offset + $0) == signature[$0] }
    }
    func starts(_ text: StaticString, at offset: Int = 0) -> Bool {
      text.withUTF8Buffer { unsafe starts(with: Array($0), at: offset) }
    }
    if starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .read(.jpeg)
    } else if starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .read(.png)
    } else if starts("RIFF") && starts("WEBP", at: 8) {
      self = .read(.webp)
    } else if starts("GIF8") {
      self = .other("GIF")
    } else if starts("BM") {
      self = .other("BMP")
    } else if starts("II*\0") || starts("MM\0*") {
      self = .other("TIFF")
    } else if starts("ftyp", at: 4) {
      self = .other(starts("avif", at: 8) ? "AVIF" : "HEIF")
    } else if starts(with: [0xFF, 0x0A]) || starts("JXL ", at: 4) {
      self = .other("JPEG XL")
    } else if starts("jP  ", at: 4) {
      self = .other("JPEG 2000")
    } else if starts("%PDF") {
      self = .other("PDF")
    } else if starts("<svg") || starts("<?xml") {
      self = .other("SVG")
    } else {
      self = .unknown
    }
  }
}
