import ArgumentParser
import FaceCrop

/// The detector and the limits, for all commands that detect faces.
struct LookOptions: ParsableArguments {
  @OptionGroup(title: HelpTitle.faces) var detection: DetectorOption
  @OptionGroup(title: HelpTitle.limits) var damage: DamageOption
  @OptionGroup(title: HelpTitle.limits) var limitOptions: LimitOptions

  var detector: DetectorChoice { detection.detector }
  var allowTruncated: Bool { damage.allowTruncated }
  var limits: Limits { limitOptions.limits }

  /// Returns the cropper. With `looksAgain`, it is for more than one image.
  func cropper(looksAgain: Bool) -> FaceCropper {
    FaceCropper(detector: detector.detector(looksAgain: looksAgain), limits: limits, keepsMemory: looksAgain)
  }
}

struct DetectorOption: ParsableArguments {
  @Option(help: "Choose the face detector.")
  var detector = DetectorChoice.auto
}

struct DamageOption: ParsableArguments {
  @Flag(help: "Accept truncated and damaged images, with a warning.")
  var allowTruncated = false
}
