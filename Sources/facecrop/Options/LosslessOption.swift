import ArgumentParser
import FaceCrop

/// Lossless crops, for `crop` and `batch`, whose crops can have the region's own size.
struct LosslessOption: ParsableArguments {
  @Flag(.of("lossless")) var lossless = false

  /// Refuses presets that set a size.
  func check(_ wanted: RequestOptions) throws(ValidationError) {
    guard lossless, let preset = wanted.framing.preset, preset.social != nil || preset.standard?.document != nil
    else { return }
    let other = preset.social == nil ? "" : ", or use --fill"
    throw ValidationError(
      "--lossless copies a JPEG file's pixels unchanged (leave out --preset \(preset.name), which sets a size\(other))")
  }

  /// Returns the format of the outputs by this option or by `named`, the user's choice.
  func format(_ named: ImageFormat?) throws(ValidationError) -> ImageFormat? {
    guard lossless else { return named }
    if let named, named != .jpeg {
      throw ValidationError(
        "--lossless writes JPEG, and the output is \(named.name) (write JPEG, or leave out --lossless)")
    }
    return .jpeg
  }
}
