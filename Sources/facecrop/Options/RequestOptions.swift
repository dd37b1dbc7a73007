import ArgumentParser
import FaceCrop

/// The crop request, for all commands that write crops. Options with different defaults are nil unless given; see
/// ``CropDefaults``.
struct RequestOptions: ParsableArguments {
  @OptionGroup(title: HelpTitle.faces) var face: FaceOptions
  @OptionGroup(title: HelpTitle.framing) var framing: FramingOptions
  @OptionGroup(title: HelpTitle.framing) var aligning: TemplateOption
  @OptionGroup(title: HelpTitle.size) var size: SizeOptions
  @OptionGroup(title: HelpTitle.encoding) var encoding: EncodingOptions
  @OptionGroup(title: HelpTitle.color) var color: ColorOptions

  /// The choice of faces; nil for the command's default. A template has one face in each output.
  var faces: FaceSelection? { face.faces ?? (aligning.template != nil ? .each : nil) }

  func validate() throws {
    try size.check()
    try aligning.check(self)
  }

  /// Replaces the background `required` by a color. A worker's defaults keep it, because each request can have a preset.
  mutating func resolveBackground() throws(ValidationError) { try encoding.backdrop.resolve(for: framing.preset) }

  /// Refuses a fill that no frame can need.
  func checkFill(_ defaults: CropDefaults) throws(ValidationError) {
    if aligning.template == nil { try framing.checkFill(defaults) }
  }

  /// Returns the encoding of outputs in a format. Without --max-bytes, a document limits the bytes of a format with a
  /// quality.
  func method(_ format: ImageFormat, isLossless: Bool, _ defaults: CropDefaults) -> CropMaker.Method {
    guard !isLossless else { return .lossless }
    let document = format.encoderFeatures.contains(.quality) ? framing.document(defaults) : nil
    return .encoded(
      encoding.outputFormat(format), background: encoding.matte ?? .white,
      mostBytes: encoding.maxBytes ?? document?.mostBytes)
  }

  func request(_ defaults: CropDefaults, look: LookOptions) -> CropRequest {
    let preset = preset(defaults)
    var output =
      size.isFree
      ? preset.output(pixelsPerInch: Double(size.perInch)) : CropOutput(sizes: size.outputs)
    (output.allowsUpscaling, output.smallestSide, output.shape) = (
      size.upscale, size.minSize ?? 1, encoding.shape.shape
    )
    (output.color, output.metadata) = (color.color ?? .srgb, color.metadata ?? .strip)
    output.gainMap = color.gainMap ?? .automatic
    if size.dpi != nil || size.isOnPaper { output.resolution = Double(size.perInch) }
    output.keepsPrintedSize = output.keepsPrintedSize || size.isOnPaper
    if let fill = framing.pad { output.fill = fill }
    var search = face.search(preset, noFace: defaults.noFace)
    search.findsMeshes = aligning.mesh
    var composition = preset.composition
    if let template = aligning.template(filledBy: framing.pad) {
      composition = Composition(.template(template))
      search.faces = faces ?? search.faces
      if face.noFace == nil, search.noFace == .whole { search.noFace = .fail }
    } else {
      if case .fill = composition.layout {
        if size.fill.count == 1 { composition.layout.aspect = size.fill[0] }
      } else {
        composition = framing.composition(preset, aspect: size.aspect ?? output.sizes.first?.aspect)
      }
    }
    return CropRequest(search: search, composition: composition, output: output, allowsDamage: look.allowTruncated)
  }

  private func preset(_ defaults: CropDefaults) -> Preset { size.fills ? .fill : framing.preset ?? defaults.preset }
}

/// The defaults of a command.
struct CropDefaults: Sendable {
  var preset: Preset
  /// The result without a face; nil for the preset's.
  var noFace: NoFacePolicy?
  /// The suffix of the output's name: `NAME-SUFFIX.EXT`.
  var suffix: String

  /// Those of `crop`, and of `batch` and its workers.
  static let crop = CropDefaults(preset: .crop, suffix: "crop")
  static let avatar = CropDefaults(preset: .avatar, suffix: "avatar")
  /// Those of `sheet`. A missing face is an error, because a print without one would be useless.
  static let sheet = CropDefaults(preset: .document(.passport), noFace: .fail, suffix: "sheet")
}
