import FoundationEssentials
import Yams

/// A file of settings in YAML. It may have keys, so its faults give the line and a remedy, and never the file's text.
struct SettingsFile {
  let path: String

  /// A setting with its value as text, and its line.
  typealias Entry = (setting: Setting, text: String, line: Int?)

  func entries() throws(SettingsError) -> [Entry] {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw fault(
        FileManager.default.fileExists(atPath: path)
          ? "the file cannot be read (name a file that the server may read)"
          : "the file does not exist (check the name)")
    }
    // Editors on Windows write a byte order mark.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let yaml = String(decoding: data.starts(with: mark) ? data.dropFirst(mark.count) : data, as: UTF8.self)
    let node: Node?
    do {
      node = try Yams.compose(yaml: yaml)
    } catch {
      throw fault(of: error, in: yaml)
    }
    guard let node else { return [] }
    guard let mapping = node.mapping else { throw fault("the file has no settings (write name: value)") }
    var entries: [Entry] = []
    for (key, value) in mapping {
      let line = key.mark?.line
      guard let setting = Self.setting(key.scalar?.string ?? "") else {
        throw fault("no setting has this name\(Self.hint(key.scalar?.string ?? ""))", line)
      }
      guard let text = Self.text(value) else {
        throw fault("\(setting.name) must be a value, or a list of values", line)
      }
      entries.append((setting, text, line))
    }
    return entries
  }

  func fault(_ clause: String, _ line: Int? = nil) -> SettingsError {
    SettingsError("\(path): \(line.map { "line \($0): " } ?? "")\(clause)")
  }

  private static func setting(_ name: String) -> Setting? { Setting.all.first { $0.name == name } }

  /// Returns the setting whose name is spelled in another way, or the help as a remedy.
  private static func hint(_ name: String) -> String {
    let name = name.lowercased().replacing("facecrop_", with: "").replacing("_", with: "-")
    return setting(name).map { " (write \($0.name))" } ?? " (see --help)"
  }

  private static func text(_ value: Node) -> String? {
    if let scalar = value.scalar { return scalar.string }
    guard let parts = value.sequence?.map(\.scalar?.string), !parts.contains(nil) else { return nil }
    return parts.compactMap(\.self).joined(separator: ",")
  }

  // MARK: Faults of the syntax

  private func fault(of error: any Error, in yaml: String) -> SettingsError {
    switch error {
    case YamlError.duplicatedKeysInMapping(let names, let context):
      guard let name = names.first, Self.setting(name) != nil else {
        return fault("a name is written twice (remove one of them)", context.mark.line)
      }
      let line = Self.secondLine(of: name, in: yaml) ?? context.mark.line
      return fault("\(name) is set twice (remove one of the two)", line)
    case YamlError.reader(_, let offset, _, _):
      return fault(
        "a control character is not allowed (remove it)",
        offset.map { yaml.prefix($0).count(where: \.isNewline) + 1 })
    case YamlError.scanner(let context, let problem, let mark, _),
      YamlError.parser(let context, let problem, let mark, _),
      YamlError.composer(let context, let problem, let mark, _):
      let (clause, isAtStart) = Self.clause(for: problem)
      return fault(clause, (isAtStart ? context?.mark : nil)?.line ?? mark.line)
    default:
      return fault("the file is not YAML (write name: value)")
    }
  }

  /// Returns the line on which a name is written again.
  private static func secondLine(of name: String, in yaml: String) -> Int? {
    let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let places = lines.indices.filter { place in
      let start = lines[place].drop { " \t\"'".contains($0) }
      return start.hasPrefix(name) && start.dropFirst(name.count).drop { " \t\"'".contains($0) }.hasPrefix(":")
    }
    return places.dropFirst().first.map { $0 + 1 }
  }

  /// Returns the fault and its remedy, and whether the line is the one on which the faulty part begins. The parser's
  /// own words speak of its tokens.
  private static func clause(for problem: String) -> (String, isAtStart: Bool) {
    switch problem {
    case "mapping values are not allowed in this context":
      (
        "a colon is not allowed here (put a value with a colon in quotes, and write each name in the first column)",
        false
      )
    case "could not find expected ':'":
      ("a name has no value (write name: value, with a space after the colon)", true)
    case "found character that cannot start any token":
      ("a tab, @, ` or % is not allowed here (indent with spaces, and put such a value in quotes)", false)
    case "found undefined alias", "did not find expected alphabetic or numeric character":
      ("a value begins with * or & (put it in quotes)", false)
    case "found unexpected end of stream", "found unexpected document indicator":
      ("a quotation mark is not closed (close it)", true)
    case "did not find expected ',' or ']'", "did not find expected ',' or '}'", "did not find expected node content":
      ("a list is not closed, or lacks a value (write commas between the values, and a bracket at the end)", true)
    case "found unknown escape character", "did not find expected hexdecimal number",
      "found invalid Unicode character escape code":
      ("a backslash is not allowed in double quotes (use single quotes)", false)
    case "did not find expected key", "did not find expected '-' indicator":
      ("the line is not indented like the others (write each name in the first column)", false)
    case "but found another document":
      ("a second document begins (keep all settings in one)", false)
    case let problem where problem.contains("tab character"):
      ("a tab is not allowed here (indent with spaces)", false)
    default:
      ("the line is not YAML (write name: value, and put values with signs in quotes)", false)
    }
  }
}
