import Foundation

/// The data in a report's page. Each image has a line, which is decoded only when it is needed.
struct ReviewData: Sendable {
  /// Upper bound of a page in bytes.
  static let mostBytes = 2 << 30
  /// The object up to its entries.
  let head: [UInt8]
  /// An object for each image.
  private(set) var lines: [[UInt8]]
  /// The names of the lines' images, which stay the same in all runs.
  private(set) var keys: [String]
  /// The lines whose images have a plan of a user.
  private(set) var planned: Set<Int>

  /// Reads the page of a report; nil if it is not one of this version.
  init?(page: String) {
    let start = Array("<script type=\"application/json\" id=\"data\">".utf8)
    let entries = Array(",\"entries\":[".utf8)
    guard let size = try? URL(filePath: page).resourceValues(forKeys: [.fileSizeKey]).fileSize, size <= Self.mostBytes,
      let page = FileManager.default.contents(atPath: page), let found = page.firstRange(of: start)
    else { return nil }
    var rows = page[found.upperBound...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    guard let first = rows.popFirst(), first.suffix(entries.count).elementsEqual(entries),
      let end = rows.firstIndex(where: { $0.elementsEqual("]}".utf8) })
    else { return nil }
    head = Array(first)
    let own = rows[..<end].filter { !$0.isEmpty }.map { row in
      Array(row.last == UInt8(ascii: ",") ? row.dropLast() : row)
    }
    lines = own
    keys = own.map(Self.key)
    planned = Set(own.indices.filter { Self.isPlanned(own[$0]) })
    guard !keys.contains("") else { return nil }
  }

  private struct Head: Decodable {
    var command: String
    var plans: String
  }

  /// Returns the report's command with the path of a plans file in place of the name that a browser saves.
  func command(applying plans: String) -> String {
    let head = try? JSONDecoder().decode(Head.self, from: Data(head + Array("]}".utf8)))
    guard let head, head.command.hasSuffix(" " + head.plans) else { return "" }
    return head.command.dropLast(head.plans.count) + ShellWords.text([plans])
  }

  /// The object of all images.
  var object: [UInt8] {
    var bytes = head
    bytes.reserveCapacity(lines.reduce(head.count + 2) { $0 + $1.count + 1 })
    for (number, line) in lines.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += line
    }
    return bytes + Array("]}".utf8)
  }

  /// The indices of the lines by their keys.
  var indices: [String: Int] {
    Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Takes the lines of a newer page. Returns the indices of those that changed.
  mutating func take(_ newer: ReviewData) -> Set<Int> {
    let changed = Set(newer.lines.indices.filter { $0 >= lines.count || lines[$0] != newer.lines[$0] })
    (lines, keys, planned) = (newer.lines, newer.keys, newer.planned)
    return changed
  }

  /// Returns the text of a member in a line. Quotes inside of texts are escaped, so the name cannot be a part of one.
  private static func text(_ name: String, in line: [UInt8]) -> String? {
    guard let start = line.firstRange(of: Array(",\"\(name)\":\"".utf8))?.upperBound else { return nil }
    var end = start
    while end < line.count, line[end] != UInt8(ascii: "\"") { end += line[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < line.count else { return nil }
    return String(decoding: line[start..<end], as: UTF8.self)
  }

  private static func key(_ line: [UInt8]) -> String {
    text("locationBase64", in: line).map { "base64:" + $0 } ?? text("location", in: line) ?? ""
  }

  private static func isPlanned(_ line: [UInt8]) -> Bool { line.firstRange(of: Array(",\"planned\":true".utf8)) != nil }
}
