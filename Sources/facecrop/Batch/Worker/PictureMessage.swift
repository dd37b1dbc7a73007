/// A line from an image process to its worker. A request sends `needs` for each allocation, and waits for ``granted``.
/// Then it sends `admitted`, unless it was refused, and the answer.
enum PictureMessage: Equatable, Sendable {
  /// The image needs this number of bytes.
  case needs(Int)
  /// The image has all its memory, and the next one may be admitted.
  case admitted
  /// A JSON object to copy to standard output.
  case answer([UInt8])

  /// The worker's response.
  static let granted = "granted"

  /// Parses a line without its end; nil if it is invalid.
  init?(_ line: [UInt8]) {
    if line.first == UInt8(ascii: "{") {
      self = .answer(line)
      return
    }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    if words == ["admitted"] {
      self = .admitted
    } else if words.count == 2, words[0] == "needs", let bytes = Int(words[1]), bytes >= 0 {
      self = .needs(bytes)
    } else {
      return nil
    }
  }

  /// The line with its end.
  var line: [UInt8] {
    switch self {
    case .needs(let bytes): Array("needs \(bytes)\n".utf8)
    case .admitted: Array("admitted\n".utf8)
    case .answer(let object): object + [UInt8(ascii: "\n")]
    }
  }
}
