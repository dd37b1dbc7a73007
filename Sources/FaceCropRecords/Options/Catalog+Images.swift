import FaceCrop

/// The options for each image.
extension OptionFact {
  static let faces: [OptionFact] = [
    OptionFact(
      "faces", .crops.union([.sheet, .cropURL]),
      .choice(["union", "prominent", "largest", "sharpest", "central", "each", "tagged", "N", "person:NAME"]),
      value: "which", "Choose the faces to crop to.",
      "default: the preset's: union for \(presets { $0.search.faces == .union }), prominent for the others",
      form: "union, prominent, largest, sharpest, central, each, tagged, a number from 1, or person:NAME (1024 bytes)",
      accepts: { $0 == "center" || $0.hasPrefix("person:") || Int($0).map { $0 >= 1 } ?? false }, unfit: [.plan],
      former: [Former(name: "person") { "person:\($0)" }]),
    OptionFact(
      "faces", [.blur, .blurURL], .text, value: "list", "Hide only the faces with these numbers, as detect lists them.",
      "example: 1,3; default: all"),
    OptionFact(
      "except", [.blur, .blurURL], .text, value: "list", "Hide all faces but those with these numbers.", "example: 2",
      elsewhere: [(.batch, chosenFaces)]),
    OptionFact(
      "order", .crops.union(.sheet), .choice(FaceOrder.allCases.map(\.rawValue)), value: "by",
      "Number faces from left to right by rows, by confidence, or by size.", usual: "left", unfit: [.blur, .plan]),
    OptionFact(
      "min-face", .crops.union([.blur, .sheet, .blurURL]), .text, value: "height", "Ignore faces below this height.",
      "examples: 80, 5%",
      form: "a height such as 80 or 5%", unfit: [.plan]),
    OptionFact(
      "max-faces", .crops.union([.sheet, .cropURL]), .whole(1...5_000), value: "n",
      "Ignore all faces but the largest ones.",
      "example: 10", unfit: [.blur, .plan]),
    OptionFact(
      "no-face", .crops.union([.sheet, .cropURL]), .choice(NoFacePolicy.allCases.map(\.rawValue)),
      "Choose the output for an image without a face.",
      usually: [
        (
          [.avatar, .crop],
          "the preset's: whole for crop and group, center for \(Preset.social(.facebookLink).name), person for the others"
        ), (.batch, "skip"), (.sheet, "fail"),
      ], unfit: [.blur, .plan]),
    OptionFact(
      "upright", .crops.union([.detect, .sheet, .cropURL]), .choice(UprightPolicy.allCases.map(\.rawValue)),
      "Rotate an image that lies sideways or upside down until its faces are upright.", usual: "off",
      unfit: [.blur, .plan]),
    OptionFact(
      "animation", .crops.union(.cropURL), .choice(AnimationPolicy.allCases.map(\.rawValue)),
      "Use the first frame of an animation, the frame with open eyes and sharp faces, or keep all in GIF or WebP.",
      usual: "first", unfit: [.lossless, .blur, .plan], unfitValues: [.plan: { $0 == "best" }]),
    OptionFact(
      "animation", .sheet, .choice(AnimationPolicy.allCases.filter { $0 != .keep }.map(\.rawValue)),
      "Use the first frame of an animation, or the frame with open eyes and sharp faces.", usual: "first",
      accepts: { $0 == AnimationPolicy.keep.rawValue }, unfit: [.plan], unfitValues: [.plan: { $0 == "best" }]),
    OptionFact(
      "mesh", .crops.union([.detect, .cropURL]), .flag,
      "Find 468 points in each face, and add them to the faces in plans and JSON.",
      unfit: [.blur, .plan, .haar]),
    OptionFact(
      "detector", .detectors, .choice(["auto", "haar", "yunet"]), "Choose the face detector.", usual: "auto"),
  ]

  /// The ways to hide only some faces, as a remedy.
  public static let chosenFaces =
    "to choose faces, name people with --hide or --show, click them in the page of batch --blur --report, or use facecrop blur --faces for single files"

  /// The presets without `fill`, which only `--fill` selects.
  private static let presets = Preset.allCases.filter { $0 != .fill }

  private static func presets(where fits: (Preset) -> Bool) -> String {
    presets.filter(fits).map(\.name).joined(separator: " and ")
  }

  static let framing: [OptionFact] = [
    OptionFact(
      "preset", .crops.union(.sheet), .choice(presets.map(\.name)),
      "Show the head (avatar), head and shoulders (portrait), a passport photo, a photo for a country's document (passport:us), the face (tight), everyone from head to feet (group), a platform's shape around the people (social-facebook), or no more than the heads (crop).",
      usually: [([.batch, .crop], "crop"), (.avatar, "avatar"), (.sheet, "passport")],
      unfit: [.blur, .template, .plan]),
    OptionFact(
      "preset", .check, .choice(PhotoStandard.allCases.map(\.rawValue)), "Choose the document.",
      usual: PhotoStandard.passport.rawValue),
    OptionFact(
      "face-ratio", .crops.union(.sheet), .number(Double.leastNonzeroMagnitude...1), value: "r",
      "Set the face height as a fraction of the output height.", "default: the preset's",
      form: "a number above 0, at most 1", bound: "a number above 0, at most 1",
      unfit: [.blur, .template, .largest, .plan]),
    OptionFact(
      "padding", .crops.union(.sheet), .text, value: "p", "Add a margin, as a fraction of the face box.",
      "examples: 0.4; 0.4,0.3,0.2,0.3 for top,right,bottom,left; default: none, and whole heads with the preset crop",
      form: "one number of 0 or more, such as 0.3, or four for top, right, bottom and left",
      unfit: [.blur, .template, .largest, .plan, .series]),
    OptionFact(
      "align", .crops.union([.sheet, .cropURL]), .flag, "Rotate the output until the eyes are level.",
      unfit: [.lossless, .blur, .template, .largest, .plan, .haar]),
    OptionFact(
      "pad", .crops.union([.sheet, .cropURL]), .text, value: "fill",
      "Fill the area outside the image: edge, blur, or a color.", "example: ffffff",
      form: "edge, blur, or a color as rrggbb, such as 336699", unfit: [.lossless, .blur, .largest],
      former: [Former(name: "pad-color") { $0 }]),
    OptionFact(
      "max-pad", .crops.union([.sheet, .cropURL]), .number(0...1), value: "share",
      "Limit the share of the output that --pad fills.", "example: 0.1", usual: "1",
      unfit: [.lossless, .blur, .template, .largest, .plan],
      needs: ("pad", value: nil, example: "edge")),
    OptionFact(
      "series", .batch, .flag,
      "Give all heads one size and one eye line, as near to the preset's as 95 % of the heads allow.",
      unfit: [.blur, .template, .largest, .plan], needs: ("preset", value: nil, example: "portrait")),
    OptionFact(
      "best-of", .batch, .number(0...3_600), value: "seconds",
      "Crop only the best of the photos that show as many people and follow each other within this time.",
      "examples: 0.5, 2", unit: "seconds", unfit: [.blur, .haar]),
    OptionFact(
      "template", .crops.union(.cropURL), .text, value: "name",
      "Align each face to a template for training data: \(FaceTemplate.all.map(\.name).joined(separator: ", ")), or a JSON file with five points.",
      unfit: [.lossless, .blur, .plan, .haar]),
  ]

  static let sizes: [OptionFact] = [
    OptionFact(
      "size", .crops, .text, value: "size",
      "Set the longer side in pixels, or several; or the width and height, or one of them; or the size on paper.",
      "examples: 512; 512,256; 300x400; 300x; x400; 35x45mm",
      form: "512, 512,256, 300x400, 300x, x400, or 35x45mm", unfit: [.lossless, .blur, .template],
      former: [Former(name: "width") { "\($0)x" }, Former(name: "height") { "x\($0)" }, print]),
    OptionFact(
      "size", .sheet, .text, value: "wxh", "Set the size on paper.", "examples: 2x2in, 35x45mm; default: 35x45mm",
      former: [print]),
    OptionFact(
      "aspect", .crops, .text, value: "w:h", "Set the shape of the crop region.", "examples: 1:1, 4:5",
      form: "two numbers and a colon: 4:5", unfit: [.blur, .template, .plan]),
    OptionFact(
      "fill", .crops, .text, value: "w:h",
      "Take the largest region with this shape around the people, or one for each of several shapes.",
      "examples: 16:9; 16:9,1:1,9:16", unfit: [.lossless, .blur, .template, .plan],
      unfitValues: [.lossless: { $0.contains(",") }, .plan: { !$0.contains(",") }],
      former: [Former(name: "fill-sizes") { $0 }]),
    OptionFact(
      "min-size", .crops, .whole(1...OutputSize.largestSide), value: "n",
      "Fail if the longer side of an output would have fewer pixels.", "example: 300", unit: "pixels",
      form: "a number of pixels, such as 300", unfit: [.lossless, .blur]),
    OptionFact(
      "upscale", .crops, .flag, "Enlarge a crop region that has fewer pixels than the output.",
      unfit: [.lossless, .blur, .template]),
    OptionFact(
      "dpi", .crops.union(.sheet), .whole(1...65_535), value: "n", "Set the pixels per inch of the output.",
      usually: [(.crops, "300 for a size on paper"), (.sheet, "300")], unfit: [.lossless, .blur]),
  ]

  /// A size on paper has a unit; without one it would be one in pixels.
  private static let print = Former(name: "print") { size in
    ["mm", "cm", "in"].contains(where: size.hasSuffix) ? size : nil
  }

  static let encoding: [OptionFact] = [
    OptionFact(
      "format", .formats.union(.blurURL), .choice(written.map(\.rawValue) + ["auto"]), "Set the output format.",
      "default: by the output's extension", accepts: isFormat),
    OptionFact(
      "format", .sheet, .choice(["jpeg", "png", "tiff"]), "Set the output format.",
      "default: by the output's extension", accepts: { isFormat($0) && $0 != "auto" }),
    OptionFact(
      "accept", .formats, .text, value: "list", "List the media types for --format auto.",
      "example: image/webp", needs: ("format", value: "auto", example: "auto")),
    OptionFact(
      "quality", .formats.union(.urls), .whole(1...100), value: "q", "Set the quality, or lossless for WebP.",
      usual: "\(OutputFormat.usualQuality)", form: "a number from 1 to 100, or lossless", unfit: [.lossless]),
    OptionFact(
      "quality", .sheet, .whole(1...100), value: "q", "Set the quality.", usual: "\(OutputFormat.usualQuality)",
      form: "a number from 1 to 100"),
    OptionFact(
      "subsampling", .formats, .choice(["auto", "444", "422", "420"]), "Set the color resolution of JPEG and AVIF.",
      usual: "auto", unfit: [.lossless]),
    OptionFact(
      "subsampling", .sheet, .choice(["auto", "444", "422", "420"]), "Set the color resolution of JPEG.",
      usual: "auto"),
    OptionFact(
      "speed", .crops, .whole(0...9), value: "n", "Set the AVIF speed; 0 makes the smallest files.", usual: "7",
      unfit: [.lossless, .blur]),
    OptionFact(
      "max-bytes", .crops, .text, value: "n", "Limit the size of the output file.", "examples: 30K, 200KiB; K is 1,000",
      form: "a number above 0, such as 30K or 0.5MiB", unfit: [.lossless, .blur]),
    OptionFact(
      "progressive", .crops, .flag, "Write progressive JPEG, which loads from coarse to fine.",
      unfit: [.lossless, .blur]),
    OptionFact(
      "shape", .crops.union(.cropURL), .choice(["square", "circle"]),
      "Keep the whole output, or a circle of it with a transparent outside.", usual: "square",
      unfit: [.lossless, .blur]),
    OptionFact(
      "matte", .crops, .text, value: "rrggbb", "Set the color behind transparent pixels in JPEG.", "default: ffffff",
      form: "a color as rrggbb, such as 336699", unfit: [.lossless, .blur],
      former: [Former(name: "background") { $0 }]),
    OptionFact(
      "background-fill", .crops.union([.sheet, .cropURL]), .file, value: "fill",
      "Replace the background: white, a color, required, blur, blur:N (in percent), transparent, or an image file.",
      form: "white, a color such as 336699, required, blur, blur:5, transparent, or the name of an image file",
      unfit: [.lossless, .blur]),
    OptionFact(
      "keep-people", .crops.union([.sheet, .cropURL]), .flag,
      "Keep people beside the cropped ones when the background is replaced.", unfit: [.lossless, .blur],
      needs: ("background-fill", value: nil, example: "white")),
    OptionFact(
      "fail-if-unsure", .crops.union([.sheet, .cropURL]), .flag,
      "Fail, with status 2 (in a batch 1), if a person may not be cut out exactly.", unfit: [.lossless, .blur],
      needs: ("background-fill", value: nil, example: "white")),
    OptionFact(
      "lossless", [.batch, .crop, .request], .flag, "Cut the region out of the JPEG file without encoding it again.",
      unfit: [.blur], elsewhere: [(.avatar, "use facecrop crop --preset avatar --lossless")]),
  ]

  private static let written = ImageFormat.allCases.filter(\.isWritten)

  /// Returns whether a text is a format that is written, in any case, or its extension.
  private static let isFormat: @Sendable (String) -> Bool = { text in
    let name = text.lowercased()
    return name == "auto" || written.contains { $0.rawValue == name || $0.fileExtensions.contains(name) }
  }

  static let colors: [OptionFact] = [
    OptionFact(
      "color", .crops, .choice(ColorPolicy.allCases.map(\.rawValue)),
      "Convert colors to sRGB, or keep them and the color profile.", "default: srgb",
      unfit: [.lossless, .blur], unfitValues: [.lossless: { $0 == "srgb" }]),
    OptionFact(
      "metadata", .crops, .choice(MetadataPolicy.allCases.map(\.rawValue)),
      "Choose the metadata that the output keeps.", usual: MetadataPolicy.strip.rawValue),
    OptionFact(
      "metadata", [.blur, .blurURL], .choice(MetadataPolicy.allCases.map(\.rawValue)),
      "Choose the metadata that the output keeps.", usual: MetadataPolicy.keep.rawValue),
    OptionFact(
      "sidecar", .crops, .flag, "Write the kept IPTC and XMP metadata to OUTPUT.xmp, too.", unfit: [.blur],
      needs: ("metadata", value: nil, example: "keep")),
    OptionFact(
      "gain-map", .crops, .choice(["keep", "drop"]), "Keep or drop the HDR gain map in JPEG outputs.",
      "default: keep above 1000 pixels on the longer side", unfit: [.blur]),
  ]

  /// The look of hidden areas: for `blur`, and under longer names for `batch`.
  static let blur: [OptionFact] =
    [OptionFact("blur", .batch, .flag, "Hide the faces in whole images instead of cropping.")]
    + [("", [.blur, .blurURL], nil), ("blur-", .batch, ("blur", nil, nil))].flatMap {
      (prefix: String, place: Places, needs: (String, String?, String?)?) in
      [
        OptionFact(
          "\(prefix)mode", place, .choice(BlurMode.allCases.map(\.rawValue)),
          "Blur the faces, draw them as squares (pixelate), or cover them in black (solid) or with an image.",
          usual: BlurMode.blur.rawValue, needs: needs),
        OptionFact(
          "\(prefix)image", place.subtracting(.blurURL), .file, value: "file",
          "Cover each face with this image, such as a mask or an emoji.",
          needs: ("\(prefix)mode", value: BlurMode.image.rawValue, example: BlurMode.image.rawValue)),
        OptionFact(
          "\(prefix)shape", place, .choice(BlurShape.allCases.map(\.rawValue)),
          "Hide an ellipse over the head, a box, or the whole head with its hair.",
          usual: BlurShape.ellipse.rawValue, needs: needs),
        OptionFact(
          "\(prefix)margin", place, .number(0...2), value: "r",
          "Reach over the head by this fraction of the face height.",
          usual: "\(BlurRequest.defaultMargin)", needs: needs),
        OptionFact(
          "hide", place, .text, value: "people", "Hide only people with these names in --names.",
          "example: Anna Berg,Ben Otto", unfit: [.plan], needs: needs ?? ("names", nil, "names.csv")),
        OptionFact(
          "show", place, .text, value: "people", "Hide all faces but those of people with these names in --names.",
          "example: Anna Berg", unfit: [.plan], needs: needs ?? ("names", nil, "names.csv")),
      ]
    } + [
      OptionFact("keep-location", [.blur, .blurURL], .flag, "Keep the GPS position."),
      OptionFact(
        "keep-location", .batch, .flag, "Keep the GPS position in images with hidden faces.",
        needs: ("blur", value: nil, example: nil)),
    ]
}
