import Foundation
import Glibc
import SystemPackage

extension ReviewHistory {
  /// A line of the file: a change, or the state of an image at the time when the file was written as a whole.
  enum Change: Codable, Sendable {
    case corrected(to: [Frame], before: Frames, content: String?)
    case stepped(by: Step)
    case renewed(content: String?)
    case made(version: Int)
    case forgotten
    case state(State)
  }
}

/// The file of a review's history: the history, and a line for each later change. A correction costs its own line.
struct ReviewLog: Sendable {
  let path: String
  /// The bytes of changes behind the history; nil if the file is to be written as a whole.
  private var added: Int?

  /// The bytes of changes after which the file is written as a whole.
  static let mostAdded = 16 << 20
  /// Upper bound of a file that is read, in bytes.
  private static let mostRead = 256 << 20
  private static let header = Array("{\"format\":\"facecrop-review\",\"formatVersion\":3}\n".utf8)

  private struct Line: Codable {
    var key: String
    var change: ReviewHistory.Change
  }

  init(path: String) { self.path = path }

  /// Writes changes of a history, which already has them.
  mutating func save(
    _ history: ReviewHistory, _ changes: [(key: String, change: ReviewHistory.Change)]
  ) throws(ServiceError) {
    if let added {
      var lines: [UInt8] = []
      for (key, change) in changes { lines += try Self.line(key, change) }
      guard added + lines.count > Self.mostAdded else {
        // The next one is written as a whole if this one fails.
        self.added = nil
        try ReviewFile.append(lines, to: path)
        self.added = added + lines.count
        return
      }
    }
    try ReviewFile.write(Self.whole(history), to: path)
    added = 0
  }

  private static func whole(_ history: ReviewHistory) throws(ServiceError) -> [UInt8] {
    var bytes = header
    for (key, state) in history.states.sorted(by: { $0.value.order < $1.value.order }) {
      bytes += try line(key, .state(state))
    }
    return bytes
  }

  private static func line(_ key: String, _ change: ReviewHistory.Change) throws(ServiceError) -> [UInt8] {
    guard let line = try? JSONLines.line(Line(key: key, change: change)) else {
      throw .internalFault("the history cannot be written as JSON")
    }
    return Array(line.utf8)
  }

  // MARK: Reading

  /// Reads a history; nil if the file is not one. A last line without an end was never confirmed, and is ignored.
  static func read(_ path: String) -> ReviewHistory? {
    guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size <= mostRead,
      let data = FileManager.default.contents(atPath: path), data.starts(with: header)
    else { return nil }
    var history = ReviewHistory()
    var rest = data.dropFirst(header.count)
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      guard let line = try? JSONDecoder().decode(Line.self, from: rest[..<end]) else { return nil }
      history.apply(line.change, line.key)
      rest = rest[(end + 1)...]
    }
    return history
  }
}
