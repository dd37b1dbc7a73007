/// Where a file says who made its picture, beside its EXIF data: as it is stored, to be read when somebody asks.
struct CreditSources: Hashable, Sendable {
  /// An XMP packet: RDF in XML (ISO 16684-1).
  var xmp: [UInt8] = []
  /// Records of the Information Interchange Model (IPTC-IIM 4.2).
  var iptc: [UInt8] = []
  /// There is more than is read, or it is damaged.
  var isCut = false

  /// The most bytes of each that are read: far more than credits take, and than most files have.
  static let mostBytes = CropOutput.largestSidecar

  var isEmpty: Bool { xmp.isEmpty && iptc.isEmpty }

  /// - Parameter count: bytes of the packet, of which no more than are read are copied.
  mutating func take(xmp count: Int, _ bytes: () -> [UInt8]) {
    guard count > 0 else { return }
    if count <= Self.mostBytes { xmp = bytes() } else { isCut = true }
  }

  mutating func take(iptc count: Int, _ bytes: () -> [UInt8]) {
    guard count > 0 else { return }
    if count <= Self.mostBytes { iptc = bytes() } else { isCut = true }
  }

  /// What reading them takes at most, in bytes of memory, with the sources themselves.
  var memory: Int { XMLMemory.bytes(xmp.count) + xmp.count + 4 * iptc.count }

  /// What they say. Of what both say, XMP's counts, which is the younger.
  ///
  /// - Returns: the credits, and whether all could be read.
  /// - Throws: ``FaceCropError/cancelled`` or ``FaceCropError/outOfMemory``.
  func read(_ job: Job) throws(FaceCropError) -> (credits: Credits, isWhole: Bool) {
    let (packet, records) = (try XMPReader.read(xmp, job), IPTCRecords(iptc))
    var credits = packet.credits
    credits.fill(from: records.credits)
    return (credits, packet.isWhole && records.isWhole && !isCut)
  }
}

extension Credits {
  /// What EXIF data say: artist and copyright.
  init(_ exif: EXIF) {
    self.init()
    if let artist = exif.text(EXIFTags.artist, in: .main), let text = CreditText.decoded(artist) { creators = [text] }
    // The photographer's, and behind a zero the editor's.
    let parts =
      exif.text(EXIFTags.copyright, in: .main)?.split(separator: 0).compactMap { CreditText.decoded($0) } ?? []
    if !parts.isEmpty { copyrightNotice = parts.joined(separator: ", ") }
  }
}

/// Texts as programs have written them.
enum CreditText {
  /// UTF-8, or, where it is not that, Windows' Latin-1 (code page 1252).
  ///
  /// - Returns: without white space around it; nil when it is empty, or no text.
  static func decoded(_ bytes: some Collection<UInt8>) -> String? {
    cleaned(String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map(western))))
  }

  /// The same of a text that is one already.
  static func cleaned(_ text: String) -> String? {
    let trimmed = text.unicodeScalars.trimmed { $0.properties.isWhitespace || $0 == "\0" }
    // A control character is in no text; with them, any picture's bytes would be one.
    guard !trimmed.isEmpty, trimmed.allSatisfy(isText) else { return nil }
    return String(trimmed)
  }

  private static func isText(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case ..<0x20, 0x7F...0x9F: false
    default: !scalar.properties.isNoncharacterCodePoint
    }
  }

  private static func western(_ byte: UInt8) -> Unicode.Scalar {
    (0x80...0x9F).contains(byte) ? windows[Int(byte) - 0x80] : Unicode.Scalar(byte)
  }

  /// What stands from 128 to 159; the five that are nothing stay what they are.
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
