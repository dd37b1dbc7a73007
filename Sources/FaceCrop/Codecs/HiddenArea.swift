/// An area of an image whose pixels are replaced: the union of some polygons.
struct HiddenArea {
  typealias Point = SIMD2<Double>

  /// The polygons, in pixels of the image. They may reach out of it.
  let polygons: [[Point]]
  /// The rectangle around them.
  let bounds: Frame
  /// The picture for ``BlurMode/image``; nil is black.
  var cover: AreaCover?

  init(_ polygons: [[Point]]) {
    self.polygons = polygons
    let points = polygons.joined()
    let (left, top) = (points.map(\.x).min() ?? 0, points.map(\.y).min() ?? 0)
    bounds = Frame(
      x: left, y: top, width: (points.map(\.x).max() ?? 0) - left, height: (points.map(\.y).max() ?? 0) - top)
  }

  /// Returns the side of a cell in pixels, by the area's size. With smaller cells, the network still finds some areas.
  func cell(for mode: BlurMode) -> Double { max(max(bounds.width, bounds.height) / (mode == .blur ? 2.5 : 4), 1) }

  /// Returns whether the area may have pixels in these rows.
  func touches(rows: Range<Double>) -> Bool { bounds.y < rows.upperBound && bounds.maxY > rows.lowerBound }

  /// Calls `body` with each stretch of the line at height `y` inside the area; stretches of two polygons may overlap.
  func forEachSpan(at y: Double, _ body: (Range<Double>) -> Void) {
    for polygon in polygons {
      var crossings: [Double] = []
      for (index, start) in polygon.enumerated() {
        let end = polygon[(index + 1) % polygon.count]
        guard (start.y <= y) != (end.y <= y) else { continue }
        crossings.append(start.x + (y - start.y) / (end.y - start.y) * (end.x - start.x))
      }
      crossings.sort()
      for pair in stride(from: 0, to: crossings.count - 1, by: 2) { body(crossings[pair]..<crossings[pair + 1]) }
    }
  }
}
