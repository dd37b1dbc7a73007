import ArgumentParser
import FaceCrop

/// Cutting out of a file instead of encoding again: for all commands but `avatar`, whose crops have a size of their own.
struct LosslessOption: ParsableArguments {
  @Flag(
    help: """
      Cut the region out of a JPEG file without encoding it again. It grows to the borders of JPEG's blocks, and it is said \
      by how much; colors, profile and EXIF orientation stay as they are.
      """)
  var lossless = false

  /// Refuses what such a crop cannot have.
  func check(_ wanted: RequestOptions) throws(ValidationError) {
    guard lossless else { return }
    let unfit: [(String, Bool)] = [
      ("--size", !wanted.size.sides.isEmpty), ("--width and --height", wanted.width != nil || wanted.height != nil),
      ("--upscale", wanted.upscale), ("--align", wanted.align),
      ("--pad and --pad-color", wanted.pad != nil || wanted.padColor != nil), ("--color srgb", wanted.color == .srgb),
      ("--quality", wanted.encoding.quality != nil), ("--progressive", wanted.encoding.progressive),
      ("--subsampling", wanted.encoding.subsampling != .auto), ("--shape circle", wanted.encoding.shape == .circle),
      ("--background", wanted.encoding.background != nil),
    ]
    if let first = unfit.first(where: \.1) {
      throw ValidationError("--lossless cuts a JPEG file as it is; leave out \(first.0).")
    }
  }

  /// The format of the outputs, where one is asked for by this or by `named`, the user's own choice.
  func format(_ named: ImageFormat?) throws(ValidationError) -> ImageFormat? {
    guard lossless else { return named }
    if let named, named != .jpeg { throw ValidationError("--lossless writes JPEG, and the output is \(named.name).") }
    return .jpeg
  }
}
