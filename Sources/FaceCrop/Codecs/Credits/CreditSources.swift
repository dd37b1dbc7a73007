/// The stored credits of a file outside its EXIF data, read only on request.
struct CreditSources: Hashable, Sendable {
  /// An XMP packet: RDF in XML (ISO 16684-1).
  var xmp: [UInt8] = []
  /// Records of the Information Interchange Model (IPTC-IIM 4.2).
  var iptc: [UInt8] = []
  /// Whether the data are damaged or too long.
  var isCut = false

  /// The upper bound of each in bytes, far above typical credits.
  static let mostBytes = CropOutput.largestSidecar

  var isEmpty: Bool { xmp.isEmpty && iptc.isEmpty }

  /// Takes a packet of `count` bytes, which is copied only up to the bound.
  mutating func take(_ source: WritableKeyPath<Self, [UInt8]>, of count: Int, _ bytes: () -> [UInt8]) {
    guard count > 0 else { return }
    if count <= Self.mostBytes { self[keyPath: source] = bytes() } else { isCut = true }
  }

  /// An upper bound, in bytes, of the memory for reading, the sources included.
  var memory: Int { XMLMemory.bytes(xmp.count) + xmp.count + 4 * iptc.count }

  /// Reads the credits, and returns whether all of them were readable. XMP takes precedence over IPTC, because it is
  /// newer. Throws only ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  func read(_ job: Job) throws(FaceCropError) -> (credits: Credits, isWhole: Bool) {
    let (packet, records) = (try XMPReader.read(xmp, job), IPTCRecords(iptc))
    var credits = packet.credits
    credits.fill(from: records.credits)
    return (credits, packet.isWhole && records.isWhole && !isCut)
  }
}

extension Credits {
  /// Creates credits from EXIF's artist and copyright.
  init(_ exif: EXIF) {
    self.init()
    if let artist = exif.text(EXIFTags.artist, in: .main), let text = CreditText.decoded(artist) { creators = [text] }
    // The photographer's copyright is followed by a zero and the editor's.
    let parts =
      exif.text(EXIFTags.copyright, in: .main)?.split(separator: 0).compactMap { CreditText.decoded($0) } ?? []
    if !parts.isEmpty { copyrightNotice = parts.joined(separator: ", ") }
  }
}

/// The decoding of texts from various programs.
enum CreditText {
  /// Decodes UTF-8, or else Windows' Latin-1 (code page 1252), without surrounding white space; nil if it is empty or
  /// no text.
  static func decoded(_ bytes: some Collection<UInt8>) -> String? {
    cleaned(String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map(western))))
  }

  /// Removes surrounding white space; nil if the rest is empty or no text.
  static func cleaned(_ text: String) -> String? {
    let trimmed = text.unicodeScalars.trimmed { $0.properties.isWhitespace || $0 == "\0" }
    // Text has no control characters. If they were allowed, any image's bytes would count as text.
    guard !trimmed.isEmpty, trimmed.allSatisfy(isText) else { return nil }
    return String(trimmed)
  }

  /// Returns whether an output may have a text: it is short, and codes no other data.
  static func isKept(_ text: String) -> Bool {
    text.utf8.count < EXIFTags.mostCreditBytes && !CodedText.isFound(in: text.utf16)
  }

  /// Returns whether a character may be in a text.
  static func isText(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case ..<0x20, 0x7F...0x9F: false
    default: !scalar.properties.isNoncharacterCodePoint
    }
  }

  private static func western(_ byte: UInt8) -> Unicode.Scalar {
    (0x80...0x9F).contains(byte) ? windows[Int(byte) - 0x80] : Unicode.Scalar(byte)
  }

  /// The characters from 128 to 159; the five unassigned ones stay unchanged.
  private static let windows = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}

extension BidirectionalCollection {
  fileprivate func trimmed(_ isDropped: (Element) -> Bool) -> SubSequence {
    let rest = drop(while: isDropped)
    guard let last = rest.lastIndex(where: { !isDropped($0) }) else { return rest.prefix(0) }
    return rest[...last]
  }
}
