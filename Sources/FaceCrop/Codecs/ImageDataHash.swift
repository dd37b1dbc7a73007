internal import Crypto

/// A hash of an image file without its metadata. It stays the same if a program adds keywords, a rating, or comments.
/// It changes with the pixels and with the orientation.
package enum ImageDataHash {
  /// Returns the SHA-256 of a JPEG, PNG or WebP file without its metadata, in hexadecimal digits; nil for other formats.
  package static func text(of bytes: [UInt8]) -> String? {
    let file = bytes.span
    var hash = SHA256()
    var orientation = Orientation.up
    func add(_ range: Range<Int>) {
      unsafe file.extracting(range).withUnsafeBufferPointer {
        unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0))
      }
    }
    func read(_ exif: Range<Int>) {
      orientation = EXIF(file.copy(exif))?.orientation ?? .up
    }
    switch ImageKind(of: file).format {
    case .jpeg: addJPEG(file, add, read)
    case .png: addChunks(file, .png, add, read)
    case .webp: addChunks(file, .webp, add, read)
    default: return nil
    }
    hash.update(data: [UInt8(orientation.rawValue)])
    return Hexadecimal.text(hash.finalize())
  }

  private typealias Visit = (Range<Int>) -> Void

  private static func addJPEG(_ file: Span<UInt8>, _ add: Visit, _ read: Visit) {
    var offset = 2
    while let segment = JPEGSegments.next(in: file, from: offset) {
      offset = segment.range.upperBound
      let payload = segment.payload
      switch segment.marker {
      case 0xE1 where file.contains("Exif\0\0", at: payload.lowerBound): read(payload.dropFirst(6))
      case 0xEE: add(segment.range)
      case 0xE0...0xEF, 0xFE: break
      default: add(segment.range)
      }
      if segment.marker == JPEGSegments.startOfScan { break }
    }
    add(offset..<file.count)
  }

  /// A format of chunks with a type of four letters.
  private struct ChunkFormat {
    var start: Int
    var typeOffset: Int
    var lengthOffset: Int
    var order: ByteOrder
    /// The number of bytes after the content.
    var trailer: @Sendable (_ length: Int) -> Int
    var exif: StaticString
    var metadata: [StaticString]

    /// PNG, third edition, 5.3 and 11.3.
    static let png = ChunkFormat(
      start: 8, typeOffset: 4, lengthOffset: 0, order: .bigEndian, trailer: { _ in 4 }, exif: "eXIf",
      metadata: ["eXIf", "tEXt", "zTXt", "iTXt", "tIME"])
    /// RFC 9649, 2.3 and 2.7. The chunk VP8X tells whether the file has metadata.
    static let webp = ChunkFormat(
      start: 12, typeOffset: 0, lengthOffset: 4, order: .littleEndian, trailer: { $0 % 2 }, exif: "EXIF",
      metadata: ["VP8X", "EXIF", "XMP "])
  }

  private static func addChunks(_ file: Span<UInt8>, _ format: ChunkFormat, _ add: Visit, _ read: Visit) {
    var offset = format.start
    while let length = file.uint32(at: offset + format.lengthOffset, format.order), length <= file.count - offset - 8 {
      let content = offset + 8..<offset + 8 + length
      let type = offset + format.typeOffset
      if file.contains(format.exif, at: type) { read(content) }
      if !format.metadata.contains(where: { file.contains($0, at: type) }) { add(offset..<content.upperBound) }
      offset = min(content.upperBound + format.trailer(length), file.count)
    }
    add(offset..<file.count)
  }
}
