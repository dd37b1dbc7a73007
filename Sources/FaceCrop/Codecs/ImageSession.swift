/// Gets `count` rows of a picture, without gaps, from row `first` on; they live as long as the call.
typealias TakeRows = (_ rows: UnsafeBufferPointer<UInt8>, _ first: Int, _ count: Int) -> Void

/// One picture during one request, whatever its format: what it says of itself, a small picture of all of it, and parts at
/// full quality. What the look learns may stay for the render.
protocol ImageSession: AnyObject {
  /// Of the file.
  var format: ImageFormat { get }
  var header: ImageHeader { get }
  /// The scales in eighths, in ascending order and with 8, at which regions can be decoded.
  var scales: [Int] { get }
  /// How the last overview or region was decoded.
  var lastPath: DecodePath { get }
  /// What was found wrong until now and passed over.
  var sortedWarnings: [CropWarning] { get }
  /// What decoding any of it takes, without decoding.
  var estimate: DecodingEstimate { get }

  /// Checks the limits for which more than the header has to be read. Before anything is decoded.
  func admit() throws(FaceCropError)

  /// The whole picture as stored, at most ``Overview/side`` pixels on its longer side; transparent places are white.
  ///
  /// - Parameters:
  ///   - format: without alpha.
  ///   - smallest: pixels of the longer side from which on one that costs less is enough, where a format has such a one.
  func overview(format: PixelBuffer.Format, smallest: Int) throws(FaceCropError) -> PixelBuffer

  /// A rectangle of the picture as stored, in the header's format, with the pixels that decoding all of it would give.
  ///
  /// - Parameters:
  ///   - rect: inside the picture scaled to `ceil(side · scale / 8)`.
  ///   - scale: one of ``scales``.
  ///   - part: which of how many regions this is, for progress that does not go back.
  func region(_ rect: PixelRect, scale: Int, part: (index: Int, count: Int)) throws(FaceCropError) -> PixelBuffer

  /// The same, row by row as stored.
  ///
  /// - Parameter take: gets whole rows, in order from the first, if possible as they are decoded. What damage makes necessary to
  ///   decode in another way comes anew from row 0.
  func rows(of rect: PixelRect, scale: Int, part: (index: Int, count: Int), _ take: TakeRows) throws(FaceCropError)

  /// Whether ``uprightRegion(_:scale:part:)`` does without holding the region's pixels twice.
  var turnsWhileDecoding: Bool { get }

  /// The same turned upright.
  func uprightRegion(
    _ rect: PixelRect, scale: Int, part: (index: Int, count: Int)
  ) throws(FaceCropError) -> PixelBuffer

  /// No other follows the next region: what it has used may go while it is decoded. One that is decoded all the same costs
  /// what the first one did.
  func expectLastRegion()
}

extension ImageSession {
  var turnsWhileDecoding: Bool { false }

  func admit() throws(FaceCropError) {}
  func expectLastRegion() {}

  func rows(
    of rect: PixelRect, scale: Int, part: (index: Int, count: Int), _ take: TakeRows
  ) throws(FaceCropError) {
    unsafe try region(rect, scale: scale, part: part).bytes.withUnsafeBufferPointer { unsafe take($0, 0, rect.height) }
  }

  func uprightRegion(
    _ rect: PixelRect, scale: Int, part: (index: Int, count: Int)
  ) throws(FaceCropError) -> PixelBuffer {
    try region(rect, scale: scale, part: part).upright(header.orientation)
  }
}

/// What a picture says of itself before its pixels.
struct ImageHeader: Sendable {
  /// As stored.
  var size: PixelSize
  var orientation = Orientation.up
  var isGray = false
  var hasAlpha = false
  /// As stored.
  var bitsPerSample = 8
  /// The decoder holds the whole picture until its last row is known: several scans, or interlaced.
  var isProgressive = false
  /// What is read is the first frame.
  var isAnimated = false
  /// An ICC profile that fits the picture's colors.
  var profile: [UInt8]?
  /// The EXIF data, with JPEG's "Exif\0\0" before the TIFF structure.
  var exif: [UInt8]?

  var displaySize: PixelSize { orientation.applied(to: size) }
  /// Of the regions.
  var format: PixelBuffer.Format { hasAlpha ? .rgba : isGray ? .gray : .rgb }

  /// Whether the profile describes pixels in `format` too.
  func fits(_ format: PixelBuffer.Format) -> Bool {
    isGray == (format == .gray)
  }
}

enum Overview {
  /// Pixels of the longer side that suit the detectors: above it they lose time, far below it faces.
  static let side = 640
  /// The fewest that the decodes nearest to it have, as a ratio, where each next one is at most twice as large: side / √2.
  static let smallest = 453
}

extension PixelRect {
  /// All of a picture of `size`, scaled to that many eighths.
  init(whole size: PixelSize, scale: Int) {
    self.init(x: 0, y: 0, width: (size.width * scale + 7) / 8, height: (size.height * scale + 7) / 8)
  }
}
