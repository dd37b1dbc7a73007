/// A square of an output in which the person network looks for people. It may reach over the output's edge, where the edge
/// pixels repeat.
struct PersonWindow {
  /// The side of the network's image.
  static let side = 256
  /// The lower bound of a window's side in pixels of the output.
  private static let shortestSide = 16.0

  /// The square in pixels of the output.
  let area: Frame

  /// The whole output, with room above and beside it: the network was trained on people who fill less of the image.
  init(around size: PixelSize) {
    let (width, height) = (Double(size.width), Double(size.height))
    let side = 1.23 * max(width, height)
    area = Frame(x: (width - side) / 2, y: height - side, width: side, height: side)
  }

  /// A head and its shoulders, for a head that is small in the output.
  init(around face: Frame) {
    let window = PersonMask.Window.near
    // An untrusted plan can have a face of any size.
    let side = max(window.width * face.height, Self.shortestSide)
    area = Frame(
      x: face.midX - side / 2, y: face.midY - window.above * face.height - side / 2, width: side, height: side)
  }

  /// Returns the probabilities for the pixels of `grid`, a size of the same shape as the image, that lie in the window; nil
  /// for the others.
  func probabilities(
    in image: PixelBuffer, grid: PixelSize, by network: some PersonMasking
  ) throws(FaceCropError) -> (Int, Int) -> UInt8? {
    let scale = Double(Self.side) / area.width
    // The part of the output in the window, in whole pixels.
    func span(_ start: Double, _ end: Double, _ length: Int) -> Range<Int> {
      let first = min(max(Int(start.rounded(.down)), 0), length - 1)
      return first..<min(max(Int(end.rounded(.up)), first + 1), length)
    }
    let (columns, rows) = (span(area.x, area.maxX, image.width), span(area.y, area.maxY, image.height))
    let part = PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    let size = PixelSize(
      width: min(max(Int((Double(part.width) * scale).rounded()), 1), Self.side),
      height: min(max(Int((Double(part.height) * scale).rounded()), 1), Self.side))
    let shown = (part.size == image.size ? image : image.cropped(to: part)).quicklyResized(to: size)
    let left = Int(((Double(part.x) - area.x) * scale).rounded()),
      top = Int(((Double(part.y) - area.y) * scale).rounded())
    var square = [UInt8](repeating: 0, count: Self.side * Self.side * 3)
    for y in 0..<Self.side {
      let row = min(max(y - top, 0), size.height - 1) * shown.bytesPerRow
      for x in 0..<Self.side {
        let from = row + min(max(x - left, 0), size.width - 1) * 3
        for channel in 0..<3 { square[(y * Self.side + x) * 3 + channel] = shown.bytes[from + channel] }
      }
    }
    let mask = try network.mask(
      of: PixelBuffer(size: PixelSize(width: Self.side, height: Self.side), format: .rgb, bytes: square))
    let (stepX, stepY) = (Double(image.width) / Double(grid.width), Double(image.height) / Double(grid.height))
    return { [area] column, row in
      let (x, y) = ((Double(column) + 0.5) * stepX, (Double(row) + 0.5) * stepY)
      guard x >= area.x, x < area.maxX, y >= area.y, y < area.maxY else { return nil }
      return Self.interpolated(mask, (x - area.x) * scale - 0.5, (y - area.y) * scale - 0.5)
    }
  }

  /// Returns the probability between four pixels of the mask.
  private static func interpolated(_ mask: [UInt8], _ x: Double, _ y: Double) -> UInt8 {
    func inside(_ place: Double) -> (first: Int, part: Int) {
      let place = min(max(place, 0), Double(side - 1))
      let first = min(Int(place), side - 2)
      return (first, Int((place - Double(first)) * 256))
    }
    let (column, row) = (inside(x), inside(y))
    func line(_ y: Int) -> Int {
      let start = y * side + column.first
      return Int(mask[start]) * (256 - column.part) + Int(mask[start + 1]) * column.part
    }
    return UInt8((line(row.first) * (256 - row.part) + line(row.first + 1) * row.part + 32_768) >> 16)
  }
}

/// The masks of one request. They are kept for the last images, because frames of an animation are often equal where the
/// network looks.
final class PersonMasks: PersonMasking {
  /// The number of images: two for each output shape of a frame.
  private static let most = 8

  private let run: (PixelBuffer) throws(FaceCropError) -> [UInt8]
  private var known: [(image: PixelBuffer, mask: [UInt8])] = []

  init(_ run: @escaping (PixelBuffer) throws(FaceCropError) -> [UInt8]) { self.run = run }

  /// Creates masks by a network of the pool. They keep it for the request, even if the pool keeps none.
  convenience init(by networks: ObjectPool<PersonNetwork>) {
    let networks = networks.keepingItems()
    self.init { (image) throws(FaceCropError) in
      try networks.withItem { (network) throws(FaceCropError) in try network.mask(of: image) }
    }
  }

  func mask(of image: PixelBuffer) throws(FaceCropError) -> [UInt8] {
    if let same = known.first(where: { $0.image == image }) { return same.mask }
    let mask = try run(image)
    if known.count == Self.most { known.removeFirst() }
    known.append((image, mask))
    return mask
  }
}
