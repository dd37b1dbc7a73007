import FaceCrop
import Foundation

/// The part of an image's entry that a review needs, in the report's data.
struct ReviewEntry: Decodable, Sendable {
  struct Output: Decodable, Sendable {
    /// The path below the output folder.
    var file: String
  }

  var input: String
  var inputBase64: String?
  var location: String
  var locationBase64: String?
  var bytes: Int?
  var content: String?
  var width: Int?
  var height: Int?
  var rotation: QuarterTurn?
  var detector: String?
  var faces: [Face]?
  var possibleFace: Face?
  var crops: [CropPlan.Crop]?
  var middle: CropPlan.Crop?
  var planned: Bool?
  var outputs: [Output]?
  var thumbnail: String?

  /// Decodes an entry; nil if it is invalid.
  init?(_ line: [UInt8]) {
    guard let entry = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
    self = entry
  }

  var isEditable: Bool { (width ?? 0) > 0 && (height ?? 0) > 0 && (crops != nil || middle != nil) }

  /// Returns the plan of some crops for this image, as checked as a plan from a file; nil if it is invalid.
  func plan(_ crops: [CropPlan.Crop]) -> CropPlan? {
    let plan = CropPlan(
      source: PixelSize(width: width ?? 0, height: height ?? 0), rotation: rotation ?? .none, detector: detector ?? "",
      faces: faces ?? [], possibleFace: possibleFace, crops: crops)
    guard let data = try? JSONEncoder().encode(plan) else { return nil }
    return try? JSONDecoder().decode(CropPlan.self, from: data)
  }

  /// A line of a plans file, as the report writes it and `--plan-in` reads it.
  private struct PlanLine: Encodable {
    var input: String
    var inputBase64: String?
    var location: String
    var locationBase64: String?
    var bytes: Int?
    var content: String?
    var plan: CropPlan
  }

  /// Returns the line of a plans file with its end; nil for invalid crops.
  func planLine(_ crops: [CropPlan.Crop]) -> [UInt8]? {
    guard let plan = plan(crops) else { return nil }
    let line = PlanLine(
      input: input, inputBase64: inputBase64, location: location, locationBase64: locationBase64, bytes: bytes,
      content: content, plan: plan)
    return (try? JSONEncoder.review.encode(line)).map { Array($0) + [UInt8(ascii: "\n")] }
  }
}

extension JSONEncoder {
  /// An encoder with sorted keys, so that equal values give equal bytes.
  static var review: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
