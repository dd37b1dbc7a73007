/// A format of chunks with a length and a type of four letters.
struct ChunkFormat {
  /// The offset of the first chunk.
  var start: Int
  /// The offsets in a chunk, whose content starts at 8.
  var typeOffset, lengthOffset: Int
  var order: ByteOrder
  /// Returns the number of bytes after a content.
  var trailer: @Sendable (_ length: Int) -> Int
  /// The types of chunks.
  var exif: StaticString
  var metadata: [StaticString]

  /// Returns the parts of a file. Bytes after the last whole chunk belong to the image.
  func imageParts(of file: Span<UInt8>) -> ImageParts {
    var parts = ImageParts()
    var offset = start
    while let length = file.uint32(at: offset + lengthOffset, order), length <= file.count - offset - 8 {
      let content = offset + 8..<offset + 8 + length
      let type = offset + typeOffset
      if file.contains(exif, at: type) { parts.exif = content }
      if !metadata.contains(where: { file.contains($0, at: type) }) { parts.data.append(offset..<content.upperBound) }
      offset = min(content.upperBound + trailer(length), file.count)
    }
    parts.data.append(min(offset, file.count)..<file.count)
    return parts
  }
}
