/// Finds images inside of files.
public enum EmbeddedPictures {
  /// Finds remains of an embedded image in a file: later headers of JPEG, PNG and TIFF, and pieces of the image.
  ///
  /// - Parameters:
  ///   - file: An output, or the payload of an EXIF segment, which is a TIFF file itself.
  ///   - picture: The image that the input contained.
  /// - Returns: Sentences; empty if nothing was found.
  public static func found(in file: [UInt8], of picture: [UInt8]) -> [String] {
    var found: [String] = []
    // The fourth byte of a JPEG is a marker's; compressed data contain the first three by chance.
    let markers = [0xC0, 0xC2, 0xC4, 0xDB, 0xFE] + Array(0xE0...0xEF)
    var tiffs = 0
    for index in file.indices.dropLast(3) {
      switch (file[index], file[index + 1], file[index + 2], file[index + 3]) {
      case (0xFF, 0xD8, 0xFF, let marker) where index > 0 && markers.contains(Int(marker)):
        found.append("a JPEG begins at \(index)")
      case (0x89, 0x50, 0x4E, 0x47) where index > 0: found.append("a PNG begins at \(index)")
      case (0x49, 0x49, 42, 0), (0x4D, 0x4D, 0, 42):
        tiffs += 1
        if tiffs > 1 { found.append("a second TIFF begins at \(index)") }
      default: break
      }
    }
    // Every piece of this size; shorter ones match by chance. Many JPEG files share tables, but not samples.
    let size = 12
    let picture = JPEGSurgery.entropyOffset(in: picture).map { Array(picture[$0...]) } ?? picture
    let pieces = Set(
      stride(from: 0, through: max(picture.count - size, 0), by: 1).map { Array(picture[$0...].prefix(size)) })
    if let index = file.indices.dropLast(size - 1).first(where: { pieces.contains(Array(file[$0..<$0 + size])) }) {
      found.append("\(size) bytes of the picture are at \(index)")
    }
    return found
  }
}
