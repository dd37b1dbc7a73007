/// A size of paper, in inches.
public struct PaperSize: Hashable, Sendable {
  /// The width in inches.
  public var width: Double
  /// The height in inches.
  public var height: Double

  /// Creates a paper size.
  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

  /// A common photo size, 10 × 15 cm.
  public static let photo = PaperSize(width: 10 / 2.54, height: 15 / 2.54)
  /// A4 of ISO 216, 21 × 29.7 cm.
  public static let a4 = PaperSize(width: 21 / 2.54, height: 29.7 / 2.54)
  /// US Letter, 8.5 × 11 inches.
  public static let letter = PaperSize(width: 8.5, height: 11)
}

/// The positions of prints and cut marks on a sheet of paper, in pixels, with the origin at the top left.
///
/// The prints form rows from the top, centered as a block on the paper.
public struct SheetLayout: Hashable, Sendable {
  /// The measures of the paper, in inches.
  public struct Measures: Hashable, Sendable {
    /// The paper's size. It is rotated if more prints fit.
    public var paper: PaperSize
    /// The gap between two prints in inches. Default 2 mm.
    public var gap: Double
    /// The minimum margin at the paper's edges in inches. Default 4 mm, which printers leave white.
    public var margin: Double
    /// The resolution in pixels per inch. Default 300.
    public var resolution: Double
    /// The height of the line of text under each print, in inches. Default 0, for none.
    public var caption: Double

    /// Creates measures.
    public init(
      paper: PaperSize, gap: Double = 2 / 25.4, margin: Double = 4 / 25.4, resolution: Double = 300, caption: Double = 0
    ) {
      (self.paper, self.gap, self.margin, self.resolution) = (paper, gap, margin, resolution)
      self.caption = caption
    }

    /// Returns a length in pixels, clamped to a range that later sums cannot overflow.
    fileprivate func pixels(_ length: Double) -> Int {
      let exact = (length * resolution).rounded()
      return exact > 0 ? Int(min(exact, 4 * Double(OutputSize.largestSide))) : 0
    }
  }

  /// The sheet's size in pixels.
  public let size: PixelSize
  /// The resolution in pixels per inch.
  public let resolution: Double
  /// The number of prints that fit.
  public let capacity: Int
  /// The positions of the prints, row by row from the left.
  public let places: [PixelRect]
  /// The rectangles of the captions under the prints; empty without captions.
  public let captions: [PixelRect]
  /// The cut marks: thin black lines outside the prints, in line with their edges.
  public let marks: [PixelRect]

  /// The upper bound of prints. Each is in memory, with its marks, until the sheet is written.
  private static let mostPrints = 10_000

  /// The length and width of a cut mark in inches: 3 mm, and a quarter of a point.
  private static let (markLength, markWidth) = (3 / 25.4, 0.25 / 72)

  /// Creates a layout.
  ///
  /// - Parameters:
  ///   - measures: The paper, gap, margin, and resolution.
  ///   - print: The size of a print in pixels.
  ///   - count: The number of prints, 1 or more; nil fills the sheet.
  ///   - hasMarks: Whether to add cut marks. Default true.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` if the prints do not fit, exceed 10,000, or the sheet has a side
  ///   above 65,535 pixels.
  public init(_ measures: Measures, print: PixelSize, count: Int?, hasMarks: Bool = true) throws(FaceCropError) {
    let (width, height) = (measures.pixels(measures.paper.width), measures.pixels(measures.paper.height))
    let sides = 1...OutputSize.largestSide
    for (field, size) in [("a sheet's sides", PixelSize(width: width, height: height)), ("a print's sides", print)] {
      try InvalidRequest.check(
        sides.contains(size.width) && sides.contains(size.height), field,
        mustBe: "1 to \(OutputSize.largestSide) pixels")
    }
    let (gap, margin) = (measures.pixels(measures.gap), measures.pixels(measures.margin))
    let caption = measures.pixels(measures.caption)
    // A print with the text under it.
    let cell = PixelSize(width: print.width, height: print.height + caption)
    func fitting(_ side: Int, _ print: Int) -> Int { max((side - 2 * margin + gap) / (print + gap), 0) }
    func grid(_ size: PixelSize) -> (columns: Int, rows: Int) {
      (fitting(size.width, cell.width), fitting(size.height, cell.height))
    }
    let given = PixelSize(width: width, height: height)
    let turned = PixelSize(width: height, height: width)
    let isTurned = grid(turned).columns * grid(turned).rows > grid(given).columns * grid(given).rows
    size = isTurned ? turned : given
    resolution = measures.resolution
    let (columns, rows) = grid(size)
    capacity = columns * rows
    guard capacity > 0 else {
      throw .invalidRequest(
        "a print of \(print.width)×\(print.height) pixels does not fit on the sheet of \(width)×\(height)")
    }
    let count = count ?? capacity
    let most = min(capacity, Self.mostPrints)
    let reason = most == capacity ? "as many as fit on the sheet" : "the most that a sheet may have"
    try InvalidRequest.check(
      (1...most).contains(count), "the number of prints", mustBe: "1 to \(most), \(reason)", not: "\(count)")
    let across = min(columns, count)
    let down = (count + across - 1) / across
    func start(_ side: Int, _ print: Int, _ count: Int) -> Int { (side - count * print - (count - 1) * gap) / 2 }
    let (left, top) = (start(size.width, cell.width, across), start(size.height, cell.height, down))
    let places = (0..<count).map { index in
      PixelRect(
        x: left + index % across * (print.width + gap), y: top + index / across * (cell.height + gap),
        width: print.width, height: print.height)
    }
    self.places = places
    captions =
      caption > 0
      ? places.map { PixelRect(x: $0.x, y: $0.y + $0.height, width: $0.width, height: caption) } : []
    marks = hasMarks ? places.flatMap { [size] in Self.marks(of: $0, on: size, measures) } : []
  }

  /// Returns eight lines that meet at the corners, clipped to the paper. Other prints cover them.
  private static func marks(of place: PixelRect, on paper: PixelSize, _ measures: Measures) -> [PixelRect] {
    let length = measures.pixels(markLength)
    let width = max(measures.pixels(markWidth), 1)
    // The marks lie just outside the print.
    let (left, right) = (place.x - width, place.x + place.width)
    let (above, below) = (place.y - width, place.y + place.height)
    let (before, behind) = (place.x - length, place.y - length)
    let lines =
      [left, right].flatMap { x in
        [behind, below].map { PixelRect(x: x, y: $0, width: width, height: length) }
      }
      + [above, below].flatMap { y in
        [before, right].map { PixelRect(x: $0, y: y, width: length, height: width) }
      }
    return lines.map { $0.intersection(PixelRect(whole: paper, scale: 8)) }.filter { $0.width > 0 && $0.height > 0 }
  }

  /// The indices of the prints in each row, from the top.
  public var rows: [Range<Int>] {
    let across = places.prefix { $0.y == places[0].y }.count
    return stride(from: 0, to: places.count, by: across).map { $0..<min($0 + across, places.count) }
  }
}
