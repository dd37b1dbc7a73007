/// The tags of an ICC profile (ICC.1:2022, 7.2 and 7.3), checked before any other code reads it.
///
/// Profiles can be hostile: with a few kilobytes, Little CMS can need gigabytes and hours. Everything that real
/// profiles never contain is refused here.
struct ICCTags {
  let bytes: [UInt8]
  let tags: [(code: Int, range: Range<Int>)]

  /// The upper bound of tags, as in Little CMS. Real profiles have 10 to 30.
  private static let mostTags = 100
  /// The bytes that different tags may share. The smallest profiles save space this way.
  private static let mostOverlap = 1_024
  /// The upper bound of steps in an `mpet` tag. The specification's examples have five.
  private static let mostElements = 32
  static let headerBytes = 128
  /// The end of the header's fields that are not reserved, the profile's hash aside.
  private static let fieldBytes = 84

  /// The end of the list of tags.
  var tableEnd: Int { Self.headerBytes + 4 + 12 * tags.count }

  /// Reads the tags; nil if the bytes are no profile for the colors of an image.
  init?(_ bytes: [UInt8]) {
    let span = bytes.span
    guard span.uint32(at: 0) == bytes.count, span.contains("acsp", at: 36),
      // The accepted classes are scanners, displays, printers, and working spaces, not links, effects, or named colors.
      ["scnr", "mntr", "prtr", "spac"].contains(where: { span.contains($0, at: 12) }),
      span.contains("XYZ ", at: 20) || span.contains("Lab ", at: 20),
      let count = span.uint32(at: Self.headerBytes), (1...Self.mostTags).contains(count)
    else { return nil }
    let end = Self.headerBytes + 4 + 12 * count
    var tags: [(code: Int, range: Range<Int>)] = []
    for entry in stride(from: Self.headerBytes + 4, to: end, by: 12) {
      guard let signature = span.uint32(at: entry), let start = span.uint32(at: entry + 4),
        let length = span.uint32(at: entry + 8), start >= end, length >= 8, length <= bytes.count - start
      else { return nil }
      tags.append((signature, start..<start + length))
    }
    let taken = Set(tags.map(\.range)).reduce(0) { $0 + $1.count }
    guard taken <= bytes.count - end + Self.mostOverlap,
      tags.allSatisfy({ Self.hasFewElements(span, $0.range) })
    else { return nil }
    self.bytes = bytes
    self.tags = tags
  }

  /// Returns the range of the tag with a signature of four characters; nil if absent.
  func range(_ signature: StaticString) -> Range<Int>? {
    let code = Self.code(signature)
    return tags.first { $0.code == code }?.range
  }

  /// Returns a profile with the same header and only these tags, if present.
  func profile(of signatures: [StaticString]) -> [UInt8] {
    profile(of: signatures.compactMap { name in range(name).map { (Self.code(name), Array(bytes[$0])) } })
  }

  /// Returns a profile with the same header and new tags.
  func profile(of tags: [(code: Int, data: [UInt8])]) -> [UInt8] {
    let start = Self.headerBytes + 4 + 12 * tags.count
    var table = [UInt8](bigEndian: tags.count)
    var data: [UInt8] = []
    var places: [[UInt8]: Int] = [:]
    for tag in tags {
      // Tags can share their data.
      let place = places[tag.data] ?? start + data.count
      table += [UInt8](bigEndian: tag.code) + [UInt8](bigEndian: place) + [UInt8](bigEndian: tag.data.count)
      guard places.updateValue(place, forKey: tag.data) == nil else { continue }
      data += tag.data
      // Tags are aligned to four bytes.
      data += [UInt8](repeating: 0, count: -data.count & 3)
    }
    let header = bytes[4..<Self.fieldBytes] + [UInt8](repeating: 0, count: Self.headerBytes - Self.fieldBytes)
    return [UInt8](bigEndian: start + data.count) + header + table + data
  }

  /// Returns a 15.16 fixed-point number (4.6).
  func fixed(at offset: Int) -> Double? {
    bytes.span.uint32(at: offset).map { Double(Int32(truncatingIfNeeded: $0)) / 65_536 }
  }

  /// Returns whether the elements of an `mpet` tag (10.15) are complete and do not overlap; true for other tags.
  private static func hasFewElements(_ span: Span<UInt8>, _ tag: Range<Int>) -> Bool {
    guard span.contains("mpet", at: tag.lowerBound) else { return true }
    guard tag.count >= 16, let count = span.uint32(at: tag.lowerBound + 12), count <= mostElements else { return false }
    var taken = 16 + 8 * count
    for place in stride(from: tag.lowerBound + 16, to: tag.lowerBound + 16 + 8 * count, by: 8) {
      guard let start = span.uint32(at: place), let length = span.uint32(at: place + 4), start <= tag.count,
        length <= tag.count - start
      else { return false }
      taken += length
    }
    return taken <= tag.count
  }

  static func code(_ signature: StaticString) -> Int {
    signature.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | Int($1) } }
  }
}
