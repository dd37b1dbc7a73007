import ArgumentParser
import FaceCrop

/// Lossless crops, for `crop` and `batch`, whose crops can have the region's own size.
struct LosslessOption: ParsableArguments {
  @Flag(.of("lossless")) var lossless = false

  /// Refuses presets that set a size.
  func check(_ wanted: RequestOptions) throws(ValidationError) {
    guard lossless else { return }
    if let preset = wanted.framing.preset?.standard, preset.document != nil {
      throw ValidationError(
        "--lossless copies a JPEG file's pixels unchanged (leave out --preset \(preset.rawValue), which sets a size)")
    }
    if let social = wanted.framing.preset?.social {
      throw ValidationError(
        "--lossless copies a JPEG file's pixels unchanged (leave out --preset \(social.rawValue), which sets a size, or use --fill)"
      )
    }
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
