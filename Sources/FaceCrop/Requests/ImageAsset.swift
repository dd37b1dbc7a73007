internal import Crypto
public import SystemPackage

/// A picture that can be asked for: a reference, of which nothing is read until it is needed.
///
/// Two assets are equal if their identifiers are.
public struct ImageAsset: Sendable, Identifiable {
  /// What names a picture, in this process and the next.
  public struct ID: Hashable, Sendable, Codable, RawRepresentable, CustomStringConvertible {
    /// The text, of any form; it stays the same from run to run if whoever makes it sees to that.
    public let rawValue: String

    /// An identifier of the caller's.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public var description: String { rawValue }
  }

  enum Location: Sendable {
    case file(FilePath)
    case bytes([UInt8])
    /// Whatever an ``AssetLoader`` makes of the identifier.
    case remote
  }

  /// What caches and equal requests go by.
  public let id: ID
  let location: Location

  /// A file. What is kept of it is good as long as its size, its time and its place on the disk are the same.
  ///
  /// - Parameters:
  ///   - path: Read when the picture is asked for.
  ///   - id: By default the path.
  public static func file(_ path: FilePath, id: ID? = nil) -> ImageAsset {
    ImageAsset(id: id ?? ID(rawValue: "file:\(path)"), location: .file(path))
  }

  /// The same by a path in a string.
  public static func file(_ path: String, id: ID? = nil) -> ImageAsset { .file(FilePath(path), id: id) }

  /// A whole file in memory. The bytes are not copied.
  ///
  /// - Parameters:
  ///   - bytes: The file's.
  ///   - id: By default the bytes' SHA-256. One that is given has to be another for other bytes.
  public static func bytes(_ bytes: [UInt8], id: ID? = nil) -> ImageAsset {
    ImageAsset(id: id ?? ID(rawValue: "sha256:\(ContentHash(of: bytes).hexadecimal)"), location: .bytes(bytes))
  }

  /// A picture elsewhere, which the manager's ``AssetLoader`` fetches, if the request allows that.
  ///
  /// - Parameter id: What is loaded; another for every version of the picture.
  public static func remote(_ id: ID) -> ImageAsset {
    ImageAsset(id: id, location: .remote)
  }
}

extension ImageAsset: Hashable {
  public static func == (one: ImageAsset, other: ImageAsset) -> Bool { one.id == other.id }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

/// SHA-256.
struct ContentHash: Hashable, Sendable {
  let bytes: [UInt8]

  init(of content: [UInt8]) {
    self.init(of: content.span)
  }

  init(of content: Span<UInt8>) {
    var hash = SHA256()
    unsafe content.withUnsafeBufferPointer { unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    bytes = Array(hash.finalize())
  }

  var hexadecimal: String { Hexadecimal.text(bytes) }
}
