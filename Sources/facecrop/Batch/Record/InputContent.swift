import FaceCrop

/// The content of an input, which identifies it wherever it lies.
struct InputContent: Hashable, Sendable {
  /// The identifier; see ``identifier(of:)``. Older versions, and other programs, use the SHA-256 of the file.
  var identifier: String
  /// The size of the file; nil if unknown.
  var bytes: Int?

  private static let prefix = "image:"

  /// Returns the identifier of a file: `image:` and the hash of its image data without metadata, so that keywords or a
  /// rating make no other image of it. For formats other than JPEG, PNG and WebP it is the SHA-256 of the file.
  static func identifier(of bytes: [UInt8]) -> String {
    ImageDataHash.text(of: bytes).map { prefix + $0 } ?? ContentHash(of: bytes).hexadecimal
  }

  /// Returns the identifier of a file in the form of another one.
  static func identifier(of bytes: [UInt8], like other: String) -> String {
    isOfImageData(other) ? identifier(of: bytes) : ContentHash(of: bytes).hexadecimal
  }

  static func isOfImageData(_ identifier: String) -> Bool { identifier.hasPrefix(prefix) }
}
