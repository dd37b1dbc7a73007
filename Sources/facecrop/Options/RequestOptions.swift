import ArgumentParser
import FaceCrop

/// What is wanted of a picture, and as what it is written: the same for all commands that crop. What they differ in is nil
/// here when it is not given; see ``CropDefaults``.
struct RequestOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Which faces the crop is for: all of them in one region (union), the largest confident face (largest), the sharpest one \
      (sharpest), the most central face (central), each face in an output of its own (each), or the N-th face that detect prints. \
      (default: \(HelpDefaults.faces))
      """,
      valueName: "which"))
  var faces: FaceSelection?

  @Option(
    help: ArgumentHelp(
      """
      The lowest face that counts: in pixels of the picture, like 80, or in parts of its height, like 5%. (default: any)
      """,
      valueName: "height"))
  var minFace: FaceHeight?

  @Option(
    help: ArgumentHelp(
      """
      How the head is placed: head and a little shoulder in a square (avatar), head and shoulders in 4:5 (portrait), as in a \
      passport in 35:45 (passport), little more than the face (tight), or not at all (crop). (default: \(HelpDefaults.preset))
      """))
  var preset: PresetChoice?

  @Option(
    help: ArgumentHelp("Height of the face as a fraction of the output's. (default: the preset's)", valueName: "r"))
  var faceRatio: Double?

  @Option(help: ArgumentHelp("Margin in fractions of the face box: P, or T,R,B,L.", valueName: "p"))
  var padding = Padding()

  @Option(help: ArgumentHelp("Shape of the region, for example 1:1 or 4:5.", valueName: "w:h"))
  var aspect: AspectRatio?

  @Option(
    help: ArgumentHelp(
      "The output's longer side in pixels; several, like 512,256,128, make an output each. (default: that of the region)",
      valueName: "n"), transform: SizeList.parsed)
  var size = SizeList()

  @Option(help: ArgumentHelp("The output's width in pixels; with --height its shape too.", valueName: "n"))
  var width: Int?

  @Option(help: ArgumentHelp("The output's height in pixels.", valueName: "n"))
  var height: Int?

  @Option(
    name: .customLong("print"),
    help: ArgumentHelp(
      """
      The output's size on paper: 35x45mm, 3.5x4.5cm, 2x2in, in the place of --size, --width, --height and --aspect. It has the \
      pixels that follow from --dpi, or fewer pixels per inch where the region has not as many.
      """,
      valueName: "wxh"), transform: PrintSize.parsed)
  var printSize: PrintSize?

  @Option(
    help: ArgumentHelp(
      """
      Pixels per inch that the output's file says it has. (default: \(PrintSize.usualResolution) with --print; else what the picture \
      says with --metadata copyright or keep, and nothing without)
      """,
      valueName: "n"))
  var dpi: Int?

  @Option(
    help: ArgumentHelp(
      "Fail where an output's longer side would have fewer pixels than this, instead of writing a small one.",
      valueName: "n"))
  var minSize: Int?

  @Flag(help: "Enlarge regions that are smaller than the output.")
  var upscale = false

  @Flag(help: "Turn the output so that the eyes are level; the detector has to be auto or yunet.")
  var align = false

  @Option(
    help: """
      Fill what lies outside of the picture, where a placed head reaches over its edge, with the edge's pixels (edge) or a blurred \
      mirror image (blur), instead of moving and shrinking the region.
      """)
  var pad: PadChoice?

  @Option(help: ArgumentHelp("Fill what lies outside of the picture with one color, like ffffff.", valueName: "rrggbb"))
  var padColor: HexColor?

  @Option(
    help: ArgumentHelp(
      """
      What to do with a picture without a face: take the whole picture (whole); its center, in the shape that is asked for or \
      square (center); what may be a face, else its center (maybe); such a part around what draws the eye (attention); write nothing \
      (skip); or fail with status 2 (fail). \
      (default: \(HelpDefaults.noFace))
      """))
  var noFace: NoFacePolicy?

  @OptionGroup var encoding: EncodingOptions

  @Option(
    help: """
      Colors of the output where the picture has a color profile: converted to sRGB, or as they are, with the profile. \
      (default: srgb)
      """)
  var color: ColorPolicy?

  @Option(
    help: """
      What the output says of the picture: nothing (strip); who made it and whose it is (copyright), from EXIF, IPTC and XMP; \
      or also its description and all that the EXIF standard lists, with the place where it was taken (keep). Never a maker note \
      or an embedded picture.
      """)
  var metadata = MetadataPolicy.strip

  @Option(
    help: ArgumentHelp(
      """
      Keep the gain map of a picture of high dynamic range in JPEG outputs, cropped like the picture, or drop it. (default: keep in \
      outputs of more than 1000 pixels)
      """))
  var gainMap: GainMapChoice?

  func validate() throws {
    if let faceRatio, !(faceRatio > 0 && faceRatio <= 1) {
      throw ValidationError("The face ratio must be above 0 and at most 1, not \(faceRatio).")
    }
    if let dpi, !(1...65_535).contains(dpi) { throw ValidationError("--dpi must be 1 to 65535, not \(dpi).") }
    if let printSize {
      if !size.sides.isEmpty || width != nil || height != nil || aspect != nil {
        throw ValidationError("--print says size and shape; leave out --size, --width, --height and --aspect.")
      }
      _ = try printSize.pixels(perInch: perInch)
    }
    let longestOutput = exactSize?.longSide ?? [width, height].compactMap { $0 }.max()
    if let minSize, let least = size.sides.min() ?? longestOutput, least < minSize {
      throw ValidationError("--min-size is \(minSize), and an output of \(least) pixels is asked for.")
    }
    for (option, side) in [("--width", width), ("--height", height), ("--min-size", minSize)] {
      if let side, !(1...OutputSize.largestSide).contains(side) {
        throw ValidationError("\(option) must be 1 to \(OutputSize.largestSide) pixels, not \(side).")
      }
    }
    if aspect != nil && width != nil && height != nil {
      throw ValidationError("--width and --height say the shape; leave out --aspect, or one of them.")
    }
    if !size.sides.isEmpty && (width != nil || height != nil) {
      throw ValidationError("Give either --size, or --width and --height.")
    }
    if pad != nil && padColor != nil { throw ValidationError("Give either --pad or --pad-color.") }
  }

  /// Refuses what that look cannot give.
  func check(_ look: LookOptions) throws(ValidationError) {
    if align && look.detector == .haar {
      throw ValidationError("--align needs the eyes, which haar does not find; choose --detector auto or yunet.")
    }
  }

  /// Refuses to fill what lies outside of the picture where no head is placed, whose frame could reach there.
  func checkFill(_ defaults: CropDefaults) throws(ValidationError) {
    if pad != nil || padColor != nil, framing(defaults) == nil {
      throw ValidationError(
        "\(pad != nil ? "--pad" : "--pad-color") fills where a placed head reaches over the edge; choose a --preset for it."
      )
    }
  }

  private func framing(_ defaults: CropDefaults) -> Framing? {
    var framing = (preset ?? defaults.preset)?.framing
    if let faceRatio {
      framing = framing ?? .avatar
      framing?.faceRatio = faceRatio
    }
    return framing
  }

  /// - Parameter look: its word on damage counts.
  func request(_ defaults: CropDefaults, look: LookOptions) -> CropRequest {
    var composition = Composition(
      framing: framing(defaults), padding: padding,
      aspect: aspect ?? exactSize.map { AspectRatio(width: Double($0.width), height: Double($0.height)) },
      levelsEyes: align)
    var output = CropOutput(
      sizes: sizes, enlarges: upscale, smallestSide: minSize ?? 1, shape: encoding.shape.shape, color: color ?? .srgb,
      metadata: metadata, gainMap: gainMap?.policy ?? .automatic,
      resolution: dpi.map(Double.init) ?? printSize.map { _ in Double(perInch) },
      keepsPrintedSize: printSize != nil)
    if let fill = padColor?.fill ?? pad?.fill {
      composition.edge = .pad
      output.fill = fill
    }
    return CropRequest(
      search: FaceSearch(
        faces: faces ?? defaults.faces, noFace: noFace ?? defaults.noFace, smallestFace: minFace),
      composition: composition,
      output: output, allowsDamage: look.allowTruncated)
  }

  private var perInch: Int { dpi ?? PrintSize.usualResolution }

  private var exactSize: PixelSize? {
    if let printSize { return try? printSize.pixels(perInch: perInch) }
    guard let width, let height else { return nil }
    return PixelSize(width: width, height: height)
  }

  private var sizes: [OutputSize] {
    if let exactSize { return [.exact(width: exactSize.width, height: exactSize.height)] }
    if let width { return [.width(width)] }
    if let height { return [.height(height)] }
    return size.sides.map { .longSide($0) }
  }
}

/// What a command takes where nothing is asked for.
struct CropDefaults: Sendable {
  var faces: FaceSelection
  var preset: PresetChoice?
  var noFace: NoFacePolicy
  /// What is appended to the output's name: `NAME-SUFFIX.EXT`.
  var suffix: String
}

extension CropDefaults {
  static let crop = CropDefaults(faces: .union, preset: nil, noFace: .whole, suffix: "crop")
  static let avatar = CropDefaults(faces: .largest, preset: .avatar, noFace: .maybe, suffix: "avatar")

  /// The defaults where the preset says which command's: those of `avatar` for one that places a head, else those of `crop`.
  static func of(_ wanted: RequestOptions) -> CropDefaults {
    wanted.preset == nil || wanted.preset == .crop ? .crop : .avatar
  }
}

/// What becomes of a gain map, where that is said.
enum GainMapChoice: String, CaseIterable, ExpressibleByArgument {
  case keep, drop

  var policy: GainMapPolicy { self == .keep ? .keep : .drop }
}
