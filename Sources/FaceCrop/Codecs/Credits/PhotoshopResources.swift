/// Photoshop's image resources, which hold the IPTC-IIM records and the resolution of JPEG files (Adobe Photoshop File
/// Formats Specification, "Image Resource Blocks").
enum PhotoshopResources {
  /// The first bytes of the segments. Several segments can be parts of one list.
  static let identifier: StaticString = "Photoshop 3.0\0"
  private static let (records, resolutionInfo) = (0x0404, 0x03ED)

  /// Returns the range of the first IPTC records, or an empty one.
  static func iptc(in resources: [UInt8]) -> Range<Int> { first(records, in: resources) }

  /// Returns the pixels per inch; nil if they are absent, or differ between width and height.
  static func resolution(in resources: [UInt8]) -> Double? {
    let info = first(resolutionInfo, in: resources)
    let span = resources.span
    // A number with 16 fractional bits, the unit for display and the unit of the width; then the same for the height.
    guard info.count >= 16, let x = span.uint32(at: info.lowerBound), x == span.uint32(at: info.lowerBound + 8) else {
      return nil
    }
    return Resolution.checked(Double(x) / 65_536)
  }

  /// Returns the range of the first resource with a number, or an empty one.
  private static func first(_ wanted: Int, in resources: [UInt8]) -> Range<Int> {
    let span = resources.span
    var place = 0
    while span.contains("8BIM", at: place) {
      guard let id = span.uint16(at: place + 4), let nameLength = span.byte(at: place + 6) else { break }
      // The name with its length, and the data, are padded to even lengths.
      place += 6 + (Int(nameLength) + 2) / 2 * 2
      guard let length = span.uint32(at: place), length <= span.count - place - 4 else { break }
      if id == wanted { return place + 4..<place + 4 + length }
      place += 4 + (length + 1) / 2 * 2
    }
    return 0..<0
  }
}
