import FaceCrop
import SystemPackage

/// A user's plan for an input in a manifest: frames that were corrected or rejected.
struct Correction: Sendable {
  var plan: CropPlan
  /// The digest of the plan.
  var id: String
  /// The fingerprint of the options for frames; nil in manifests of older versions.
  var frame: String?
  /// The version of the input's file.
  var file: FileVersion?
  /// The SHA-256 of the input's bytes.
  var content: String?

  /// Reads a correction; nil for an entry without a user's plan, or with incomplete data.
  init?(_ entry: ManifestEntry) {
    let outcome = entry.outcome
    guard let id = entry.plan, let width = outcome.width, let height = outcome.height, let crops = outcome.crops else {
      return nil
    }
    plan = CropPlan(
      source: PixelSize(width: width, height: height), rotation: outcome.rotation ?? .none,
      detector: outcome.detector ?? "", faces: outcome.faces ?? [], possibleFace: outcome.possibleFace, crops: crops)
    self.id = id
    (frame, file, content) = (entry.frame, entry.file, entry.content)
  }

  /// Returns the reason why it no longer applies, as a clause; nil if it does. `frame` is the current fingerprint of
  /// the options for frames.
  func obstacle(of input: FilePath, frame: String) -> String? {
    // A plan without crops fits any options.
    if !plan.crops.isEmpty, let own = self.frame, own != frame {
      return "its corrected frame does not fit the options, which place frames in another way"
    }
    guard let status = FileStatus(input), status.isRegular, let file, FileVersion(status) != file else { return nil }
    if let content, let bytes = try? Input.readToEnd(of: input, atMost: .max), Hexadecimal.sha256(bytes) == content {
      return nil
    }
    return "its corrected frame is for another image, since the file was changed"
  }
}
