/// One line that a picture process says to its worker. Of each request: `needs` as often as there is a need, each time waiting
/// for ``granted``; `admitted`, unless it was refused; and the answer.
enum PictureMessage: Equatable, Sendable {
  /// Bytes of memory that the picture will take.
  case needs(Int)
  /// The picture has all that it needs, and another one may be let in.
  case admitted
  /// A JSON object, for standard output as it is.
  case answer(String)

  /// What the worker says to it.
  static let granted = "granted"

  /// Nil if it is no such line.
  init?(_ line: String) {
    let words = line.split(separator: " ")
    if line.hasPrefix("{") {
      self = .answer(line)
    } else if line == "admitted" {
      self = .admitted
    } else if words.count == 2, words[0] == "needs", let bytes = Int(words[1]), bytes >= 0 {
      self = .needs(bytes)
    } else {
      return nil
    }
  }

  var line: String {
    switch self {
    case .needs(let bytes): "needs \(bytes)\n"
    case .admitted: "admitted\n"
    case .answer(let object): "\(object)\n"
    }
  }
}
