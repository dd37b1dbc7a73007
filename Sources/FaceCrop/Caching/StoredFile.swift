internal import FoundationEssentials

/// The content of a cache's file: facts as a line of JSON, bytes, and the SHA-256 of both. A damaged file is none.
///
/// Store ``file`` in a ``CacheFolder``.
public struct StoredFile<Facts: Codable> {
  /// The facts about the bytes.
  public var facts: Facts
  /// The bytes.
  public var bytes: [UInt8]

  /// Creates the content of a file.
  public init(_ facts: Facts, _ bytes: [UInt8]) {
    self.facts = facts
    self.bytes = bytes
  }

  private static var hashBytes: Int { 32 }

  /// Reads a file; nil if its bytes have changed.
  public init?(file: [UInt8]) {
    let count = file.count - Self.hashBytes
    guard count > 0, ContentHash(of: file.span.extracting(..<count)).bytes == Array(file[count...]),
      let end = file[..<count].firstIndex(of: UInt8(ascii: "\n")),
      let facts = try? JSONDecoder().decode(Facts.self, from: Data(file[..<end]))
    else { return nil }
    self.init(facts, Array(file[(end + 1)..<count]))
  }

  /// The bytes of the file, the same for equal contents; nil if the facts cannot be written.
  public var file: [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(facts) else { return nil }
    var content = Array(json) + [UInt8(ascii: "\n")]
    content.reserveCapacity(content.count + bytes.count + Self.hashBytes)
    content += bytes
    content += ContentHash(of: content).bytes
    return content
  }
}
