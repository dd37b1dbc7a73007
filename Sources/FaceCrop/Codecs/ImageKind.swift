/// The kind of a file by its first bytes, independent of its name.
enum ImageKind: Hashable {
  case read(ImageFormat)
  /// A recognized format that is not read, with its name.
  case other(String)
  case unknown

  /// The number of first bytes that decide the result.
  static let bytesNeeded = 64

  var format: ImageFormat? {
    if case .read(let format) = self { format } else { nil }
  }

  init(of bytes: Span<UInt8>) {
    if let format = Codecs.format(of: bytes) {
      self = .read(format)
    } else {
      self = Self.nameOfOther(bytes).map(ImageKind.other) ?? .unknown
    }
  }

  /// Returns the name of a format that is not read; nil for an unknown one.
  private static func nameOfOther(_ bytes: Span<UInt8>) -> String? {
    func starts(with signature: [UInt8]) -> Bool { bytes.starts(with: signature) }
    func starts(_ text: StaticString, at offset: Int = 0) -> Bool { bytes.contains(text, at: offset) }
    if starts("BM") { return "BMP" }
    if starts("FOVb") || starts("\0MRM") { return "a RAW file of an unread kind (X3F, MRW)" }
    if starts("ftyp", at: 4) { return nameOfMedia(bytes) }
    if starts("jP  ", at: 4) || starts(with: [0xFF, 0x4F, 0xFF, 0x51]) { return "JPEG 2000" }
    if starts("8BPS") { return "a Photoshop document" }
    if starts(with: [0, 0, 1, 0]) || starts(with: [0, 0, 2, 0]) { return "an icon or cursor (ICO)" }
    if starts(with: [0x8A, 0x4D, 0x4E, 0x47]) || starts(with: [0x8B, 0x4A, 0x4E, 0x47]) { return "MNG or JNG" }
    if starts(with: [0x76, 0x2F, 0x31, 0x01]) { return "OpenEXR" }
    if starts("qoif") { return "QOI" }
    if starts("RIFF") { return "a RIFF file without an image, such as AVI or WAV" }
    if starts(with: [0xC5, 0xD0, 0xD3, 0xC6]) { return "EPS" }
    if starts(with: [0x1F, 0x8B]) { return "compressed with gzip" }
    if starts("PK\u{3}\u{4}") { return "a ZIP archive or a document in one" }
    return nameOfText(bytes)
  }

  /// Returns the name of a text format. It ignores a byte order mark, leading white space, and case.
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
    if goesOn("<!doctype html") || goesOn("<html") { return "a web page (HTML)" }
    if goesOn("<?xml") || goesOn("<!--") { return "SVG or other XML" }
    if let digit = bytes.byte(at: place + 1), goesOn("p"), (0x31...0x37).contains(digit),
      let space = bytes.byte(at: place + 2), space == 0x20 || (0x09...0x0D).contains(space)
    {
      return "PBM, PGM or PPM"
    }
    return nil
  }

  /// Returns the name of an ISO base media file without images, by its major brand.
  private static func nameOfMedia(_ bytes: Span<UInt8>) -> String {
    let movies: [StaticString] = ["qt  ", "isom", "iso2", "mp41", "mp42", "M4V ", "M4VH", "M4VP"]
    return movies.contains { bytes.contains($0, at: 8) } ? "a movie" : "HEIF"
  }
}
