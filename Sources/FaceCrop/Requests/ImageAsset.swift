public import SystemPackage

/// A reference to an image, which is read only when needed.
///
/// Two assets are equal if their identifiers and pages are equal.
public struct ImageAsset: Sendable, Identifiable {
  /// An identifier of an image, in this process and later ones.
  public struct ID: Hashable, Sendable, Codable, RawRepresentable, CustomStringConvertible {
    /// The text, in any form. The caller decides whether it is stable across runs.
    public let rawValue: String

    /// Creates an identifier from any text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public var description: String { rawValue }
  }

  enum Location: Sendable {
    case file(FilePath)
    case bytes([UInt8])
    /// A remote image that an ``AssetLoader`` finds by its identifier.
    case remote
  }

  /// The identifier, which caches and equal requests compare.
  public let id: ID
  let location: Location
  /// The page of a TIFF file to read, as ``ImageSource/page``. Default nil.
  public var page: Int? = nil

  /// Returns an asset for a file. Cached results are valid until its size, time, or inode changes.
  ///
  /// - Parameters:
  ///   - path: The path, read when the image is requested, perhaps more than once. Pass the bytes of a pipe instead.
  ///   - id: The identifier. Default the path.
  public static func file(_ path: FilePath, id: ID? = nil) -> ImageAsset {
    ImageAsset(id: id ?? ID(rawValue: "file:\(path)"), location: .file(path))
  }

  /// Returns an asset for the file at a path.
  public static func file(_ path: String, id: ID? = nil) -> ImageAsset { .file(FilePath(path), id: id) }

  /// Returns an asset for a whole file in memory, which is not copied.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - id: The identifier. Default the bytes' SHA-256. Other bytes need another identifier.
  public static func bytes(_ bytes: [UInt8], id: ID? = nil) -> ImageAsset {
    ImageAsset(id: id ?? ID(rawValue: "sha256:\(ContentHash(of: bytes).hexadecimal)"), location: .bytes(bytes))
  }

  /// Returns an asset for a remote image. The manager's ``AssetLoader`` fetches it, if the request allows that.
  ///
  /// - Parameter id: The identifier for the loader. Each version of the image needs its own.
  public static func remote(_ id: ID) -> ImageAsset {
    ImageAsset(id: id, location: .remote)
  }
}

extension ImageAsset: Hashable {
  public static func == (one: ImageAsset, other: ImageAsset) -> Bool {
    one.id == other.id && one.page == other.page
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(page)
  }
}
