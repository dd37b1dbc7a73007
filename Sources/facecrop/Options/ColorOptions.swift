import ArgumentParser
import FaceCrop

/// The colors and metadata of the output.
struct ColorOptions: ParsableArguments {
  @Option(help: "Convert colors to sRGB, or keep them and the color profile. (default: srgb)")
  var color: ColorPolicy?

  @Option(help: "Choose the metadata that the output keeps. (default: strip)")
  var metadata: MetadataPolicy?

  @Flag(help: "Write the kept IPTC and XMP metadata to OUTPUT.xmp, too.")
  var sidecar = false

  @Option(help: "Keep or drop the HDR gain map in JPEG outputs. (default: keep above 1000 pixels on the longer side)")
  var gainMap: GainMapChoice?

  /// Refuses a sidecar without metadata.
  func check() throws(ValidationError) {
    if sidecar && (metadata ?? .strip) == .strip {
      throw ValidationError("--sidecar has nothing to write (add --metadata keep or --metadata copyright)")
    }
  }
}

/// The explicit choice for a gain map.
enum GainMapChoice: String, CaseIterable, ExpressibleByArgument {
  case keep, drop

  var policy: GainMapPolicy { self == .keep ? .keep : .drop }
}
