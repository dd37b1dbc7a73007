import FaceCrop

/// An option in the query of the server's own URLs. ``all`` are those of crops, which the parser and the playground's
/// controls both use. ``hiding`` are those of `/blur`.
struct URLParameter: Sendable {
  enum Values: Sendable {
    case choice([String])
    case number(ClosedRange<Int>)
    /// A text with an upper bound of its bytes.
    case text(Int)
  }

  let name: String
  /// The effect, as a sentence for the playground.
  let help: String
  let values: Values
  /// The parser of a value.
  let set: @Sendable (inout PictureRequest, inout CropRequest, String) throws(DialectFault) -> Void

  static let all = [
    quality, shape, background, keepPeople, failIfUnsure, faces, person, noFace, align, upright, template,
    animation,
  ]

  static let quality = URLParameter(
    name: "quality", help: "Quality of JPEG, WebP and AVIF. The default is \(OutputFormat.usualQuality).",
    values: .number(1...100)
  ) { (request, _, value) throws(DialectFault) in
    guard let quality = Int(value), (1...100).contains(quality) else {
      throw DialectFault("quality must be a whole number from 1 to 100, not '\(value)'")
    }
    request.quality = quality
  }

  private static let shape = URLParameter(
    name: "shape", help: "A circle has transparent corners.", values: .choice(["square", "circle"])
  ) { (_, crop, value) throws(DialectFault) in
    guard let shape = ["square": CropShape.rectangle, "circle": .circle][value] else {
      throw DialectFault("shape must be square or circle, not '\(value)'")
    }
    crop.output.shape = shape
  }

  private static let background = URLParameter(
    name: "bg", help: "The new background: white, a color like 336699, blur, blur:5 or transparent.", values: .text(16)
  ) { (_, crop, value) throws(DialectFault) in
    guard let fill = Background.Fill(value) else {
      throw DialectFault("bg must be white, a color like 336699, blur, blur:5 or transparent, not '\(value)'")
    }
    crop.output.background = Background(fill)
  }

  private static let keepPeople = flag(
    "keep-people", help: "Keeps people beside the cropped ones before a new background.", \.keepsPeople)
  private static let failIfUnsure = flag(
    "fail-if-unsure", help: "Refuses an image whose people may not be cut out exactly.", \.failsIfUnsure)

  /// Returns a parameter that needs a new background.
  private static func flag(
    _ name: String, help: String, _ property: any WritableKeyPath<Background, Bool> & Sendable
  ) -> URLParameter {
    URLParameter(name: name, help: help, values: .choice(["false", "true"])) {
      (_, crop, value) throws(DialectFault) in
      guard let flag = Bool(value) else { throw DialectFault("\(name) must be true or false, not '\(value)'") }
      guard crop.output.background != nil else {
        throw DialectFault("\(name) needs a new background (add bg=white)")
      }
      crop.output.background?[keyPath: property] = flag
    }
  }

  static let selections: [String: FaceSelection] = [
    "union": .union, "largest": .largest, "sharpest": .sharpest, "central": .central, "tagged": .tagged,
  ]

  private static let faces = URLParameter(
    name: "faces", help: "The faces that the crop is for.", values: .choice(selections.keys.sorted())
  ) { (_, crop, value) throws(DialectFault) in
    guard let faces = selections[value] else {
      throw DialectFault("faces must be central, largest, sharpest, tagged or union, not '\(value)'")
    }
    crop.search.faces = faces
  }

  private static let person = URLParameter(
    name: "person", help: "A name in the image's metadata, instead of faces.", values: .text(1_024)
  ) { (_, crop, value) throws(DialectFault) in
    guard !value.isEmpty, value.utf8.count <= 1_024 else { throw DialectFault("person must be a name") }
    crop.search.faces = .person(value)
  }

  private static let noFace = URLParameter(
    name: "no-face", help: "The crop of an image without a face.",
    values: .choice(NoFacePolicy.allCases.filter { $0 != .skip }.map(\.rawValue))
  ) { (_, crop, value) throws(DialectFault) in
    guard let policy = NoFacePolicy(rawValue: value), policy != .skip else {
      throw DialectFault("no-face must be whole, center, maybe, attention or fail, not '\(value)'")
    }
    crop.search.noFace = policy
  }

  private static let align = URLParameter(
    name: "align", help: "Turns the image so that the eyes are level.", values: .choice(["false", "true"])
  ) { (_, crop, value) throws(DialectFault) in
    guard let align = Bool(value) else { throw DialectFault("align must be true or false, not '\(value)'") }
    crop.composition.alignsEyes = align
  }

  private static let upright = URLParameter(
    name: "upright", help: "Turns an image that lies on its side by its faces.", values: .choice(["off", "auto"])
  ) { (_, crop, value) throws(DialectFault) in
    guard let policy = UprightPolicy(rawValue: value) else {
      throw DialectFault("upright must be auto or off, not '\(value)'")
    }
    crop.search.upright = policy
  }

  private static let animation = URLParameter(
    name: "animation",
    help: "Uses the first frame of an animation, the one with the sharpest faces, or keeps all in WebP or GIF.",
    values: .choice(AnimationPolicy.allCases.map(\.rawValue))
  ) { (_, crop, value) throws(DialectFault) in
    guard let policy = AnimationPolicy(rawValue: value) else {
      throw DialectFault("animation must be first, best or keep, not '\(value)'")
    }
    crop.search.animation = policy
  }

  private static let template = URLParameter(
    name: "template", help: "Aligns one face for a network, instead of the preset; use the template's size.",
    values: .choice(FaceTemplate.all.map(\.name))
  ) { (_, crop, value) throws(DialectFault) in
    guard let template = FaceTemplate.all.first(where: { $0.name == value }) else {
      let names = FaceTemplate.all.map(\.name).joined(separator: ", ")
      throw DialectFault("template must be one of \(names), not '\(value)'")
    }
    crop.composition = Composition(.template(template))
    // A template has one face, and no output without one.
    if [.union, .tagged].contains(crop.search.faces) { crop.search.faces = .largest }
    if crop.search.noFace != .bestGuess { crop.search.noFace = .fail }
  }
}

extension OwnURL {
  /// The names of all presets: the general ones, then those for documents.
  static let presets = Preset.allCases.map(\.name).filter { !documents.contains($0) }
  static let documents = Preset.allCases.compactMap(\.standard).filter { $0 != .passport }.map(\.rawValue)
  /// The formats in a URL.
  static let formats = ["jpg", "png", "webp"] + (ImageFormat.avif.isWritten ? ["avif"] : []) + ["gif", "auto"]
  /// Advice for a URL whose response needs transparency.
  static let transparentFormats: String = {
    let names = formats.filter { $0 != "jpg" }.map { ".\($0)" }
    return "write \(names.alternatives) behind the size"
  }()
}

extension ImageFormat {
  /// The formats that browsers show, except GIF, which is only for animations.
  static let stills: [ImageFormat] = [.jpeg, .png, .webp, .avif]

  /// Looks up a format that a response can have by its usual names.
  init?(answeredAs name: Substring) {
    guard let format = ImageFormat(rawValue: name == "jpg" ? "jpeg" : String(name)), Self.stills.contains(format),
      format.isWritten
    else { return nil }
    self = format
  }
}

extension [String] {
  /// The texts as a choice: `a, b or c`.
  var alternatives: String { count < 2 ? joined() : dropLast().joined(separator: ", ") + " or \(self[count - 1])" }
}
