/// A hash of an image file without its metadata. It stays the same if a program adds keywords, a rating, or comments.
/// It changes with the pixels and with the orientation.
package enum ImageDataHash {
  /// Returns the SHA-256 of a JPEG, PNG or WebP file without its metadata, in hexadecimal digits; nil for other formats.
  package static func text(of bytes: [UInt8]) -> String? {
    let file = bytes.span
    guard let format = Codecs.format(of: file), let parts = Codecs.descriptor(of: format).imageParts?(file) else {
      return nil
    }
    let orientation = parts.exif.flatMap { EXIF(file.copy($0)) }?.orientation ?? .up
    return ContentHash { hash in
      for range in parts.data { hash.add(file.extracting(range)) }
      hash.add([UInt8(orientation.rawValue)].span)
    }.hexadecimal
  }
}

/// The parts of a file that make its image.
struct ImageParts {
  /// The bytes without metadata.
  var data: [Range<Int>] = []
  /// The EXIF data, which has the orientation; nil for none.
  var exif: Range<Int>?
}
