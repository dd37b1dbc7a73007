import ArgumentParser
import SystemPackage

/// A template for output names: text with fields in braces, such as `{stem}-{index}.{ext}`.
struct NameTemplate: Sendable, Equatable {
  enum Field: String, CaseIterable {
    /// The input's name without and with its extension.
    case stem, name
    /// The number of the crop, from 1.
    case index
    /// The requested longer side.
    case size
    /// The extension of the output's format.
    case ext
  }

  private enum Piece: Equatable {
    case text([UInt8])
    case field(Field)
  }

  /// The template as written.
  let text: String
  private let pieces: [Piece]

  init(_ text: String) throws(ValidationError) {
    var pieces: [Piece] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        let field = Field(rawValue: String(rest[rest.index(after: open)..<close]))
      else {
        let fields = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        throw ValidationError("--name has an unknown field at '\(rest[open...])' (use \(fields))")
      }
      if open > rest.startIndex { pieces.append(.text(Array(rest[..<open].utf8))) }
      pieces.append(.field(field))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.text(Array(rest.utf8))) }
    self.text = text
    self.pieces = pieces
    guard !text.hasPrefix("/"), !text.hasSuffix("/"), !text.split(separator: "/").contains(".."), !text.isEmpty else {
      throw ValidationError("--name '\(text)' is not a file below the output folder (use a relative name without ..)")
    }
    guard has(.stem) || has(.name) else {
      throw ValidationError("--name '\(text)' gives all outputs the same name (put {stem} or {name} in it)")
    }
  }

  private init(_ fields: [Field], separators: [String]) {
    pieces = zip(fields, separators).flatMap { field, separator in
      (separator.isEmpty ? [] : [.text(Array(separator.utf8))]) + [.field(field)]
    }
    text = zip(fields, separators).map { "\($1){\($0.rawValue)}" }.joined()
  }

  /// Returns the default template: the input's name, a number for several crops, and the size for several sizes.
  static func standard(isNumbered: Bool, isSized: Bool) -> NameTemplate {
    var fields: [(Field, String)] = [(.stem, "")]
    if isNumbered { fields.append((.index, "-")) }
    if isSized { fields.append((.size, "-")) }
    fields.append((.ext, "."))
    return NameTemplate(fields.map { $0.0 }, separators: fields.map { $0.1 })
  }

  func has(_ field: Field) -> Bool { pieces.contains(.field(field)) }

  var endsInField: Bool { if case .field? = pieces.last { true } else { false } }

  /// Whether the extension is the field, not text.
  var endsInExtensionField: Bool { pieces.last == .field(.ext) }

  struct Values {
    /// The file name in bytes.
    var name: [UInt8]
    /// Whether the stem includes the extension.
    var keepsExtension = false
    var index: [UInt8]
    var size: Int?
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
      case .field(.stem): Array(values.stem)
      case .field(.name): values.name
      case .field(.index): values.index
      case .field(.size): Array((values.size.map { "\($0)" } ?? "full").utf8)
      case .field(.ext): Array(values.ending.utf8)
      }
    }
  }
}
