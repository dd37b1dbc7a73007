import FaceCrop

/// A face that the metadata mark, in the JSON of `detect` and `info`.
struct RegionLine: Encodable {
  var name: String?
  var x: Double
  var y: Double
  var width: Double
  var height: Double
  var source: String

  /// Returns the lines of all regions; nil without any.
  static func all(_ regions: [FaceRegion]) -> [RegionLine]? {
    func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
    let lines = regions.map {
      RegionLine(
        name: $0.name, x: rounded($0.box.x), y: rounded($0.box.y), width: rounded($0.box.width),
        height: rounded($0.box.height), source: $0.source.rawValue)
    }
    return lines.isEmpty ? nil : lines
  }
}
