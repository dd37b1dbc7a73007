/// A picture over a hidden area, which covers all of it.
struct AreaCover {
  private let picture: PixelBuffer
  /// The map from pixels of the image to those of the picture, between pixel centers there.
  private let map: AffineMap

  /// Places the picture over an area's middle, as small as possible. Its rows and columns follow the unit vectors `axes`.
  init(_ image: BlurImage, over area: HiddenArea, along axes: [HiddenArea.Point]) {
    let places = axes.map { axis in area.polygons.joined().map { (axis * $0).sum() } }
    let (least, most) = (places.map { $0.min() ?? 0 }, places.map { $0.max() ?? 0 })
    let whole = image.sizes[0].size
    let scale = max((most[0] - least[0]) / Double(whole.width), (most[1] - least[1]) / Double(whole.height), 1e-6)
    // A small area would skip pixels of a large picture.
    let picture = image.sizes.last { Double($0.width) >= 0.7 * scale * Double(whole.width) } ?? image.sizes[0]
    func row(_ axis: Int, _ own: Int, _ whole: Int) -> [Double] {
      let factor = Double(own) / Double(whole) / scale
      let middle = (least[axis] + most[axis]) / 2
      return [factor * axes[axis].x, factor * axes[axis].y, Double(own - 1) / 2 - factor * middle]
    }
    map = AffineMap(rows: row(0, picture.width, whole.width) + row(1, picture.height, whole.height))
    self.picture = picture
  }

  /// Returns the level at a point. `mix` has the shares of red, green and blue in it, and a constant.
  func level(_ x: Double, _ y: Double, _ mix: SIMD4<Float>) -> Float {
    let place = map.applied(x, y)
    let (left, top) = (place.x.rounded(.down), place.y.rounded(.down))
    let (across, down) = (Float(place.x - left), Float(place.y - top))
    func pixel(_ column: Int, _ row: Int) -> SIMD4<Float> {
      let (column, row) = (min(max(column, 0), picture.width - 1), min(max(row, 0), picture.height - 1))
      let at = 3 * (row * picture.width + column)
      return SIMD4(Float(picture.bytes[at]), Float(picture.bytes[at + 1]), Float(picture.bytes[at + 2]), 1)
    }
    func line(_ row: Int) -> SIMD4<Float> { pixel(Int(left), row) * (1 - across) + pixel(Int(left) + 1, row) * across }
    return (mix * (line(Int(top)) * (1 - down) + line(Int(top) + 1) * down)).sum()
  }

  /// Returns the mix for a component of an image with `count` of them: gray, RGB with or without alpha, or for a JPEG
  /// YCbCr, CMYK or YCCK. Both of the latter have inverted inks. The factors are those of JFIF 1.02.
  static func mix(_ component: Int, of count: Int, hasChroma: Bool = false) -> SIMD4<Float> {
    let (luma, full) = (SIMD4<Float>(0.299, 0.587, 0.114, 0), SIMD4<Float>(0, 0, 0, 255))
    if count == 1 { return luma }
    if component > 2 { return full }
    guard hasChroma else { return [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]][component] }
    let mix = [luma, [-0.168736, -0.331264, 0.5, 128], [0.5, -0.418688, -0.081312, 128]][component]
    return count == 4 ? full - mix : mix
  }
}
