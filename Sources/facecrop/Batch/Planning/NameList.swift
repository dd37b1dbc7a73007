import ArgumentParser
import FaceCrop
import SystemPackage

/// The names of the people in images, from a CSV file (RFC 4180). The first column has an image, and the others the names
/// of its faces. Commas, semicolons or tabs separate columns. An empty cell, or ``unnamed``, is a face without a name.
///
/// The first line can have titles. Then only columns with the title `person` or `name`, or a number, have names of faces,
/// and templates can use the others.
struct NameList: Sendable {
  /// The cells behind an image by the components of its path, the last first. Equal text in other Unicode forms is
  /// equal, because systems store names in different forms.
  private var rows: [[String]: [[UInt8]]] = [:]
  /// The titles of the columns behind the image; empty for a list without titles.
  private(set) var titles: [String] = []
  /// The number of components of the longest path.
  private var longest = 0
  /// The keys of ``rows`` by their lower case, and the listed images by that of their file names.
  private var keys: [[String]: [[String]]] = [:]
  private var names: [String: String] = [:]
  /// The images of a run that share a line, which is meant for one of them, and so have none.
  private(set) var shared: [FilePath: Outcome.Obstacle] = [:]
  /// The list's name, for messages.
  let name: String

  /// Returns whether a column has names of faces, by its title in the first line.
  private static func isOfPersons(_ title: String) -> Bool { title == "person" || title == "name" || Int(title) != nil }
  /// The titles of a first column.
  private static let imageTitles: Set = ["input", "image", "file", "filename", "photo", "picture"]
  /// The upper bound of names for an image.
  private static let mostPersons = 1_000
  /// The upper bound of the list's bytes.
  private static let mostBytes = 8 << 20
  /// The upper bound of the list's names, and of the outputs that get one in a run.
  static let mostOutputs = 250_000

  /// Reads a list of at most `mostImages` images and `mostNames` names.
  init(
    _ bytes: [UInt8], name: String, mostImages: Int = 100_000, mostNames: Int = mostOutputs
  ) throws(FileError) {
    self.name = name
    func fault(_ line: Int, _ what: String) -> FileError { FileError(name, "line \(line): \(what)", kind: "names") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FileError(name, "the names are not UTF-8 (save the table as CSV in UTF-8)", kind: "names")
    }
    var nameCount = 0
    var lone: (line: Int, image: String)?
    var reader = CSVReader(text, mostCells: Self.mostPersons + 2)
    func next() throws(FileError) -> CSVReader.Row? {
      do throws(CSVReader.ParseError) {
        return try reader.next()
      } catch {
        switch error {
        case .openQuote(let line): throw fault(line, "a quoted cell has no end (close it with \")")
        case .tooManyCells(let line): throw fault(line, "an image has at most \(Self.mostPersons) names")
        }
      }
    }
    while let row = try next() {
      let cells = row.cells.map { String($0.unicodeScalars.trimmingSpace()) }
      guard let image = cells.first, cells.contains(where: { !$0.isEmpty }) else { continue }
      if row.line == 1, Self.imageTitles.contains(image.lowercased()) {
        titles = cells.dropFirst().map { $0.lowercased() }
        continue
      }
      guard !image.isEmpty else {
        throw fault(row.line, "the first column names no image (write its path or file name)")
      }
      var others = Array(cells.dropFirst())
      while others.last?.isEmpty == true { others.removeLast() }
      let persons = persons(in: others)
      if row.cells.count == 1 { lone = lone ?? (row.line, image) }
      guard persons.count <= Self.mostPersons else {
        throw fault(row.line, "'\(image)' has \(persons.count) names (at most \(Self.mostPersons) are read)")
      }
      for person in persons where person.contains("/") || person.unicodeScalars.contains(where: DisplayText.steers) {
        throw fault(row.line, "the name '\(person)' cannot be a file's name (leave out slashes and control characters)")
      }
      for person in persons where person.hasPrefix(".") {
        throw fault(row.line, "the name '\(person)' would give a hidden file (leave out the period at its beginning)")
      }
      let parts = Self.parts(of: FilePath(image))
      guard !parts.isEmpty else {
        throw fault(row.line, "'\(image)' is not an image's name (write its path or file name)")
      }
      nameCount += others.count
      guard rows.count < mostImages, nameCount <= mostNames else {
        throw fault(
          row.line, "a list has at most \(mostImages) images and \(mostNames) names (split it, one for each run)")
      }
      guard rows.updateValue(others.map { Array($0.utf8) }, forKey: parts) == nil else {
        throw fault(
          row.line,
          "'\(image)' has two lines (write the folder before each name, as in '1a/\(image)', or remove one line)")
      }
      longest = max(longest, parts.count)
      let key = parts.map { $0.lowercased() }
      keys[key, default: []].append(parts)
      names[key[0]] = min(names[key[0]] ?? image, image)
    }
    // A line with the image alone names nobody in it, but lines with a single column are no table of names.
    if let lone, nameCount == 0 {
      throw fault(lone.line, "'\(lone.image)' has no name (add a column with the name of a face)")
    }
  }

  /// Reads the list of a run with these images.
  init(reading path: FilePath, for images: [FilePath], within time: Duration) throws(FileError) {
    let bytes: [UInt8]
    do {
      bytes = try Input.readToEnd(of: path, atMost: Self.mostBytes, within: ReadingTime(time))
    } catch {
      let bound = ("a list of names", "split it, one list for each run")
      throw FileError.reading(path.string, error, kind: "names", bound: bound)
    }
    try self.init(bytes, name: path.string)
    shared = shared(by: images)
  }

  /// The components of a path, the last first.
  private static func parts(of path: FilePath) -> [String] {
    path.lexicallyNormalized().components.reversed().map(\.string)
  }

  /// Returns the end of a message about an image without a line, with the line that may be meant for it.
  func hint(for path: FilePath) -> String {
    if let name = Self.parts(of: path).first?.lowercased(), let other = names[name] {
      return ", only one for '\(other)' (write its own folder or case, or its file name alone)"
    }
    return " (add one with the file's name and the names of its faces)"
  }

  /// Returns the ends of a path that a line may have, the longest first.
  private func ends(of parts: [String]) -> some Sequence<[String]> {
    stride(from: min(parts.count, longest), to: 0, by: -1).lazy.map { Array(parts.prefix($0)) }
  }

  /// Returns the index of a crop's name among those of its image: that of its only face, counted from left to right. The
  /// only crop of an image with one name gets it, whomever it shows. Nil without a name.
  static func place(of crop: CropPlace, among persons: [[UInt8]]) -> Int? {
    if crop.isAlone && persons.count == 1 { return 0 }
    guard let face = crop.face else { return nil }
    return persons.indices.contains(face - 1) ? face - 1 : nil
  }

  /// The text for a face without a name. Unlike an empty cell, it counts as a face at the end of a line, too.
  static let unnamed = "?"

  /// Returns the names of an image's faces, empty for a face without one; nil if the list lacks the image. The longest
  /// matching end of its path counts.
  func persons(of path: FilePath) -> [[UInt8]]? { row(of: path).map { named($0) } }
  /// The names of all faces, empty for those without one.
  var people: [String] { rows.values.flatMap { named($0) }.map { String(decoding: $0, as: UTF8.self) } }

  private func named(_ row: [[UInt8]]) -> [[UInt8]] {
    persons(in: row).map { $0.elementsEqual(Self.unnamed.utf8) ? [] : $0 }
  }

  /// Returns the values of an image's other columns by their titles; nil if the list lacks the image.
  func columns(of path: FilePath) -> [String: [UInt8]]? {
    row(of: path).map { Dictionary(zip(titles, $0), uniquingKeysWith: { first, _ in first }) }
  }

  func row(of path: FilePath) -> [[UInt8]]? { key(of: path).flatMap { rows[$0] } }

  /// Returns the components of an image's line, the last first; nil if the list lacks the image. A line in another case
  /// counts if there is one: lists come from systems that ignore case.
  private func key(of path: FilePath) -> [String]? {
    let parts = Self.parts(of: path)
    if let key = ends(of: parts).first(where: { rows[$0] != nil }) { return key }
    let similar = ends(of: parts.map { $0.lowercased() }).lazy.compactMap { keys[$0] }.first ?? []
    return similar.count == 1 ? similar[0] : nil
  }

  private static func text(of key: some Collection<String>) -> String { key.reversed().joined(separator: "/") }

  /// Returns ``shared`` for a run with these images. The only one with the line's own case has the line.
  private func shared(by images: [FilePath]) -> [FilePath: Outcome.Obstacle] {
    var obstacles: [FilePath: Outcome.Obstacle] = [:]
    for (key, images) in Dictionary(grouping: images, by: key) where key != nil && images.count > 1 {
      let exact = images.filter { Self.parts(of: $0).starts(with: key!) }
      for image in images where exact != [image] {
        let own = Self.parts(of: image)
        guard let other = images.first(where: { Self.parts(of: $0) != own }) else { continue }
        // The shortest end of a path that the other one does not have.
        let (others, equal) = (Self.parts(of: other), zip(own, Self.parts(of: other)).prefix { $0 == $1 }.count)
        let example = Self.text(of: (own.count > equal ? own : others).prefix(equal + 1))
        obstacles[image] = .failed(
          "name", "'\(name)' has one line for it and '\(other)', '\(Self.text(of: key!))'",
          "write a line for each, such as '\(example)'", isTransient: true)
      }
    }
    return obstacles
  }

  /// Returns the cells that name faces, up to the last one that is not empty. Cells behind the titles are as the last
  /// one that has a title. Empty cells at the end are no faces, because spreadsheets fill short lines with them. If they
  /// were, a wrong number of faces could fit a line, and `--hide` would hide others.
  private func persons<Cell: Collection>(in row: [Cell]) -> [Cell] {
    var persons = row.enumerated().filter { index, _ in
      guard let last = titles.last else { return true }
      return Self.isOfPersons(titles.indices.contains(index) ? titles[index] : last)
    }.map(\.element)
    while persons.last?.isEmpty == true { persons.removeLast() }
    return persons
  }

  /// Returns what the list lacks for an image whose outputs have values of some columns in their names, as an object of
  /// "has no"; nil for nothing.
  func lack(of columns: [String], for path: FilePath) -> String? {
    guard let values = self.columns(of: path) else { return "line for it\(hint(for: path))" }
    let bad = columns.first { title in
      let value = String(decoding: values[title] ?? [], as: UTF8.self)
      return value.isEmpty || value.hasPrefix(".") || value.contains("/")
        || value.unicodeScalars.contains(where: DisplayText.steers)
    }
    return bad.map { "\($0) for it that a file's name can have (write one without slashes and control characters)" }
  }

  /// Throws an error with the list's columns if it lacks one of a template, or has one like another field.
  func check(_ template: NameTemplate) throws(ValidationError) {
    let own: [NameTemplate.Field] = [.stem, .name, .folder, .date, .index, .size]
    if let field = own.filter(template.has).map(\.rawValue).first(where: titles.contains) {
      throw ValidationError(
        "--name has {\(field)}, which is a field of facecrop, and --names '\(name)' has a column '\(field)' "
          + "(rename the column; the name of a face is {person}, and that of the file {stem})")
    }
    let hasPersons = titles.isEmpty || titles.contains(where: Self.isOfPersons)
    let lacking = template.columns.first { !titles.contains($0) }
    guard let title = lacking ?? (template.has(.person) && !hasPersons ? "person" : nil) else { return }
    let columns = titles.isEmpty ? "names of faces without titles" : titles.joined(separator: ", ")
    throw ValidationError(
      "--names '\(name)' has no column '\(title)' for the names of outputs; behind the image it has: \(columns) "
        + "(use these in --name, or correct the first line of the list)")
  }
}

extension String.UnicodeScalarView {
  func trimmingSpace() -> Substring.UnicodeScalarView {
    let rest = drop { $0.properties.isWhitespace }
    guard let last = rest.lastIndex(where: { !$0.properties.isWhitespace }) else { return rest.prefix(0) }
    return rest[...last]
  }
}
