import FaceCrop
import Foundation

extension ReportEntry {
  /// Decodes an entry; nil if it is invalid.
  init?(_ line: [UInt8]) {
    guard let entry = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
    self = entry
  }

  var isEditable: Bool { (width ?? 0) > 0 && (height ?? 0) > 0 && (crops != nil || middle != nil) }

  /// Returns the plan of some crops for this image, as checked as a plan from a file; nil if it is invalid.
  func plan(_ crops: [CropPlan.Crop]) -> CropPlan? {
    let plan = CropPlan(
      source: PixelSize(width: width ?? 0, height: height ?? 0), rotation: rotation ?? .none,
      animationFrame: animationFrame ?? 0, detector: detector ?? "", faces: faces ?? [],
      facesAreComplete: facesAreComplete ?? true, possibleFace: possibleFace, crops: crops)
    guard let data = try? JSONEncoder().encode(plan) else { return nil }
    return try? JSONDecoder().decode(CropPlan.self, from: data)
  }

  /// Returns the line of a plans file with its end; nil for invalid crops.
  func planLine(_ crops: [CropPlan.Crop]) -> [UInt8]? {
    guard let plan = plan(crops) else { return nil }
    var line = PlanLine(input: input, inputBase64: inputBase64, plan: plan)
    (line.location, line.locationBase64) = (location, locationBase64)
    (line.bytes, line.content) = (bytes, content)
    return (try? JSONLines.line(line)).map { Array($0.utf8) }
  }
}
