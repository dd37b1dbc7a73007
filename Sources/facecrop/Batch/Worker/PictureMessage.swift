/// One line that a picture process says to its worker. Of each request: `needs` as often as there is a need, each time waiting
/// for ``granted``; `admitted`, unless it was refused; and the answer.
enum PictureMessage: Equatable, Sendable {
  /// Bytes of memory that the picture will take.
  case needs(Int)
  /// The picture has all that it needs, and another one may be let in.
  case admitted
  /// A JSON object, for standard output as it is.
  case answer([UInt8])

  /// What the worker says to it.
  static let granted = "granted"

  /// - Parameter line: without its end.
  ///
  /// Nil if it is no such line.
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

  /// With its end.
  var line: [UInt8] {
    switch self {
    case .needs(let bytes): Array("needs \(bytes)\n".utf8)
    case .admitted: Array("admitted\n".utf8)
    case .answer(let object): object + [UInt8(ascii: "\n")]
    }
  }
}
