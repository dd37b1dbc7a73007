import ArgumentParser
import FaceCrop

/// The detector and the limits, for all commands that detect faces.
struct LookOptions: ParsableArguments {
  @OptionGroup(title: HelpTitle.faces) var detection: DetectorOption
  @OptionGroup(title: HelpTitle.limits) var limitOptions: LimitOptions

  var detector: DetectorChoice { detection.detector }
  var allowTruncated: Bool { limitOptions.allowTruncated }
  var limits: Limits { limitOptions.limits }

  /// Returns the cropper. With `looksAgain`, it is for more than one image.
  func cropper(looksAgain: Bool) -> FaceCropper {
    FaceCropper(detector: detector.detector(looksAgain: looksAgain), limits: limits, keepsMemory: looksAgain)
  }
}

struct DetectorOption: ParsableArguments {
  @Option(.of("detector")) var detector = DetectorChoice.auto
}

/// The option for commands that print text or JSON.
struct JSONOption: ParsableArguments {
  @Flag(.of("json", .check)) var json = false
}

struct PageOption: ParsableArguments {
  @Option(.of("page")) var page: Int?
}
