import FoundationEssentials

/// The format of a file of JSON lines, declared in its first line: `{"format":"facecrop-manifest","version":1}`. Files
/// without it are never written to.
struct LineFormat: Sendable {
  /// The format's name in the file.
  let name: String
  /// The format's name in messages.
  let title: String
  /// The version of the following lines.
  let version: Int

  /// The format with lines of ``ManifestEntry``.
  static let manifest = LineFormat(name: "facecrop-manifest", title: "manifest", version: 1)
  /// The format with an image's plan in each line.
  static let plans = LineFormat(name: "facecrop-plans", title: "plan list", version: 1)

  private struct Header: Codable {
    var format: String
    var version: Int
  }

  /// The first line with its end.
  var line: String { JSONLines.safeLine(Header(format: name, version: version)) }

  /// An upper bound of the first line in bytes.
  static let mostBytes = 256

  /// The format that a first line declares.
  enum Claim: Equatable {
    case ours
    case otherVersion(Int)
    case somethingElse
  }

  /// Returns the format of a first line without its end.
  func claim(of line: some Collection<UInt8>) -> Claim {
    guard line.count <= Self.mostBytes,
      let header = try? JSONDecoder().decode(Header.self, from: Data(line)), header.format == name
    else { return .somethingElse }
    return header.version == version ? .ours : .otherVersion(header.version)
  }
}
