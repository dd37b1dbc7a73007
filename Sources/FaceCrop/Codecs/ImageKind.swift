/// What a file's first bytes say it is. Its name says nothing.
enum ImageKind: Hashable {
  case read(ImageFormat)
  /// Recognized, but not read; the format's name.
  case other(String)
  case unknown

  /// From so many bytes on the answer stays what it is.
  static let bytesNeeded = 64

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
    } else if starts("FUJIFILMCCD-RAW") || starts("IIRO") || starts("IIRS") || starts("IIU\0") {
      self = .other("a camera's raw file")
    } else if starts("II*\0") || starts("MM\0*") || starts("II+\0") || starts("MM\0+") {
      self = .other("TIFF, or a camera's raw file")
    } else if starts("ftyp", at: 4) {
      self = Self.kind(ofFileType: bytes)
    } else if starts(with: [0xFF, 0x0A]) || starts("JXL ", at: 4) {
      self = .other("JPEG XL")
    } else if starts("jP  ", at: 4) || starts(with: [0xFF, 0x4F, 0xFF, 0x51]) {
      self = .other("JPEG 2000")
    } else if starts("8BPS") {
      self = .other("a Photoshop document")
    } else if starts(with: [0, 0, 1, 0]) || starts(with: [0, 0, 2, 0]) {
      self = .other("an icon or cursor (ICO)")
    } else if starts(with: [0x8A, 0x4D, 0x4E, 0x47]) || starts(with: [0x8B, 0x4A, 0x4E, 0x47]) {
      self = .other("MNG or JNG")
    } else if starts(with: [0x76, 0x2F, 0x31, 0x01]) {
      self = .other("OpenEXR")
    } else if starts("qoif") {
      self = .other("QOI")
    } else if starts("RIFF") {
      self = .other("a RIFF file without a picture, as AVI or WAV")
    } else if starts(with: [0xC5, 0xD0, 0xD3, 0xC6]) {
      self = .other("EPS")
    } else if starts(with: [0x1F, 0x8B]) {
      self = .other("compressed by gzip")
    } else if starts("PK\u{3}\u{4}") {
      self = .other("a ZIP archive or a document in one")
    } else if let name = Self.nameOfText(bytes) {
      self = .other(name)
    } else {
      self = .unknown
    }
  }

  /// Of formats that are text: behind a byte order mark and white space, whatever the case.
  private static func nameOfText(_ bytes: Span<UInt8>) -> String? {
    var place = bytes.byte(at: 0) == 0xEF && bytes.byte(at: 1) == 0xBB && bytes.byte(at: 2) == 0xBF ? 3 : 0
    while let byte = bytes.byte(at: place), byte == 0x20 || (0x09...0x0D).contains(byte) { place += 1 }
    func goesOn(_ text: String) -> Bool {
      text.utf8.enumerated().allSatisfy { index, character in
        guard let byte = bytes.byte(at: place + index) else { return false }
        return ((0x41...0x5A).contains(byte) ? byte + 0x20 : byte) == character
      }
    }
    if goesOn("%pdf") { return "PDF" }
    if goesOn("%!ps") { return "PostScript or EPS" }
    if goesOn("<svg") || goesOn("<!doctype svg") { return "SVG" }
    if goesOn("<!doctype html") || goesOn("<html") { return "HTML, a web page" }
    if goesOn("<?xml") || goesOn("<!--") { return "SVG or other XML" }
    if let digit = bytes.byte(at: place + 1), goesOn("p"), (0x31...0x37).contains(digit),
      let space = bytes.byte(at: place + 2), space == 0x20 || (0x09...0x0D).contains(space)
    {
      return "PBM, PGM or PPM"
    }
    return nil
  }

  /// By the brands of an ISO base media file (ISO/IEC 14496-12, 4.3): the major one, then those that it is compatible with, as far
  /// as they are in the first bytes.
  private static func kind(ofFileType bytes: Span<UInt8>) -> ImageKind {
    let end = min(bytes.uint32(at: 0) ?? 0, bytesNeeded)
    func brand(at offset: Int) -> String? {
      bytes.uint32(at: offset).map { code in
        String(decoding: (0..<4).map { UInt8(code >> (24 - 8 * $0) & 0xFF) }, as: UTF8.self)
      }
    }
    let major = brand(at: 8)
    let compatible = stride(from: 16, through: end - 4, by: 4).compactMap(brand)
    if major == "crx " { return .other("a camera's raw file") }
    // What is in a file of pictures of any codec, and whether a movie has pictures too, only the others say.
    for brand in [major].compactMap(\.self) + compatible {
      if let format = format(ofBrand: brand) { return .read(format) }
    }
    if let major, (compatible + [major]).contains(where: structures.contains) { return .read(.heic) }
    return switch major {
    case "qt  ", "isom", "iso2", "mp41", "mp42", "M4V ", "M4VH", "M4VP": .other("a movie")
    default: .other("HEIF")
    }
  }

  private static let structures: Set = ["mif1", "mif2", "msf1"]

  private static func format(ofBrand brand: String) -> ImageFormat? {
    switch brand {
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": .heic
    case "avif", "avis": .avif
    default: nil
    }
  }
}
