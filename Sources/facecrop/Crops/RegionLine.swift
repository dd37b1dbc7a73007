import FaceCrop

/// The faces that the metadata mark, in the JSON of `detect` and `info`.
enum RegionLine {
  /// Returns the objects of all regions; nil without any.
  static func all(_ regions: [FaceRegion]) -> [JSONObject]? {
    func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
    let lines: [JSONObject] = regions.map {
      [
        "name": $0.name, "x": rounded($0.box.x), "y": rounded($0.box.y), "width": rounded($0.box.width),
        "height": rounded($0.box.height), "source": $0.source.rawValue,
      ]
    }
    return lines.isEmpty ? nil : lines
  }
}
