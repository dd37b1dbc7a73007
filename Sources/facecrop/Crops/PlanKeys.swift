/// A check for unknown keys in a plan and its crops. Optional keys that are misspelled would have no effect.
struct PlanKeys: Decodable {
  /// A line of a list of plans.
  struct Line: Decodable {
    var plan: PlanKeys
  }

  private typealias Key = JSONObject.Name

  static let ofPlans: Set = [
    "version", "source", "rotation", "animationFrame", "detector", "faces", "chosen", "facesAreComplete",
    "possibleFace", "crops", "padded", "origin",
  ]
  static let ofCrops: Set = ["region", "frame", "turn", "faces", "number", "template", "background", "strokes"]

  /// Throws an error that names the first unknown key.
  init(from decoder: any Decoder) throws {
    let plan = try decoder.container(keyedBy: Key.self)
    try Self.check(plan, Self.ofPlans, place: "")
    var crops = try plan.nestedUnkeyedContainer(forKey: Key(stringValue: "crops"))
    while !crops.isAtEnd {
      let place = "crops[\(crops.currentIndex)]."
      try Self.check(try crops.nestedContainer(keyedBy: Key.self), Self.ofCrops, place: place)
    }
  }

  private static func check(
    _ container: KeyedDecodingContainer<Key>, _ known: Set<String>, place: String
  ) throws {
    guard let key = container.allKeys.map(\.stringValue).filter({ !known.contains($0) }).min() else { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: container.codingPath,
        debugDescription: "the key '\(place)\(key)' is unknown (correct its name, or remove it)"))
  }
}
