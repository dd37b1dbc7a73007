import ArgumentParser
import FaceCrop

/// How pictures are searched, and what they may cost: the same for all commands that look.
struct LookOptions: ParsableArguments {
  @Option(
    help: """
      How faces are found: by the network YuNet (auto and yunet), or by OpenCV's Haar cascades at its proposals (haar), which find fewer.
      """)
  var detector = DetectorChoice.auto

  @Flag(help: "Take what can be read of a truncated or damaged picture, with a warning.")
  var allowTruncated = false

  @OptionGroup var limitOptions: LimitOptions

  var limits: Limits { limitOptions.limits }

  /// - Parameter looksAgain: whether it is for more than one picture.
  func cropper(looksAgain: Bool) -> FaceCropper {
    FaceCropper(detector: detector.detector(looksAgain: looksAgain), limits: limits)
  }
}
