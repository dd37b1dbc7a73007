import FaceCrop
import FoundationEssentials
import SystemPackage

/// Stored plans.
enum PlanFile {
  static func read(_ name: String) throws(FileError) -> CropPlan {
    do {
      let bytes = try name == Input.standard ? Input.readToEnd(.standardInput) : Input.readToEnd(of: FilePath(name))
      return try JSONDecoder().decode(CropPlan.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw FileError(name, "is no plan that can be applied: \(reason(error))", kind: "plan")
    } catch {
      throw FileError(name, "cannot be read: \(error)", kind: "plan")
    }
  }

  static func reason(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      context.debugDescription
    @unknown default: "\(error)"
    }
  }
}
