/// A mask of the people around a face: a square of the image with probabilities.
struct PersonMask {
  /// The square, in pixels of the image. It may reach over the image's edge.
  let area: Frame
  /// The side of the mask in pixels.
  let side: Int
  /// The image in the square, three bytes a pixel, as the network sees it.
  let pixels: PixelBuffer
  /// The probabilities row by row, 0…255.
  let probabilities: [UInt8]

  /// The extent and resolution of a mask.
  struct Window {
    /// The side of the square, and the height of its center above the box's center, in heights of the face box.
    var width, above: Double
    /// The side of the mask in pixels, a multiple of 16.
    var side: Int

    /// The window for most heads.
    static let near = Window(width: 2.6, above: 0.25, side: 192)
    /// The same window at two thirds of the resolution and half the cost.
    static let coarse = Window(width: 2.6, above: 0.25, side: 128)
    /// The window for hair and headwear that reach out of the near one.
    static let tall = Window(width: 4.2, above: 0.8, side: 256)
  }
}

extension PersonMask {
  /// Computes the mask around a face box, in pixels of the color image. The network sees the color `outside` beyond the
  /// image's edge.
  init(
    around box: Frame, _ window: Window, in image: PixelBuffer, outside: [UInt8] = [0, 0, 0], by network: PersonNetwork
  ) throws(FaceCropError) {
    let width = window.width * box.height
    area = Frame(
      x: box.midX - width / 2, y: box.midY - window.above * box.height - width / 2, width: width, height: width)
    side = window.side
    pixels = image.square(area, side: side, outside: outside)
    probabilities = try network.mask(of: pixels)
  }

  /// Returns whether the box shows a person from side to side, with background beside it, and shoulders below unless
  /// the image ends there.
  func showsHeadAndShoulders(of box: Frame, image: PixelSize) -> Bool {
    func share(_ left: Double, _ right: Double, _ top: Double, _ bottom: Double) -> Double? {
      let columns = [left, right].map { column(min(max($0, 0), Double(image.width))) }
      let rows = [top, bottom].map { row(min(max($0, 0), Double(image.height))) }
      return self.share(columns[0]..<columns[1], rows[0]..<rows[1]) { $0 >= 128 }
    }
    let (width, height) = (box.width, box.height)
    let face = share(box.x + 0.15 * width, box.maxX - 0.15 * width, box.y + 0.1 * height, box.maxY)
    let shoulders = share(
      box.x - 0.1 * width, box.maxX + 0.1 * width, box.maxY + 0.35 * height, box.maxY + 0.5 * height)
    // Background must be visible above the head and beside its upper half.
    let around = share(box.midX - 1.4 * height, box.midX + 1.4 * height, box.y - 0.6 * height, box.y + 0.2 * height)
    return face ?? 0 > 0.9 && shoulders ?? 1 > 0.8 && around ?? 0 < 0.75
  }

  /// Returns the share of pixels whose probability `counts`, in a part of the mask; nil if the part is empty.
  func share(_ columns: Range<Int>, _ rows: Range<Int>, where counts: (UInt8) -> Bool) -> Double? {
    guard !columns.isEmpty, !rows.isEmpty else { return nil }
    let count = rows.reduce(0) { sum, y in sum + columns.count { counts(probabilities[y * side + $0]) } }
    return Double(count) / Double(columns.count * rows.count)
  }

  /// The pixels of the image for each pixel of the mask.
  var scale: Double { area.width / Double(side) }

  /// Returns the column of a position in the image, or the nearest edge.
  func column(_ x: Double) -> Int { min(max(Int((x - area.x) / scale), 0), side) }
  /// Returns the row of a position in the image, or the nearest edge.
  func row(_ y: Double) -> Int { min(max(Int((y - area.y) / scale), 0), side) }

  /// Returns the place of a face box, in pixels of the mask.
  func place(of box: Frame) -> MaskedFace {
    MaskedFace(x: (box.midX - area.x) / scale, y: (box.midY - area.y) / scale, height: box.height / scale)
  }
}

/// A face in a mask, to assign pixels to the nearest one.
struct MaskedFace {
  let x, y, height: Double

  /// Returns the squared distance of a pixel from the center, in heights of the face. Distances below the center are
  /// multiplied by `factor`.
  func distance(_ column: Int, _ row: Int, below factor: Double = 1) -> Double {
    let (across, down) = ((Double(column) + 0.5 - x) / height, (Double(row) + 0.5 - y) / height)
    let far = down > 0 ? down * factor : down
    return across * across + far * far
  }
}

extension PixelBuffer {
  /// Returns a square of the image at another size, with a color beyond the image's edge.
  fileprivate func square(_ area: Frame, side: Int, outside: [UInt8]) -> PixelBuffer {
    let scale = Double(side) / area.width
    func inside(_ place: Double, _ length: Int) -> Int { min(max(Int(place.rounded()), 0), length) }
    let (left, top) = (inside(area.x, width), inside(area.y, height))
    let part = PixelRect(
      x: left, y: top, width: inside(area.maxX, width) - left, height: inside(area.maxY, height) - top)
    let whole = PixelSize(width: side, height: side)
    guard part.width > 0, part.height > 0 else { return PixelBuffer(size: whole, format: .rgb, pixel: outside) }
    let (x, y) = (
      min(max(Int(((Double(left) - area.x) * scale).rounded()), 0), side - 1),
      min(max(Int(((Double(top) - area.y) * scale).rounded()), 0), side - 1)
    )
    let size = PixelSize(
      width: min(max(Int((Double(part.width) * scale).rounded()), 1), side - x),
      height: min(max(Int((Double(part.height) * scale).rounded()), 1), side - y))
    return cropped(to: part).quicklyResized(to: size).surrounded(
      to: whole, at: PixelRect(x: x, y: y, width: size.width, height: size.height), by: outside)
  }
}
