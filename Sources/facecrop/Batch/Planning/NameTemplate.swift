import ArgumentParser

/// A template for output names: text with fields in braces, such as `{stem}-{index:03}.{ext}`.
struct NameTemplate: Sendable, Equatable {
  enum Field: String, CaseIterable {
    /// The input's name without and with its extension.
    case stem, name
    /// The name of the folder that holds the input.
    case folder
    /// The day on which the photo was taken, as YYYY-MM-DD.
    case date
    /// The name that --names gives to the face.
    case person
    /// The number of the crop, from 1.
    case index
    /// The requested longer side.
    case size
    /// The extension of the output's format.
    case ext
  }

  private enum Piece: Equatable {
    case text([UInt8])
    /// With the fewest digits of a number.
    case field(Field, digits: Int)
    /// The title of a column of the list of names.
    case column(String)
  }

  /// The template as written.
  let text: String
  private let pieces: [Piece]

  /// Parses a template. With `takesColumns`, other fields are columns of the list of names.
  init(_ text: String, takesColumns: Bool = false) throws(ValidationError) {
    var pieces: [Piece] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        let piece = Self.field(rest[rest.index(after: open)..<close], takesColumns)
      else {
        let fields = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        throw ValidationError(
          "--name has an unknown field at '\(rest[open...])' (use \(fields), or {index:03} for three digits)")
      }
      if open > rest.startIndex { pieces.append(.text(Array(rest[..<open].utf8))) }
      pieces.append(piece)
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.text(Array(rest.utf8))) }
    self.text = text
    self.pieces = pieces
    guard !text.hasPrefix("/"), !text.hasSuffix("/"), !text.split(separator: "/").contains(".."), !text.isEmpty else {
      throw ValidationError("--name '\(text)' is not a file below the output folder (use a relative name without ..)")
    }
    guard tellsInputsApart || !columns.isEmpty else {
      throw ValidationError("--name '\(text)' gives all outputs the same name (put {stem}, {name} or {person} in it)")
    }
  }

  /// `index`, or `index:03`, which has three digits at least.
  private static func field(_ text: Substring, _ takesColumns: Bool) -> Piece? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let field = Field(rawValue: parts[0].lowercased()) else {
      return takesColumns && !text.isEmpty ? .column(text.lowercased()) : nil
    }
    guard parts.count > 1 else { return .field(field, digits: 1) }
    guard field == .index, parts.count == 2, parts[1].utf8.count == 2, parts[1].first == "0",
      let digits = parts[1].last?.wholeNumberValue, digits > 0
    else { return nil }
    return .field(field, digits: digits)
  }

  /// Returns the default template: the input's name, a number for several crops, and the size for several sizes. With a list of
  /// names, it is the name of the person.
  static func standard(isNumbered: Bool, isSized: Bool, hasPersons: Bool = false) -> NameTemplate {
    let subject = hasPersons ? "{person}" : isNumbered ? "{stem}-{index}" : "{stem}"
    let text = subject + (isSized ? "-{size}" : "") + ".{ext}"
    guard let template = try? NameTemplate(text) else { preconditionFailure("\(text) is no template") }
    return template
  }

  func has(_ field: Field) -> Bool {
    pieces.contains { if case .field(field, _) = $0 { true } else { false } }
  }

  var columns: [String] { pieces.compactMap { if case .column(let title) = $0 { title } else { nil } } }
  var needsNames: Bool { has(.person) || !columns.isEmpty }
  /// Whether each image has a name of its own, as far as names of people differ.
  var tellsInputsApart: Bool { has(.stem) || has(.name) || has(.person) }

  /// Whether each crop of an image has a name of its own.
  var tellsCropsApart: Bool { has(.index) || has(.person) }

  /// Whether an extension ends the template, which is {ext} or text.
  var hasExtension: Bool {
    if case .text(let text)? = pieces.last { text.contains(UInt8(ascii: ".")) } else { endsInExtensionField }
  }

  /// Whether the input's name ends the template, with or without an extension.
  var endsInName: Bool { pieces.last == .field(.name, digits: 1) }

  /// Whether the extension is the field, not text.
  var endsInExtensionField: Bool { pieces.last == .field(.ext, digits: 1) }

  struct Values {
    /// The file name in bytes.
    var name: [UInt8]
    /// Whether the stem includes the extension.
    var keepsExtension = false
    var facts = InputFacts()
    var person: [UInt8] = []
    var index: [UInt8]
    var size: String?
    var ending: String

    /// The name without its extension, unless that is kept. A name with only a leading dot has no extension.
    var stem: ArraySlice<UInt8> {
      guard !keepsExtension, let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return name[...] }
      return name[..<dot]
    }
  }

  func name(_ values: Values) -> [UInt8] {
    pieces.flatMap { piece -> [UInt8] in
      switch piece {
      case .text(let text): text
      case .column(let title): values.facts.columns[title] ?? []
      case .field(.stem, _): Array(values.stem)
      case .field(.name, _): values.name
      case .field(.folder, _): values.facts.folder
      case .field(.date, _): values.facts.date
      case .field(.person, _): values.person
      case .field(.index, let digits):
        [UInt8](repeating: UInt8(ascii: "0"), count: max(digits - values.index.count, 0)) + values.index
      case .field(.size, _): Array((values.size ?? "full").utf8)
      case .field(.ext, _): Array(values.ending.utf8)
      }
    }
  }
}
