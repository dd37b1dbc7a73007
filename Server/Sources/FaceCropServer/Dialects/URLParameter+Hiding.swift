import FaceCrop

extension URLParameter {
  /// The options of hidden faces. They have the names and values of the command.
  static let hiding = [
    quality, format, hidingMode, hidingShape, margin, hiddenFaces, exceptedFaces, smallestFace, metadata, keepLocation,
  ]

  private static let format = URLParameter(
    name: "format", help: "The format of the response. The default is that of the image, or else JPEG.",
    values: .choice(OwnURL.hidingFormats)
  ) { (request, _, value) throws(DialectFault) in
    if value == "auto" {
      request.format = .accepted
    } else if let format = ImageFormat(answeredAs: value[...]) {
      request.format = .named(format)
    } else {
      throw DialectFault("format must be \(OwnURL.hidingFormats.alternatives), not '\(value)'")
    }
  }

  private static let hidingMode = choice(
    "mode", help: "Blurs the faces, draws them as squares, or covers them in black.", \.mode)
  private static let hidingShape = choice(
    "shape", help: "Hides an ellipse over the head, a box, or the whole head with its hair.", \.shape)
  private static let metadata = choice("metadata", help: "The metadata that the response keeps.", \.metadata)

  private static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, help: String, _ property: any WritableKeyPath<Anonymization, Value> & Sendable
  ) -> URLParameter {
    let names = Value.allCases.map(\.rawValue)
    return parameter(name, help: help, .choice(names)) { (hiding, text) throws(DialectFault) in
      guard let value = Value(rawValue: text) else {
        throw DialectFault("\(name) must be \(names.joined(separator: ", ")), not '\(text)'")
      }
      hiding[keyPath: property] = value
    }
  }

  private static let margin = parameter(
    "margin", help: "The distance over the head that is hidden, in heights of the face.", .text(32)
  ) { (hiding, value) throws(DialectFault) in
    guard let margin = Double(value), margin >= 0, margin <= 2 else {
      throw DialectFault("margin must be a number from 0 to 2, not '\(value)'")
    }
    hiding.margin = margin
  }

  private static let hiddenFaces = parameter(
    "faces", help: "The numbers of the faces to hide, like 1,3. The default is all.", .text(1_024)
  ) { (hiding, value) throws(DialectFault) in
    hiding.faces = .only(try numbers(value, of: "faces"))
  }

  private static let exceptedFaces = parameter(
    "except", help: "The numbers of the faces to show, like 2. All others are hidden.", .text(1_024)
  ) { (hiding, value) throws(DialectFault) in
    guard hiding.faces == .all else {
      throw DialectFault("faces and except exclude each other (leave one of them out)")
    }
    hiding.faces = .except(try numbers(value, of: "except"))
  }

  private static func numbers(_ text: String, of name: String) throws(DialectFault) -> Set<Int> {
    var numbers: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), number >= 1 else {
        throw DialectFault("\(name) must be numbers of faces, such as 2 or 1,3, not '\(text)'")
      }
      numbers.insert(number)
    }
    return numbers
  }

  private static let smallestFace = parameter(
    "min-face", help: "The height of the smallest face to hide, in pixels or percent of the image.", .text(32)
  ) { (hiding, value) throws(DialectFault) in
    guard let height = FaceHeight(value) else {
      throw DialectFault("min-face must be pixels such as 80, or percent such as 5%25, not '\(value)'")
    }
    hiding.smallestFace = height
  }

  private static let keepLocation = parameter(
    "keep-location", help: "Keeps the GPS position.", .choice(["false", "true"])
  ) { (hiding, value) throws(DialectFault) in
    guard let keeps = Bool(value) else { throw DialectFault("keep-location must be true or false, not '\(value)'") }
    guard !keeps || hiding.metadata == .keep else { throw DialectFault("keep-location needs metadata=keep") }
    hiding.keepsLocation = keeps
  }

  /// Returns a parameter of the hidden faces, whose request has them.
  private static func parameter(
    _ name: String, help: String, _ values: Values,
    _ set: @escaping @Sendable (inout Anonymization, String) throws(DialectFault) -> Void
  ) -> URLParameter {
    URLParameter(name: name, help: help, values: values) { (request, _, value) throws(DialectFault) in
      var hiding = request.hiding ?? Anonymization()
      try set(&hiding, value)
      request.hiding = hiding
    }
  }
}

extension OwnURL {
  /// The formats of an image with hidden faces.
  static let hidingFormats = formats.filter { $0 != "gif" }
}
