import ArgumentParser
import FaceCrop

/// The crop request, for all commands that write crops. Options with different defaults are nil unless given; see
/// ``CropDefaults``.
struct RequestOptions: ParsableArguments {
  @OptionGroup(title: HelpTitle.faces) var face: FaceOptions
  @OptionGroup(title: HelpTitle.framing) var framing: FramingOptions
  @OptionGroup(title: HelpTitle.size) var size: SizeOptions
  @OptionGroup(title: HelpTitle.print) var printing: PrintOptions
  @OptionGroup(title: HelpTitle.encoding) var encoding: EncodingOptions
  @OptionGroup(title: HelpTitle.color) var color: ColorOptions

  var faces: FaceSelection? { face.faces }
  var noFace: NoFacePolicy? { face.noFace }

  func validate() throws { try size.check(printing) }

  /// Refuses a detector that does not support the options.
  func check(_ look: LookOptions) throws(ValidationError) { try framing.check(look) }

  /// Refuses a fill that no frame can need.
  func checkFill(_ defaults: CropDefaults) throws(ValidationError) { try framing.checkFill(defaults) }

  /// The names of the given options that have no effect on a plan; nil for none.
  ///
  /// - Parameter others: Names that are left out.
  func ignoredByPlans(but others: Set<String> = []) -> String? {
    PlannedOptions(face: face, framing: framing, hasAspect: size.aspect != nil).given(but: others)
  }

  func request(_ defaults: CropDefaults, look: LookOptions) -> CropRequest {
    let exact = (try? printing.pixels) ?? size.exact
    let sizes = exact.map { [OutputSize.exact(width: $0.width, height: $0.height)] } ?? size.outputs
    var output = CropOutput(
      sizes: sizes, enlarges: size.upscale, smallestSide: size.minSize ?? 1, shape: encoding.shape.shape,
      color: color.color ?? .srgb, metadata: color.metadata, gainMap: color.gainMap?.policy ?? .automatic,
      resolution: printing.resolution, keepsPrintedSize: printing.printSize != nil)
    if let fill = framing.fill { output.fill = fill }
    let aspect = size.aspect ?? exact.map { AspectRatio(width: Double($0.width), height: Double($0.height)) }
    return CropRequest(
      search: face.search(defaults), composition: framing.composition(defaults, aspect: aspect), output: output,
      allowsDamage: look.allowTruncated)
  }
}

/// The defaults of a command.
struct CropDefaults: Sendable {
  var faces: FaceSelection
  var preset: PresetChoice?
  var noFace: NoFacePolicy
  /// The suffix of the output's name: `NAME-SUFFIX.EXT`.
  var suffix: String
}

extension CropDefaults {
  static let crop = CropDefaults(faces: .union, preset: nil, noFace: .whole, suffix: "crop")
  static let avatar = CropDefaults(faces: .largest, preset: .avatar, noFace: .maybe, suffix: "avatar")

  /// Returns the defaults by preset: those of `avatar` for one that places a head, else those of `crop`.
  static func of(_ wanted: RequestOptions) -> CropDefaults {
    let preset = wanted.framing.preset
    return preset == nil || preset == .crop ? .crop : .avatar
  }
}
