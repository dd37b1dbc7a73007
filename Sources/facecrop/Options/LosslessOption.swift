import ArgumentParser
import FaceCrop

/// Lossless crops, for `crop` and `batch`, whose crops can have the region's own size.
struct LosslessOption: ParsableArguments {
  @Flag(help: "Cut the region out of the JPEG file without encoding it again.")
  var lossless = false

  /// Refuses options that lossless crops do not support.
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
    if let first = Self.unfit.first(where: { $0.isGiven(wanted) }) {
      throw ValidationError("--lossless copies a JPEG file's pixels unchanged (leave out \(first.words))")
    }
  }

  /// The options that lossless crops do not support. All other options for an image are in ``fit``.
  static let unfit: [OptionRule<RequestOptions>] = [
    OptionRule("--animation") { $0.face.animation != .first },
    OptionRule("--fill-sizes") { !$0.size.fillSizes.shapes.isEmpty },
    OptionRule("--size") { !$0.size.sides.isEmpty },
    OptionRule("--width and --height") { $0.size.width != nil || $0.size.height != nil },
    OptionRule("--print") { $0.printing.printSize != nil },
    OptionRule("--dpi") { $0.printing.dpi != nil },
    OptionRule("--upscale") { $0.size.upscale },
    OptionRule("--template") { $0.aligning.template != nil },
    OptionRule("--align") { $0.framing.align },
    OptionRule("--pad and --pad-color") { $0.framing.pad != nil || $0.framing.padColor != nil },
    OptionRule("--color srgb") { $0.color.color == .srgb },
    OptionRule("--quality") { $0.encoding.formats.quality != nil },
    OptionRule("--max-bytes") { $0.encoding.maxBytes != nil },
    OptionRule("--min-size") { $0.size.minSize != nil },
    OptionRule("--speed") { $0.encoding.speed != nil },
    OptionRule("--progressive") { $0.encoding.progressive },
    OptionRule("--subsampling") { $0.encoding.formats.subsampling != .auto },
    OptionRule("--shape circle") { $0.encoding.shape == .circle },
    OptionRule("--background") { $0.encoding.background != nil },
    OptionRule("--background-fill") { $0.encoding.backdrop.backgroundFill != nil },
    OptionRule("--keep-people") { $0.encoding.backdrop.keepPeople },
    OptionRule("--fail-if-unsure") { $0.encoding.backdrop.failIfUnsure },
  ]
  static let fit: Set = [
    "--faces", "--person", "--order", "--min-face", "--preset", "--face-ratio", "--padding", "--aspect", "--fill",
    "--no-face", "--upright",
    "--format",
    "--accept",
    "--metadata", "--sidecar",
    "--lossless", "--gain-map",
    "--detector", "--allow-truncated", "--max-pixels", "--max-file-size", "--max-side", "--timeout",
  ]

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
