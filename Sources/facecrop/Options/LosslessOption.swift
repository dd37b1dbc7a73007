import ArgumentParser
import FaceCrop

/// Cutting out of a file instead of encoding again: for all commands but `avatar`, whose crops have a size of their own.
struct LosslessOption: ParsableArguments {
  @Flag(
    help: """
      Cut the region out of a JPEG file without encoding it again. The region grows to the borders of JPEG's blocks, and a \
      warning says by how much. Colors, profile and EXIF orientation stay as they are.
      """)
  var lossless = false

  /// Refuses what such a crop cannot have.
  func check(_ wanted: RequestOptions) throws(ValidationError) {
    guard lossless else { return }
    if let first = Self.unfit.first(where: { $0.isGiven(wanted) }) {
      throw ValidationError("--lossless cuts a JPEG file as it is; leave out \(first.words).")
    }
  }

  /// What such a crop cannot have. Every other option that is for a picture is in ``fit``.
  static let unfit: [OptionRule<RequestOptions>] = [
    OptionRule("--size") { !$0.size.sides.isEmpty },
    OptionRule("--width and --height") { $0.width != nil || $0.height != nil },
    OptionRule("--print") { $0.printSize != nil },
    OptionRule("--dpi") { $0.dpi != nil },
    OptionRule("--upscale") { $0.upscale },
    OptionRule("--align") { $0.align },
    OptionRule("--pad and --pad-color") { $0.pad != nil || $0.padColor != nil },
    OptionRule("--color srgb") { $0.color == .srgb },
    OptionRule("--quality") { $0.encoding.quality != nil },
    OptionRule("--max-bytes") { $0.encoding.maxBytes != nil },
    OptionRule("--min-size") { $0.minSize != nil },
    OptionRule("--speed") { $0.encoding.speed != nil },
    OptionRule("--progressive") { $0.encoding.progressive },
    OptionRule("--subsampling") { $0.encoding.subsampling != .auto },
    OptionRule("--shape circle") { $0.encoding.shape == .circle },
    OptionRule("--background") { $0.encoding.background != nil },
  ]
  static let fit: Set = [
    "--faces", "--min-face", "--preset", "--face-ratio", "--padding", "--aspect", "--no-face", "--format", "--accept",
    "--metadata",
    "--lossless", "--gain-map",
    "--detector", "--allow-truncated", "--max-pixels", "--max-file-size", "--max-side", "--timeout",
  ]

  /// The format of the outputs, where one is asked for by this or by `named`, the user's own choice.
  func format(_ named: ImageFormat?) throws(ValidationError) -> ImageFormat? {
    guard lossless else { return named }
    if let named, named != .jpeg { throw ValidationError("--lossless writes JPEG, and the output is \(named.name).") }
    return .jpeg
  }
}
