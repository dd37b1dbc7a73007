import ArgumentParser
import FaceCrop

/// The colors and metadata of the output.
struct ColorOptions: ParsableArguments {
  @Option(.of("color")) var color: ColorPolicy?
  @Option(.of("metadata")) var metadata: MetadataPolicy?
  @Flag(.of("sidecar")) var sidecar = false
  @Option(.of("gain-map")) var gainMap: GainMapPolicy?
}
