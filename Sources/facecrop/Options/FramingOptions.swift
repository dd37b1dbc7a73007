import ArgumentParser
import FaceCrop

/// The position of the head in the output, and the fill outside the image.
struct FramingOptions: ParsableArguments {
  @Option(.of("preset", .crop)) var preset: Preset?
  @Option(.of("face-ratio")) var faceRatio: Double?
  @Option(.of("padding")) var padding: Padding?
  @Flag(.of("align")) var align = false
  @Option(.of("pad"), parse: { PadFill($0) }) var pad: PadFill?
  @Option(.of("max-pad")) var maxPad: Double?

  /// Refuses a fill without a preset that places the head, because only such frames reach over the image's edge.
  func checkFill(_ defaults: CropDefaults) throws(ValidationError) {
    if pad != nil, framing(preset ?? defaults.preset) == nil {
      throw ValidationError("--pad needs a preset that places the head (add --preset avatar)")
    }
  }

  /// Returns the rules that outputs must keep; nil for none.
  func standard(_ defaults: CropDefaults) -> PhotoStandard? {
    (preset ?? defaults.preset).standard
  }

  /// The document whose authority sets the size of outputs; nil for none.
  func document(_ defaults: CropDefaults) -> PhotoDocument? { standard(defaults)?.document }

  private func framing(_ preset: Preset) -> Framing? {
    var framing = preset.framing
    if let faceRatio {
      framing = framing ?? .avatar
      framing?.faceRatio = faceRatio
      // A ratio that is asked for counts more than a standard's.
      framing?.standard = nil
    }
    if let maxPad { framing?.largestPaddedShare = maxPad }
    return framing
  }

  /// Returns the composition of a preset with the given options.
  func composition(_ preset: Preset, aspect: AspectRatio?) -> Composition {
    var layout = preset.composition.layout
    if let framing = framing(preset) {
      layout = .framing(framing, padding: padding ?? Padding(), edge: pad == nil ? .shift : .pad)
    } else if let padding {
      layout = layout.holdsBodies ? .bodies(padding: padding) : .faces(padding: padding)
    }
    if let aspect { layout.aspect = aspect }
    return Composition(layout, alignsEyes: align)
  }
}
