import FaceCrop

/// An option in the query of the server's own URLs: a row of the catalog, and the line that uses its value. ``all`` are
/// those of crops, which the parser and the playground's controls both use. ``blur`` are those of `/blur`.
struct URLParameter: Sendable {
  /// The name in URLs, which can differ from the option's.
  let name: String
  /// The effect, as a sentence for the playground.
  let help: String
  /// The listed values, the range of a number, or the upper bound of a text in bytes; nil for values of another kind.
  let choices: [String]?
  let range: ClosedRange<Int>?
  let longest: Int?
  /// The parser of a value.
  let set: @Sendable (inout PictureRequest, inout CropRequest, String) throws(ServiceError) -> Void

  static let all = [
    quality, page,
    crop("shape", { ["square": CropShape.rectangle, "circle": .circle][$0] }) { $0.output.shape = $1 },
    crop(
      "background-fill", called: "bg", most: 16,
      must: "white, a color like 336699, required, blur, blur:5 or transparent",
      { text -> Background.Fill?? in text == "required" ? .some(nil) : Background.Fill(text).map(Optional.some) }
    ) { crop, fill throws(ServiceError) in
      let color = crop.composition.layout.framing?.standard?.document?.backgroundColor
      guard let fill = fill ?? color.map({ .color($0) }) else {
        throw .invalidQuery("bg=required needs a preset whose authority states a color (use passport:us, or bg=white)")
      }
      crop.output.background = Background(fill)
    },
    flag("keep-people", \.keepsPeople), flag("fail-if-unsure", \.failsIfUnsure),
    crop("faces", choices: selections.keys.sorted(), { selections[$0] }) { $0.search.faces = $1 },
    crop(
      "faces", called: "person", most: 1_024, must: "a name", { $0.isEmpty || $0.utf8.count > 1_024 ? nil : $0 }
    ) { $0.search.faces = .person($1) },
    crop("max-faces", { Int($0) }) { $0.search.mostFaces = $1 },
    crop(
      "no-face", choices: NoFacePolicy.allCases.filter { $0 != .skip }.map(\.rawValue), NoFacePolicy.init(rawValue:)
    ) { $0.search.noFace = $1 },
    crop("align", Bool.init) { $0.composition.alignsEyes = $1 },
    crop("upright", UprightPolicy.init(rawValue:)) { $0.search.upright = $1 },
    crop("mesh", Bool.init) { $0.search.findsMeshes = $1 },
    crop("template", choices: FaceTemplate.all.map(\.name), { name in FaceTemplate.all.first { $0.name == name } }) {
      $0.composition = Composition(.template($1))
      // A template has one face, and no output without one.
      if [.union, .tagged].contains($0.search.faces) { $0.search.faces = .prominent }
      if $0.search.noFace != .bestGuess, $0.search.noFace != .person { $0.search.noFace = .fail }
    },
    crop("pad", { PadFill($0) }) { crop, fill throws(ServiceError) in
      guard crop.composition.layout.framing != nil else {
        throw .invalidQuery("pad needs a preset that places the head, without template (write avatar or portrait)")
      }
      (crop.composition.layout.edge, crop.output.fill) = (.pad, fill)
    },
    crop("max-pad", { Double(decimal: $0) }) { crop, share throws(ServiceError) in
      guard case .framing(var framing, let padding, .pad) = crop.composition.layout else {
        throw .invalidQuery("max-pad needs a fill (add pad=edge)")
      }
      framing.largestPaddedShare = share
      crop.composition.layout = .framing(framing, padding: padding, edge: .pad)
    },
    crop("animation", AnimationPolicy.init(rawValue:)) { $0.search.animation = $1 },
  ]

  /// The options of hidden faces.
  static let blur = [
    quality, page,
    parameter("format", .blurURL, choices: OwnURL.blurFormats, { PictureRequest.Format($0[...]) }) { $0.format = $2 },
    // The mode image has no place here, because no URL names a file of the server.
    hidden("mode", must: "blur, pixelate or solid", { $0 == "image" ? nil : BlurMode(rawValue: $0) }) { $0.mode = $1 },
    hidden("shape", BlurShape.init(rawValue:)) { $0.shape = $1 },
    hidden("margin", { Double(decimal: $0) }) { $0.margin = $1 },
    hidden("faces", most: 1_024, must: faceNumbers, numbers) { $0.faces = .only($1) },
    hidden("except", most: 1_024, must: faceNumbers, numbers) { blur, numbers throws(ServiceError) in
      guard blur.faces == .all else {
        throw .invalidQuery("faces and except exclude each other (leave one of them out)")
      }
      blur.faces = .except(numbers)
    },
    hidden("min-face", must: "pixels such as 80, or percent such as 5%25", { FaceHeight($0) }) { $0.smallestFace = $1 },
    hidden("metadata", MetadataPolicy.init(rawValue:)) { $0.metadata = $1 },
    hidden("keep-location", Bool.init) { blur, keeps throws(ServiceError) in
      guard !keeps || blur.metadata == .keep else { throw .invalidQuery("keep-location needs metadata=keep") }
      blur.keepsLocation = keeps
    },
  ]

  static let quality = parameter("quality", .cropURL, must: "a whole number from 1 to 100", { Int($0) }) {
    $0.quality = $2
  }

  private static let page = parameter("page", .cropURL, { Int($0) }) { $0.page = $2 }

  static let selections: [String: FaceSelection] = [
    "union": .union, "prominent": .prominent, "largest": .largest, "sharpest": .sharpest, "central": .central,
    "tagged": .tagged,
  ]

  private static let faceNumbers = "numbers of faces, such as 2 or 1,3"

  private static let numbers: @Sendable (String) -> Set<Int>? = { text in
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    return parts.allSatisfy { $0 >= 1 } ? Set(parts) : nil
  }

  /// Returns a parameter that needs a new background.
  private static func flag(
    _ name: String, _ property: any WritableKeyPath<Background, Bool> & Sendable
  ) -> URLParameter {
    crop(name, Bool.init) { crop, flag throws(ServiceError) in
      guard crop.output.background != nil else {
        throw .invalidQuery("\(name) needs a new background (add bg=white)")
      }
      crop.output.background?[keyPath: property] = flag
    }
  }

  /// Returns a parameter of a crop around faces.
  private static func crop<Value>(
    _ option: String, called name: String? = nil, choices: [String]? = nil, most: Int = 32, must form: String? = nil,
    _ parse: @escaping @Sendable (String) -> Value?,
    set: @escaping @Sendable (inout CropRequest, Value) throws(ServiceError) -> Void
  ) -> URLParameter {
    parameter(option, .cropURL, called: name, choices: choices, most: most, must: form, parse) {
      (_, crop, value) throws(ServiceError) in try set(&crop, value)
    }
  }

  /// Returns a parameter of the hidden faces, whose request has them.
  private static func hidden<Value>(
    _ option: String, most: Int = 32, must form: String? = nil, _ parse: @escaping @Sendable (String) -> Value?,
    set: @escaping @Sendable (inout BlurRequest, Value) throws(ServiceError) -> Void
  ) -> URLParameter {
    parameter(option, .blurURL, most: most, must: form, parse) { (request, _, value) throws(ServiceError) in
      var blur = request.blur ?? BlurRequest()
      try set(&blur, value)
      request.blur = blur
    }
  }

  /// Returns a parameter from the row of an option.
  /// - Parameters:
  ///   - choices: The values in a URL; nil for those of the row.
  ///   - form: The form of a value, for the error; nil for that of the row.
  private static func parameter<Value>(
    _ option: String, _ place: OptionFact.Places, called name: String? = nil, choices: [String]? = nil, most: Int = 32,
    must form: String? = nil, _ parse: @escaping @Sendable (String) -> Value?,
    set: @escaping @Sendable (inout PictureRequest, inout CropRequest, Value) throws(ServiceError) -> Void
  ) -> URLParameter {
    let fact = OptionFact.named(option, for: place)!
    let name = name ?? option
    let choices = form == nil ? choices ?? (fact.takesValue ? fact.choices : ["false", "true"]) : []
    let range: ClosedRange<Int>? = if choices.isEmpty, case .whole(let range) = fact.values { range } else { nil }
    let words = form ?? (choices.isEmpty ? fact.syntax ?? fact.effect : choices.alternatives)
    return URLParameter(
      name: name, help: fact.effect, choices: choices.isEmpty ? nil : choices, range: range,
      longest: choices.isEmpty && range == nil ? most : nil
    ) { (request, crop, text) throws(ServiceError) in
      let isKnown =
        choices.isEmpty ? !fact.choices.isEmpty || fact.fault(text) == nil : choices.contains(text)
      guard isKnown, let value = parse(text) else {
        throw .invalidQuery("\(name) must be \(words), not '\(text)'")
      }
      try set(&request, &crop, value)
    }
  }
}

extension Double {
  /// Reads a finite decimal number of a URL or a header. Nil for other texts, such as `nan`, `inf`, `0x10` and `1e999`.
  init?(decimal text: some StringProtocol) {
    let isDecimal = text.allSatisfy { "0123456789.+-eE".contains($0) }
    guard isDecimal, let number = Double(text), number.isFinite else { return nil }
    self = number
  }
}

extension PictureRequest.Format {
  /// Looks up `auto`, or a format that a response can have.
  init?(_ name: Substring) {
    let named = ImageFormat(answeredAs: name).map(Self.named)
    guard let format = name == "auto" ? .accepted : named else { return nil }
    self = format
  }

  /// Reads the format in a path, one of `names` or `auto`. Throws ``ServiceError/invalidQuery(_:)``.
  static func read(
    _ name: Substring, among names: [String] = ImageFormat.stills.filter(\.isWritten).map(\.rawValue)
  ) throws(ServiceError) -> Self {
    if name == "gif", names.contains("gif") { return .named(.gif) }
    if let format = Self(name) { return format }
    throw .invalidQuery("the format must be \(names.alternatives), not '\(name)'")
  }
}

extension OwnURL {
  /// The names of all presets: the general ones, then those for documents.
  static let presets = Preset.allCases.map(\.name).filter { !documents.contains($0) }
  static let documents = Preset.allCases.compactMap(\.standard).filter { $0 != .passport }.map(\.rawValue)
  static let formats = ["jpg", "png", "webp"] + (ImageFormat.avif.isWritten ? ["avif"] : []) + ["gif", "auto"]
  static let blurFormats = formats.filter { $0 != "gif" }
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
