/// The new samples of an area in one plane of an image: a color channel, or a component of a JPEG.
struct HiddenPlane {
  /// A plane, and the way to read it.
  struct Source {
    /// The pixels of the image that one sample covers, along each side.
    var pixelsAcross = 1.0
    var pixelsDown = 1.0
    /// The samples in a unit along each side. Cells consist of whole units.
    var unit: Int
    /// The size of the plane in units.
    var size: PixelSize
    /// The amplitude of the noise, in levels. Strong colored noise would be conspicuous.
    var noise: Double
    static let (lumaNoise, chromaNoise) = (12.0, 4.0)
    /// The level for ``BlurMode/solid``, and the mix for ``BlurMode/image``.
    var solid: Float
    var mix: SIMD4<Float>
  }

  private let area: HiddenArea
  private let mode: BlurMode
  private let source: Source
  /// The first column and row of cells, in samples, and the side of a cell.
  private var (left, top, side) = (0, 0, 1)
  private var (columns, rows) = (0, 0)
  private var cells: [Float] = []
  /// The seed of the noise, for the other planes of the image.
  private(set) var seed: UInt64 = 0

  /// The difference between two levels of a cell.
  private static let step: Float = 8

  /// Creates the plane of an area. `means` returns the mean sample of each unit in a rectangle of units. Planes with
  /// the same `seed` and size get the same noise. Without one, the seed is a hash of the means.
  init(
    _ area: HiddenArea, _ mode: BlurMode, in source: Source, seed: UInt64?,
    means: (PixelRect) throws(FaceCropError) -> [Float]
  ) throws(FaceCropError) {
    (self.area, self.mode, self.source) = (area, mode, source)
    guard mode != .solid, mode != .image else { return }
    let unit = Double(source.unit)
    func units(_ pixels: Double, _ pixelsPerSample: Double) -> Double { pixels / pixelsPerSample / unit }
    // A component may be subsampled along one side only; its cells are then less square.
    let across = units(area.cell(for: mode), max(source.pixelsAcross, source.pixelsDown))
    let unitsInCell = max(Int(across.rounded(.up)), 1)
    side = unitsInCell * source.unit
    func span(_ start: Double, _ end: Double, _ pixels: Double, _ most: Int) -> Range<Int> {
      let first = min(max(Int(units(start, pixels).rounded(.down)), 0), most - 1)
      return first..<min(max(Int(units(end, pixels).rounded(.up)), first + 1), most)
    }
    let wide = span(area.bounds.x, area.bounds.maxX, source.pixelsAcross, source.size.width)
    let down = span(area.bounds.y, area.bounds.maxY, source.pixelsDown, source.size.height)
    (left, top) = (wide.lowerBound * source.unit, down.lowerBound * source.unit)
    columns = (wide.count + unitsInCell - 1) / unitsInCell
    rows = (down.count + unitsInCell - 1) / unitsInCell
    let rect = PixelRect(x: wide.lowerBound, y: down.lowerBound, width: wide.count, height: down.count)
    let levels = try means(rect)
    cells = [Float](repeating: 0, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        var (sum, count): (Float, Float) = (0, 0)
        for y in row * unitsInCell..<min((row + 1) * unitsInCell, rect.height) {
          for x in column * unitsInCell..<min((column + 1) * unitsInCell, rect.width) {
            sum += levels[y * rect.width + x]
            count += 1
          }
        }
        cells[row * columns + column] = sum / max(count, 1)
      }
    }
    self.seed = seed ?? Self.hash(cells)
    addNoise()
  }

  /// Returns a hash of all cells (FNV-1a). Another photo of the same person has another one.
  private static func hash(_ cells: [Float]) -> UInt64 {
    cells.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1.bitPattern)) &* 0x100_0000_01B3 }
  }

  /// Rounds the levels after adding noise of a triangular distribution.
  private mutating func addNoise() {
    var state = seed
    // SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
    func next() -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return Double((value ^ (value >> 31)) >> 11) * 0x1p-53
    }
    for index in cells.indices {
      let noisy = cells[index] + Float(source.noise * (next() - next()))
      cells[index] = min(max((noisy / Self.step).rounded() * Self.step, 0), 255)
    }
  }

  // MARK: Rows

  /// Calls `body` with each stretch of hidden samples in a row, within `columns`.
  func forEachSpan(row: Int, in columns: Range<Int>, _ body: (Range<Int>) -> Void) {
    area.forEachSpan(at: (Double(row) + 0.5) * source.pixelsDown) { span in
      // A sample is hidden if any part of it is inside.
      let limits = Double(columns.lowerBound)...Double(columns.upperBound)
      func place(_ x: Double) -> Double { min(max(x / source.pixelsAcross, limits.lowerBound), limits.upperBound) }
      // A border within 10⁻⁶ of a sample's is rounded to it, as in `PixelRect(covering:in:)`.
      let slack = 1e-6
      let first = Int((place(span.lowerBound) + slack).rounded(.down))
      let end = Int((place(span.upperBound) - slack).rounded(.up))
      if first < end { body(first..<end) }
    }
  }

  /// Returns a function of the column that gives the levels of a row.
  func levels(row: Int) -> (_ column: Int) -> Float {
    let (columns, left, side, solid) = (columns, left, side, source.solid)
    switch (mode, area.cover) {
    case (.image, let cover?):
      let (source, y) = (source, (Double(row) + 0.5) * source.pixelsDown)
      return { column in cover.level((Double(column) + 0.5) * source.pixelsAcross, y, source.mix) }
    case (.solid, _), (.image, nil): return { _ in solid }
    case (.pixelate, _):
      let start = min(max((row - top) / side, 0), rows - 1) * columns
      let line = Array(cells[start..<start + columns])
      return { column in line[min(max((column - left) / side, 0), columns - 1)] }
    case (.blur, _):
      let (middle, weights) = Self.spline(row - top, side)
      var line = [Float](repeating: 0, count: columns)
      for (offset, weight) in zip(-1...1, [weights.0, weights.1, weights.2]) {
        let start = min(max(middle + offset, 0), rows - 1) * columns
        for column in 0..<columns { line[column] += weight * cells[start + column] }
      }
      return { column in
        let (middle, weights) = Self.spline(column - left, side)
        func level(_ place: Int) -> Float { line[min(max(place, 0), columns - 1)] }
        return weights.0 * level(middle - 1) + weights.1 * level(middle) + weights.2 * level(middle + 1)
      }
    }
  }

  /// Returns the nearest cell of a sample, and the weights of that cell and its two neighbors, in order. They are those
  /// of a quadratic B-spline, which has no creases.
  private static func spline(_ sample: Int, _ side: Int) -> (middle: Int, weights: (Float, Float, Float)) {
    let place = (Float(sample) + 0.5) / Float(side) - 0.5
    let middle = place.rounded()
    let distance = place - middle
    return (
      Int(middle),
      (
        0.5 * (0.5 - distance) * (0.5 - distance), 0.75 - distance * distance,
        0.5 * (0.5 + distance) * (0.5 + distance)
      )
    )
  }
}
