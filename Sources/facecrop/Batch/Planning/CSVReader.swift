/// A reader for comma-separated values (RFC 4180), also with semicolons or tabs, as spreadsheets write them.
struct CSVReader {
  struct Row: Equatable {
    /// The line of its first cell, from 1.
    var line: Int
    var cells: [String]
  }

  /// A fault in a line.
  enum ParseError: Error, Equatable {
    /// A quoted cell has no end.
    case openQuote(line: Int)
    /// A row has more cells than allowed.
    case tooManyCells(line: Int)
  }

  private var scalars: Substring.UnicodeScalarView
  private let separator: Unicode.Scalar
  private let mostCells: Int
  private var line = 1

  /// Creates a reader for a text. A byte order mark at the beginning is ignored.
  init(_ text: String, mostCells: Int) {
    scalars = text.unicodeScalars[...]
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    separator = Self.separator(of: scalars)
    self.mostCells = mostCells
  }

  /// Returns the next row that is not empty; nil at the end.
  mutating func next() throws(ParseError) -> Row? {
    while !scalars.isEmpty {
      let row = try nextLine()
      if row.cells != [""] { return row }
    }
    return nil
  }

  private mutating func nextLine() throws(ParseError) -> Row {
    var row = Row(line: line, cells: [])
    var cell = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      if scalar == "\"", cell.isEmpty {
        cell = try quotedText()
      } else if scalar == separator {
        row.cells.append(String(cell))
        cell = String.UnicodeScalarView()
        guard row.cells.count < mostCells else { throw .tooManyCells(line: row.line) }
      } else if scalar == "\n" || scalar == "\r" {
        if scalar == "\r", scalars.first == "\n" { scalars.removeFirst() }
        line += 1
        break
      } else {
        cell.append(scalar)
      }
    }
    row.cells.append(String(cell))
    return row
  }

  /// Returns the text up to the closing quote.
  private mutating func quotedText() throws(ParseError) -> String.UnicodeScalarView {
    let begin = line
    var cell = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      if scalar == "\n" { line += 1 }
      if scalar == "\"" {
        guard scalars.first == "\"" else { return cell }
        scalars.removeFirst()
      }
      cell.append(scalar)
    }
    throw .openQuote(line: begin)
  }

  /// Returns the separator of the first line that has one. A tab takes precedence over a semicolon, and this over a
  /// comma, because names contain commas more often than tabs.
  private static func separator(of text: Substring.UnicodeScalarView) -> Unicode.Scalar {
    var rest = text
    while !rest.isEmpty {
      let line = rest.prefix { $0 != "\n" }
      rest = rest[line.endIndex...].dropFirst()
      if let found = (["\t", ";", ","] as [Unicode.Scalar]).first(where: { line.contains($0) }) { return found }
    }
    return ","
  }
}
