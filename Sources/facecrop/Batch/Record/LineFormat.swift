import FoundationEssentials

/// What a file of JSON lines is, as its first line says: `{"format":"facecrop-manifest","version":1}`. A file that does not say
/// so is somebody else's, and is not written to.
struct LineFormat: Sendable {
  /// The format's name in the file.
  let name: String
  /// The format's name in messages.
  let title: String
  /// The version of the lines that follow.
  let version: Int

  /// Lines are ``ManifestEntry``.
  static let manifest = LineFormat(name: "facecrop-manifest", title: "manifest", version: 1)
  /// Lines are a picture's plan each.
  static let plans = LineFormat(name: "facecrop-plans", title: "plan list", version: 1)

  private struct Header: Codable {
    var format: String
    var version: Int
  }

  /// The first line, with its end.
  var line: String { JSONLines.safeLine(Header(format: name, version: version)) }

  /// More than the first line has of any file of ours.
  static let mostBytes = 256

  /// What a first line says.
  enum Claim: Equatable {
    case ours
    case otherVersion(Int)
    case somethingElse
  }

  /// - Parameter line: without its end.
  func claim(of line: some Sequence<UInt8>) -> Claim {
    guard let header = try? JSONDecoder().decode(Header.self, from: Data(line)), header.format == name else {
      return .somethingElse
    }
    return header.version == version ? .ours : .otherVersion(header.version)
  }
}
