/// Reads comma-separated values (RFC 4180), also with semicolons or tabs, as spreadsheets write them.
enum CSVTable {
  struct Row: Equatable {
    /// The line of its first cell, from 1.
    var line: Int
    var cells: [String]
  }

  /// The error for a quoted cell without an end.
  struct OpenQuote: Error {
    var line: Int
  }

  /// Returns the rows of a text, without empty lines. A byte order mark at the beginning is ignored.
  static func rows(of text: String) throws(OpenQuote) -> [Row] {
    var scalars = text.unicodeScalars[...]
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    let separator = separator(of: scalars)
    var rows: [Row] = []
    var (line, first) = (1, 1)
    var cells: [String] = []
    var cell = String.UnicodeScalarView()
    func isLineEnd(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }
    func endRow() {
      cells.append(String(cell))
      if cells != [""] { rows.append(Row(line: first, cells: cells)) }
      (cells, cell) = ([], String.UnicodeScalarView())
    }
    while let scalar = scalars.popFirst() {
      if scalar == "\"", cell.isEmpty {
        let begin = line
        while true {
          guard let inner = scalars.popFirst() else { throw OpenQuote(line: begin) }
          if inner == "\n" { line += 1 }
          guard inner == "\"" else {
            cell.append(inner)
            continue
          }
          guard scalars.first == "\"" else { break }
          cell.append(scalars.removeFirst())
        }
      } else if scalar == separator {
        cells.append(String(cell))
        cell = String.UnicodeScalarView()
      } else if isLineEnd(scalar) {
        if scalar == "\r", scalars.first == "\n" { scalars.removeFirst() }
        endRow()
        line += 1
        first = line
      } else {
        cell.append(scalar)
      }
    }
    endRow()
    return rows
  }

  /// Returns the separator of the first line that has one. A tab takes precedence over a semicolon, and this over a
  /// comma, because names contain commas more often than tabs.
  private static func separator(of text: Substring.UnicodeScalarView) -> Unicode.Scalar {
    for line in text.split(separator: "\n") {
      if let found = (["\t", ";", ","] as [Unicode.Scalar]).first(where: { line.contains($0) }) { return found }
    }
    return ","
  }
}
