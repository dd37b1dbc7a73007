/// A size of paper, in inches.
public struct PaperSize: Hashable, Sendable {
  /// Inches.
  public var width: Double
  /// Inches.
  public var height: Double

  /// - Parameters:
  ///   - width: Inches.
  ///   - height: Inches.
  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

  /// A photograph's usual size, 10x15 cm.
  public static let photo = PaperSize(width: 10 / 2.54, height: 15 / 2.54)
  /// ISO 216.
  public static let a4 = PaperSize(width: 21 / 2.54, height: 29.7 / 2.54)
  /// US Letter.
  public static let letter = PaperSize(width: 8.5, height: 11)
}

/// Where prints of one size are placed on a sheet of paper, and where it is cut; in pixels, origin at the top left.
///
/// The prints stand in rows from the top, with the block of them all in the middle of the paper.
public struct SheetLayout: Hashable, Sendable {
  /// Lengths in inches, as paper has them.
  public struct Measures: Hashable, Sendable {
    /// It is turned if more prints fit then.
    public var paper: PaperSize
    /// Between two prints. Default 2 mm.
    public var gap: Double
    /// At the paper's edges, at least. Default 4 mm, which printers leave white.
    public var margin: Double
    /// Pixels per inch. Default 300.
    public var resolution: Double
    /// The height of the line of text under each print. Default 0, for none.
    public var caption: Double

    /// - Parameters:
    ///   - paper: The sheet's size.
    ///   - gap: Inches between two prints.
    ///   - margin: Inches at the paper's edges, at least.
    ///   - resolution: Pixels per inch.
    ///   - caption: Inches of text under each print.
    public init(
      paper: PaperSize, gap: Double = 2 / 25.4, margin: Double = 4 / 25.4, resolution: Double = 300, caption: Double = 0
    ) {
      (self.paper, self.gap, self.margin, self.resolution) = (paper, gap, margin, resolution)
      self.caption = caption
    }

    /// At least 0, and at most more than any sheet has.
    fileprivate func pixels(_ length: Double) -> Int {
      let exact = (length * resolution).rounded()
      return exact > 0 ? Int(min(exact, 4 * Double(OutputSize.largestSide))) : 0
    }
  }

  /// The sheet's size.
  public let size: PixelSize
  /// Pixels per inch.
  public let resolution: Double
  /// How many prints fit.
  public let capacity: Int
  /// Where the prints stand, row by row from the left.
  public let places: [PixelRect]
  /// Where the text under each print stands; empty without any.
  public let captions: [PixelRect]
  /// Thin black lines outside of the prints, in line with their edges.
  public let marks: [PixelRect]

  /// A print and its marks are held until the sheet is written.
  private static let mostPrints = 10_000

  /// How long a cut mark is, and how wide, in inches: 3 mm, and a quarter of a point.
  private static let (markLength, markWidth) = (3 / 25.4, 0.25 / 72)

  /// - Parameters:
  ///   - measures: of the paper.
  ///   - print: a print's size.
  ///   - count: how many there are; nil fills the sheet.
  ///   - hasMarks: whether there are cut marks.
  /// - Throws: ``FaceCropError/invalidRequest(_:)`` where they do not fit or are more than 10,000, or the sheet has a side above
  ///   65,535 pixels.
  public init(_ measures: Measures, print: PixelSize, count: Int?, hasMarks: Bool = true) throws(FaceCropError) {
    let (width, height) = (measures.pixels(measures.paper.width), measures.pixels(measures.paper.height))
    let sides = 1...OutputSize.largestSide
    guard sides.contains(width), sides.contains(height) else {
      throw .invalidRequest("a sheet's sides must be 1 to \(OutputSize.largestSide) pixels")
    }
    guard sides.contains(print.width), sides.contains(print.height) else {
      throw .invalidRequest("a print's sides must be 1 to \(OutputSize.largestSide) pixels")
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
    guard (1...capacity).contains(count) else {
      throw .invalidRequest("\(count) prints are more than the \(capacity) that fit on the sheet")
    }
    guard count <= Self.mostPrints else {
      throw .invalidRequest("\(count) prints are more than the \(Self.mostPrints) that a sheet may have")
    }
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

  /// Eight lines that meet at the corners, as far as they are on the paper. What of them lies in another print is under it.
  private static func marks(of place: PixelRect, on paper: PixelSize, _ measures: Measures) -> [PixelRect] {
    let length = measures.pixels(markLength)
    let width = max(measures.pixels(markWidth), 1)
    // Beside the edge, outside of the print.
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

  /// The indices of the places in each row, from the top.
  public var rows: [Range<Int>] {
    var rows: [Range<Int>] = []
    for index in places.indices {
      if let last = rows.last, places[last.lowerBound].y == places[index].y {
        rows[rows.count - 1] = last.lowerBound..<index + 1
      } else {
        rows.append(index..<index + 1)
      }
    }
    return rows
  }
}
