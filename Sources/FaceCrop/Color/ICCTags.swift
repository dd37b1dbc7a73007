/// The tags of an ICC profile (ICC.1:2022, 7.2 and 7.3), checked before any other code reads it.
///
/// Profiles can be hostile: with a few kilobytes, Little CMS can need gigabytes and hours. Everything that real
/// profiles never contain is refused here.
struct ICCTags {
  let bytes: [UInt8]
  private let tags: [(signature: Int, range: Range<Int>)]

  /// The upper bound of tags, as in Little CMS. Real profiles have 10 to 30.
  private static let mostTags = 100
  /// The bytes that different tags may share. The smallest profiles save space this way.
  private static let mostOverlap = 1_024
  /// The upper bound of steps in an `mpet` tag. The specification's examples have five.
  private static let mostElements = 32
  private static let headerBytes = 128

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
    var tags: [(signature: Int, range: Range<Int>)] = []
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
    return tags.first { $0.signature == code }?.range
  }

  /// Returns a profile with the same header and only these tags, if present.
  func profile(of signatures: [StaticString]) -> [UInt8] {
    let chosen = signatures.compactMap { signature in range(signature).map { (Self.code(signature), $0) } }
    let start = Self.headerBytes + 4 + 12 * chosen.count
    var table = Self.bytes(of: chosen.count)
    var data: [UInt8] = []
    var places: [Range<Int>: Int] = [:]
    for (code, range) in chosen {
      // Tags can share their data.
      let place = places[range] ?? start + data.count
      table += Self.bytes(of: code) + Self.bytes(of: place) + Self.bytes(of: range.count)
      guard places.updateValue(place, forKey: range) == nil else { continue }
      data += bytes[range]
      // Tags are aligned to four bytes.
      data += [UInt8](repeating: 0, count: -data.count & 3)
    }
    return Self.bytes(of: start + data.count) + bytes[4..<Self.headerBytes] + table + data
  }

  /// Returns the profile without private tags, long texts, and bytes that no tag has, all of which can hide an image. A
  /// profile that has none of them stays as it is.
  func withoutPrivateData() -> [UInt8] {
    let colors = Self.colorTags.filter { tag in
      range(tag).map { range in Self.colorTypes.contains { bytes.span.contains($0, at: range.lowerBound) } } ?? false
    }
    let kept = colors + Self.textTags.filter { range($0).map { $0.count <= Self.longestText } ?? false }
    let distinct = Set(tags.map(\.range))
    let used = Self.headerBytes + 4 + 12 * tags.count + distinct.reduce(0) { $0 + $1.count }
    let isPadding = bytes.count - used <= 3 * distinct.count
    return kept.count == tags.count && isPadding ? bytes : profile(of: kept)
  }

  /// The tags with numbers (ICC.1:2022, 9.2), and those of earlier versions of the specification.
  private static let colorTags: [StaticString] = [
    "A2B0", "A2B1", "A2B2", "B2A0", "B2A1", "B2A2", "D2B0", "D2B1", "D2B2", "D2B3", "B2D0", "B2D1", "B2D2", "B2D3",
    "gamt", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "wtpt", "bkpt", "lumi", "chad", "chrm", "cicp",
    "meas", "view", "tech", "calt", "rig0", "rig2",
  ]
  /// The types of these tags (10).
  private static let colorTypes: [StaticString] = [
    "XYZ ", "curv", "para", "mft1", "mft2", "mAB ", "mBA ", "mpet", "sf32", "chrm", "cicp", "meas", "view", "sig ",
    "dtim",
  ]
  private static let textTags: [StaticString] = ["desc", "cprt", "dmnd", "dmdd", "vued"]
  /// The upper bound of a kept text's bytes. A description in forty languages has 3,000.
  private static let longestText = 4_096

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

  private static func code(_ signature: StaticString) -> Int {
    signature.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | Int($1) } }
  }

  private static func bytes(of number: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
