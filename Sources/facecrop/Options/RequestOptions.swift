import ArgumentParser
import FaceCrop

/// The crop request, for all commands that write crops. Options with different defaults are nil unless given; see
/// ``CropDefaults``.
struct RequestOptions: ParsableArguments {
  @OptionGroup(title: HelpTitle.faces) var face: FaceOptions
  @OptionGroup(title: HelpTitle.framing) var framing: FramingOptions
  @OptionGroup(title: HelpTitle.framing) var aligning: TemplateOption
  @OptionGroup(title: HelpTitle.size) var size: SizeOptions
  @OptionGroup(title: HelpTitle.print) var printing: PrintOptions
  @OptionGroup(title: HelpTitle.encoding) var encoding: EncodingOptions
  @OptionGroup(title: HelpTitle.color) var color: ColorOptions

  /// The choice of faces; nil for the command's default. A template has one face in each output.
  var faces: FaceSelection? { face.faces ?? (aligning.template != nil && face.person == nil ? .each : nil) }
  var noFace: NoFacePolicy? { face.noFace }

  func validate() throws {
    try size.check(printing)
    try framing.check(size)
    try aligning.check(self)
  }

  /// Refuses a detector that does not support the options.
  func check(_ look: LookOptions) throws(ValidationError) {
    try framing.check(look)
    try aligning.check(look)
  }

  /// Refuses a fill that no frame can need.
  func checkFill(_ defaults: CropDefaults) throws(ValidationError) {
    if aligning.template == nil { try framing.checkFill(defaults) }
  }

  /// The names of the given options that have no effect on a plan; nil for none.
  ///
  /// - Parameter others: Names that are left out.
  func ignoredByPlans(but others: Set<String> = []) -> String? {
    PlannedOptions(
      face: face, framing: framing, hasTemplate: aligning.template != nil, hasAspect: size.aspect != nil,
      hasFill: size.fill != nil
    )
    .given(but: others)
  }

  /// Returns the encoding of outputs in a format. Without --max-bytes, a document limits the bytes of a format with a
  /// quality.
  func method(_ format: ImageFormat, isLossless: Bool, _ defaults: CropDefaults) -> CropMaker.Method {
    let document = format.encoderFeatures.contains(.quality) ? framing.document(defaults) : nil
    return encoding.method(format, isLossless: isLossless, mostBytes: document?.mostBytes)
  }

  func request(_ defaults: CropDefaults, look: LookOptions) -> CropRequest {
    let document = size.isFree && printing.printSize == nil ? framing.document(defaults) : nil
    let exact = (try? printing.pixels) ?? size.exact ?? document?.pixels(perInch: Double(printing.perInch))
    let social = size.isFree && printing.printSize == nil ? framing.preset?.social : nil
    let sizes: [OutputSize]
    if let exact {
      sizes = [.exact(width: exact.width, height: exact.height)]
    } else if let social {
      sizes = [.filling(social.aspect, longSide: social.size.longSide)]
    } else {
      sizes = size.outputs
    }
    var output = CropOutput(
      sizes: sizes, enlarges: size.upscale, smallestSide: size.minSize ?? 1, shape: encoding.shape.shape,
      color: color.color ?? .srgb, metadata: color.metadata, gainMap: color.gainMap?.policy ?? .automatic,
      resolution: printing.resolution ?? document?.width.map { _ in Double(printing.perInch) },
      keepsPrintedSize: printing.printSize != nil || document?.width != nil)
    if let fill = framing.fill { output.fill = fill }
    let aspect = size.aspect ?? exact.map { AspectRatio(width: Double($0.width), height: Double($0.height)) }
    let filled = filledComposition
    var search = face.search(defaults)
    // The whole image would not have the shape.
    if filled != nil, face.noFace == nil, search.noFace == .whole || search.noFace == .maybe { search.noFace = .center }
    if let template = aligning.template(filledBy: framing.fill) {
      search.faces = faces ?? search.faces
      if face.noFace == nil, search.noFace == .whole { search.noFace = .fail }
      return CropRequest(
        search: search, composition: Composition(template: template), output: output,
        allowsDamage: look.allowTruncated)
    }
    return CropRequest(
      search: search, composition: filled ?? framing.composition(defaults, aspect: aspect), output: output,
      allowsDamage: look.allowTruncated)
  }

  /// The composition of the largest region; nil if no option asks for one. With several shapes, the sizes have them.
  private var filledComposition: Composition? {
    if let shape = size.fill { return Composition(aspect: shape, fillsPicture: true) }
    if !size.fillSizes.shapes.isEmpty { return Composition(fillsPicture: true) }
    return framing.preset?.social?.composition
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
    wanted.framing.preset?.placesHead == true ? .avatar : .crop
  }
}
