/// The facts that an authority states about the photo in one of its documents.
///
/// ``PhotoStandard/document`` gives the row of the table. Facts that the authority's page does not state are nil.
public struct PhotoDocument: Hashable, Sendable {
  /// A range of lengths in the photo.
  public enum Measure: Hashable, Sendable {
    /// Millimeters on paper.
    case millimeters(ClosedRange<Double>)
    /// Fractions of the photo's height.
    case part(ClosedRange<Double>)
  }

  /// The document and the country.
  public var title: String
  /// The width on paper in millimeters; nil for a file only.
  public var width: Double?
  /// The height on paper in millimeters; nil for a file only.
  public var height: Double?
  /// The head from chin to crown, without hair.
  public var headHeight: Measure?
  /// The eyes above the lower edge.
  public var eyeLine: Measure?
  /// The space above the head.
  public var headroom: Measure?
  /// The minimum distance between the eyes in millimeters.
  public var eyeDistance: Double?
  /// The background.
  public var background: String?
  /// The colors that ``background`` names, that of new backgrounds first. Empty if any light color will do.
  var tones: [BackgroundColor] = []
  /// The minimum size of a file in pixels.
  public var leastPixels: PixelSize?
  /// The maximum size of a file in pixels.
  public var mostPixels: PixelSize?
  /// The minimum size of a file in bytes.
  public var leastBytes: Int?
  /// The maximum size of a file in bytes.
  public var mostBytes: Int?
  /// The addresses of the authority's pages.
  public var pages: [String]
  /// The day on which the last page was read, as YYYY-MM-DD.
  public var accessed = "2026-11-27"

  /// The color of a new background that the authority's page allows. It is a light gray if the page asks for any light
  /// color, and nil if it states none.
  public var backgroundColor: BackgroundColor? { background.map { _ in tones.first ?? .light } }

  /// The width to the height.
  public var aspect: AspectRatio {
    if let width, let height { return AspectRatio(width: width, height: height) }
    let size = leastPixels ?? PixelSize(width: 35, height: 45)
    return AspectRatio(width: Double(size.width), height: Double(size.height))
  }

  /// Returns the size of a photo in pixels: the size on paper at this resolution, within the limits for files. It is an
  /// exact size if the authority states one.
  public func pixels(perInch: Double) -> PixelSize {
    if let leastPixels, leastPixels == mostPixels { return leastPixels }
    let aspect = aspect
    var (width, height) = (aspect.width, aspect.height)
    func scale(_ factor: Double) { (width, height) = (width * factor, height * factor) }
    if self.width != nil { scale(perInch / Self.millimetersPerInch) }
    if let leastPixels { scale(max(Double(leastPixels.width) / width, Double(leastPixels.height) / height, 1)) }
    if let mostPixels { scale(min(Double(mostPixels.width) / width, Double(mostPixels.height) / height, 1)) }
    func side(_ length: Double) -> Int { min(max(Int(length.rounded()), 1), OutputSize.largestSide) }
    return PixelSize(width: side(width), height: side(height))
  }

  static let millimetersPerInch = 25.4

  /// Returns a measure in fractions of the photo's height.
  func part(_ measure: Measure) -> ClosedRange<Double> {
    switch measure {
    case .part(let range): range
    case .millimeters(let range):
      // Only a document with a size on paper has millimeters (`PhotoDocumentTests`).
      range.lowerBound / (height ?? range.upperBound)...range.upperBound / (height ?? range.upperBound)
    }
  }
}
