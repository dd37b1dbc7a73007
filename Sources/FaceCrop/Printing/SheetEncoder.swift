/// An encoder that writes a sheet from the top, one row of prints at a time. Neither the sheet nor its file is ever in
/// memory as a whole.
///
/// It works in the calling thread. It throws ``FaceCropError/cancelled`` after its task is cancelled.
public final class SheetEncoder {
  /// The rows of pixels to encode at once.
  private static let bandHeight = 64

  private let layout: SheetLayout
  private let encoder: any RowEncoder
  private let job: Job
  /// The rows of prints, the number added, and the number of encoded pixel rows.
  private let rows: [Range<Int>]
  private var added = 0
  private var y = 0

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - layout: The positions of the prints.
  ///   - format: PNG, TIFF, or JPEG that is not progressive.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` for another format or quality.
  public init(_ layout: SheetLayout, as format: OutputFormat) throws(FaceCropError) {
    self.layout = layout
    job = Job(limits: Limits(), cancellation: Cancellation(), progress: nil)
    rows = layout.rows
    encoder = try Codecs.rowEncoder(layout.size, .rgb, as: format, resolution: layout.resolution, job)
  }

  /// Adds the next row of prints.
  ///
  /// - Parameters:
  ///   - prints: The prints, one for each position of the row, in sRGB. Prints of another size are resized.
  ///   - captions: The text under each print; empty for none. The layout must have room for it. See ``missingLetters(in:)``.
  /// - Returns: The next bytes of the file.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` for another number of prints or captions, or after the last row.
  public func add(_ prints: [RenderedCrop], captions: [String] = []) throws(FaceCropError) -> [UInt8] {
    guard added < rows.count, prints.count == rows[added].count, captions.isEmpty || captions.count == prints.count
    else {
      throw .invalidRequest("a row of \(prints.count) prints does not match the sheet's layout")
    }
    guard captions.isEmpty || !layout.captions.isEmpty else {
      throw .invalidRequest("the sheet's layout has no room for captions")
    }
    let lines = zip(captions, captions.isEmpty ? [] : layout.captions[rows[added]]).map { text, place in
      (Caption(text, in: place.size), place)
    }
    let places = layout.places[rows[added]]
    added += 1
    let size = places.first!.size
    let fitted = prints.map { $0.pixels.flattened(on: .white).inColor().resampled(to: size) }
    // The band includes the cut marks above the next row.
    let end = added < rows.count ? layout.places[rows[added].lowerBound].y : layout.size.height
    return try encode(to: end, fitted, places, lines)
  }

  /// Returns the characters of a caption that are drawn as boxes, each once. The font has Latin letters with accents,
  /// digits and punctuation.
  public static func missingLetters(in caption: String) -> [Character] { Caption.missing(in: caption) }

  /// Returns whether a caption is too long for its place under a print of `layout`, so that its end is left out.
  public static func cuts(_ caption: String, in layout: SheetLayout) -> Bool {
    layout.captions.first.map { Caption.cut(caption, in: $0.size).isCut } ?? false
  }

  /// Ends the file, after the last row.
  ///
  /// - Returns: The last bytes of the file, and for TIFF the bytes that replace its start.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` if rows are missing.
  public func finish() throws(FaceCropError) -> End {
    guard added == rows.count else { throw .invalidRequest("rows of the sheet are missing") }
    let end = try encoder.finish()
    return End(bytes: end.bytes, beginning: end.beginning)
  }

  /// The end of a sheet's file.
  public struct End: Hashable, Sendable {
    /// The last bytes of the file.
    public let bytes: [UInt8]
    /// The bytes that replace the start of the file, in TIFF; empty in other formats.
    public let beginning: [UInt8]
  }

  private func encode(
    to end: Int, _ prints: [PixelBuffer], _ places: ArraySlice<PixelRect>, _ captions: [(Caption, PixelRect)]
  ) throws(FaceCropError) -> [UInt8] {
    var bytes: [UInt8] = []
    while y < end {
      if Task.isCancelled { throw .cancelled }
      let band = PixelRect(x: 0, y: y, width: layout.size.width, height: min(Self.bandHeight, end - y))
      var pixels = [UInt8](repeating: 255, count: band.width * band.height * 3)
      func fill(_ rect: PixelRect, _ row: (Int) -> ArraySlice<UInt8>) {
        let part = rect.intersection(band)
        for line in part.y..<part.y + max(part.height, 0) where part.width > 0 {
          let start = ((line - band.y) * band.width + part.x) * 3
          pixels.replaceSubrange(start..<start + part.width * 3, with: row(line))
        }
      }
      for mark in layout.marks { fill(mark) { _ in [UInt8](repeating: 0, count: mark.width * 3)[...] } }
      for (print, place) in zip(prints, places) {
        fill(place) { line in
          let start = (line - place.y) * print.bytesPerRow
          return print.bytes[start..<start + print.width * 3]
        }
      }
      for (caption, place) in captions {
        fill(place) { line in
          let start = (line - place.y) * place.width
          return caption.pixels[start..<start + place.width].flatMap { [$0, $0, $0] }[...]
        }
      }
      try unsafe pixels.span.withBuffer { (rows) throws(FaceCropError) in
        try unsafe encoder.write(rows, count: band.height)
      }
      bytes += encoder.taken()
      y += band.height
    }
    return bytes
  }
}
