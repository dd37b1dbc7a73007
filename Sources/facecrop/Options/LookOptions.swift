import ArgumentParser
import FaceCrop

/// How pictures are searched, and what they may cost: the same for all commands.
struct LookOptions: ParsableArguments {
  @Option(help: "How faces are found: by the YuNet network with Haar cascades (auto), by either alone.")
  var detector = DetectorChoice.auto

  @Flag(help: "Take what can be read of a truncated or damaged picture, with a warning.")
  var allowTruncated = false

  @Option(
    help: ArgumentHelp(
      "Refuse pictures of more pixels, before decoding: 40000000 or 40MP. (default: 100MP)", valueName: "n"))
  var maxPixels: Quantity?

  @Option(help: ArgumentHelp("Refuse larger files: 1000000 or 64MiB. (default: 256MiB)", valueName: "n"))
  var maxFileSize: Quantity?

  var limits: Limits {
    var limits = Limits()
    if let maxPixels {
      limits.pixels = maxPixels.value
      // Memory limits fit the default number of pixels; they follow it up.
      let factor = Double(maxPixels.value) / Double(Limits().pixels)
      if factor > 1 {
        limits.coefficientBytes = Int(Double(limits.coefficientBytes) * factor)
        limits.regionBytes = Int(Double(limits.regionBytes) * factor)
        limits.pictureBytes = Int(Double(limits.pictureBytes) * factor)
      }
    }
    if let maxFileSize { limits.fileBytes = maxFileSize.value }
    return limits
  }

  /// - Parameter looksAgain: whether it is for more than one picture.
  func cropper(looksAgain: Bool) -> FaceCropper {
    FaceCropper(detector: detector.detector(looksAgain: looksAgain), limits: limits)
  }
}
