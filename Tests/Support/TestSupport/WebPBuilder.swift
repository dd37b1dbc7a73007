/// Assembles WebP files from their chunks (RFC 9649), around libwebp's output.
public enum WebPBuilder {
  public typealias Chunk = (name: String, data: [UInt8])

  public static func file(_ chunks: [Chunk]) -> [UInt8] {
    let body = Array("WEBP".utf8) + chunks.flatMap(encoded)
    return Array("RIFF".utf8) + UInt32(body.count).littleEndianBytes + body
  }

  /// Returns the first chunk of an extended file.
  ///
  /// - Parameter flags: The features that follow; 2 is animation, 4 XMP, 8 EXIF, 16 alpha, 32 a profile.
  public static func extended(flags: UInt8, width: Int, height: Int) -> Chunk {
    ("VP8X", [flags, 0, 0, 0] + number24(width - 1) + number24(height - 1))
  }

  /// Returns a frame that shows for 100 ms.
  ///
  /// - Parameter picture: Its chunk of pixels from ``chunks(of:)``.
  public static func frame(_ picture: Chunk, x: Int, y: Int, width: Int, height: Int) -> Chunk {
    let place = number24(x / 2) + number24(y / 2) + number24(width - 1) + number24(height - 1)
    return ("ANMF", place + number24(100) + [0] + encoded(picture))
  }

  /// No background, shown forever.
  public static let animation: Chunk = ("ANIM", [0, 0, 0, 0, 0, 0])

  /// Returns the chunks of a well-formed file.
  public static func chunks(of file: [UInt8]) -> [Chunk] {
    var chunks: [Chunk] = []
    var start = 12
    while start + 8 <= file.count {
      let count = file[start + 4..<start + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: file[start..<start + 4], as: UTF8.self)
      chunks.append((name, Array(file[start + 8..<start + 8 + count])))
      start += 8 + count + count % 2
    }
    return chunks
  }

  private static func encoded(_ chunk: Chunk) -> [UInt8] {
    let padding: [UInt8] = chunk.data.count.isMultiple(of: 2) ? [] : [0]
    return Array(chunk.name.utf8) + UInt32(chunk.data.count).littleEndianBytes + chunk.data + padding
  }

  private static func number24(_ value: Int) -> [UInt8] { Array(UInt32(value).littleEndianBytes.prefix(3)) }
}
