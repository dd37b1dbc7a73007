/// Photoshop's image resources, in which JPEG files have IPTC-IIM's records and their resolution (Adobe Photoshop File Formats
/// Specification, "Image Resource Blocks").
enum PhotoshopResources {
  /// What the segments begin with, which may be parts of one list.
  static let identifier: StaticString = "Photoshop 3.0\0"
  private static let (records, resolutionInfo) = (0x0404, 0x03ED)

  /// - Returns: the first records, as a part of the resources; empty where there are none.
  static func iptc(in resources: [UInt8]) -> Range<Int> { first(records, in: resources) }

  /// Pixels per inch, whatever unit they are shown in; nil where they are not said or not the same along both sides.
  static func resolution(in resources: [UInt8]) -> Double? {
    let info = first(resolutionInfo, in: resources)
    let span = resources.span
    // A number with 16 bits behind the point, the unit that it is shown in, the unit of the width; the same of the height.
    guard info.count >= 16, let x = span.uint32(at: info.lowerBound), x == span.uint32(at: info.lowerBound + 8) else {
      return nil
    }
    return Resolution.checked(Double(x) / 65_536)
  }

  /// The first resource with that number, as a part of them; empty where there is none.
  private static func first(_ wanted: Int, in resources: [UInt8]) -> Range<Int> {
    let span = resources.span
    var place = 0
    while span.contains("8BIM", at: place) {
      guard let id = span.uint16(at: place + 4), let nameLength = span.byte(at: place + 6) else { break }
      // The name with its length, and the data, are filled up to even lengths.
      place += 6 + (Int(nameLength) + 2) / 2 * 2
      guard let length = span.uint32(at: place), length <= span.count - place - 4 else { break }
      if id == wanted { return place + 4..<place + 4 + length }
      place += 4 + (length + 1) / 2 * 2
    }
    return 0..<0
  }
}
