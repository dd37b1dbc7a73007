import ArgumentParser
import FaceCrop
import SystemPackage

/// The treatment of corrected images whose frames do not fit the files or the options any more.
enum CorrectionPolicy: String, CaseIterable, ExpressibleByArgument {
  /// Fails the image, and keeps its output.
  case fail
  /// Applies the old frame to a new file.
  case apply
  /// Crops the image as if nobody had corrected it.
  case drop
  /// Skips the image, and keeps its output.
  case keep
}

/// A user's plan for an input in a manifest: frames that were corrected or rejected.
struct Correction: Sendable {
  /// The kind of reason of an image that has none of its correction.
  static let kind = "correction"

  var plan: CropPlan
  var file: FileVersion?
  let entry: ManifestEntry

  /// Reads a correction; nil for an entry without a user's plan, with one of another image, with incomplete data, or with
  /// more crops than a plan has.
  init?(_ entry: ManifestEntry) {
    let outcome = entry.outcome
    guard entry.isCorrected, !entry.hadOtherPlan, let width = outcome.width, let height = outcome.height,
      let crops = outcome.crops,
      max(crops.count, outcome.faces?.count ?? 0) <= CropPlan.most
    else { return nil }
    plan = CropPlan(
      source: PixelSize(width: width, height: height), rotation: outcome.rotation ?? .none,
      animationFrame: outcome.animationFrame ?? 0, detector: outcome.detector ?? "", faces: outcome.faces ?? [],
      chosen: outcome.chosen, facesAreComplete: outcome.facesAreComplete ?? true, possibleFace: outcome.possibleFace,
      crops: crops)
    (file, self.entry) = (entry.file, entry)
  }

  /// The outputs, relative to the output folder.
  var outputs: [FilePath] { (entry.outcome.outputs ?? []).map(\.path) }

  /// Whether a person rejected all outputs.
  var isRejection: Bool { plan.crops.isEmpty }

  /// The input's content; nil in manifests of older versions.
  var identity: InputContent? { entry.content.map { InputContent(identifier: $0, bytes: file?.bytes) } }

  /// Returns whether its frames are for the options with a fingerprint. A plan without crops fits any options.
  func fits(_ frame: String) -> Bool { isRejection || entry.frame == nil || entry.frame == frame }

  /// Returns whether its frames are for the images that a policy takes of an animation.
  func fits(_ policy: AnimationPolicy) -> Bool {
    isRejection || entry.animation.map { $0 == policy.rawValue } ?? true
  }

  /// Returns whether it is for a file of a version. `digest` returns the identifier of the file's content.
  func isOf(_ version: FileVersion?, digest: () -> String?) -> Bool {
    guard let version, let file, version != file else { return true }
    return entry.content != nil && digest() == entry.content
  }
}
