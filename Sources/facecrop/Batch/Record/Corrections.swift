import FaceCrop
import SystemPackage

/// A plan that somebody gave for an input, as a manifest has it: frames that were put right by hand, or rejected.
struct Correction: Sendable {
  var plan: CropPlan
  /// The plan's digest.
  var id: String
  /// What placed frames depend on, as it was; nil in manifests of older versions.
  var frame: String?
  /// The input's file.
  var file: FileVersion?
  /// SHA-256 of the input's bytes.
  var content: String?

  /// Nil for an entry that no plan was given for, or that does not have it.
  init?(_ entry: ManifestEntry) {
    let outcome = entry.outcome
    guard let id = entry.plan, let width = outcome.width, let height = outcome.height, let crops = outcome.crops else {
      return nil
    }
    plan = CropPlan(
      source: PixelSize(width: width, height: height), detector: outcome.detector ?? "", faces: outcome.faces ?? [],
      possibleFace: outcome.possibleFace, crops: crops)
    self.id = id
    (frame, file, content) = (entry.frame, entry.file, entry.content)
  }

  /// Why it cannot be kept, as a clause; nil where it can.
  ///
  /// - Parameters:
  ///   - input: The input's path.
  ///   - frame: What placed frames depend on now.
  func obstacle(of input: FilePath, frame: String) -> String? {
    // Where nothing is cropped, nothing has to fit.
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
