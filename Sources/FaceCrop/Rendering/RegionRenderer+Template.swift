extension RegionRenderer {
  /// The resolution of the image to which the fine steps apply, in those of the output. The last step reduces by it.
  private static let chipOversampling = 2.0

  /// Renders outputs of a template. See ``pictures(sizes:limits:isLast:progress:oversampling:)``.
  ///
  /// Each is warped once, by linear interpolation as in the published programs, at twice its resolution, and then
  /// reduced. An image of more than twice the resolution is reduced before. So no frequency folds over. An image with
  /// a lower resolution than the output is warped at the output's.
  func chips(
    _ chip: (template: FaceTemplate, view: CropView), sizes: [PixelSize], limits: Limits, isLast: Bool,
    progress: ProgressSpan
  ) throws(FaceCropError) -> Decoded<[PixelBuffer]> {
    let channels = session.header.format.channels
    // An output, its double resolution, and a circle's copy.
    let held = sizes.reduce(0) { $0.addingClamped($1.bytes(channels: channels).multipliedClamped(by: 6)) }
    try limits.check(.regionBytes, held)
    func pixels(_ length: Double) -> Int { max(Int(min(length, 1e9).rounded(.down)), 1) }
    let shown = PixelSize(width: pixels(chip.view.frame.width), height: pixels(chip.view.frame.height))
    let place = place(scale: codecScale(Self.scale(from: shown, to: sizes, oversampling: Self.chipOversampling)))
    let decoded = try decode(
      RegionRequest(rect: place.rect, scale: place.scale, isLast: isLast, progress: progress), at: place)
    var made: [PixelBuffer] = []
    for size in sizes {
      made.append(
        try self.chip(chip.template.border, chip.view, decoded.value, scale: place.scale, to: size, limits: limits))
    }
    return decoded.with(made)
  }

  private func chip(
    _ border: FaceTemplate.Border, _ view: CropView, _ source: Source, scale: Int, to size: PixelSize, limits: Limits
  ) throws(FaceCropError) -> PixelBuffer {
    let factor = Double(scale) / 8
    // The pixels of the source for one of the output.
    let ratio = factor * view.frame.width / Double(size.width)
    var picture = source.picture
    if ratio > 1.01 * Self.chipOversampling {
      let share = Self.chipOversampling / ratio
      picture = picture.resampled(to: picture.size.scaled(by: share))
    }
    // From the picture's pixels to the image's.
    let share = (
      x: Double(picture.width) / Double(source.picture.width), y: Double(picture.height) / Double(source.picture.height)
    )
    let whole = AffineMap(rows: [
      1 / (factor * share.x), 0, Double(region.x) - source.horizontal.lowerBound / factor,
      0, 1 / (factor * share.y), Double(region.y) - source.vertical.lowerBound / factor,
    ])
    let isFiner = ratio > 1.01
    let grid = isFiner ? size.scaled(by: Self.chipOversampling) : size
    var map = whole.followed(by: view.map(to: grid))
    if picture.format == .rgba { picture = picture.premultiplied() }
    var outside: [UInt8]?
    switch border {
    case .edge: break
    case .color(let red, let green, let blue): outside = picture.pixel(red: red, green: green, blue: blue)
    case .mirror:
      let (corner, padded) = try mirrored(picture, around: grid, map, limits: limits)
      picture = padded
      map = AffineMap(rows: [1, 0, -Double(corner.x), 0, 1, -Double(corner.y)]).followed(by: map)
    }
    var warped = try picture.warped(by: map.betweenCenters, to: grid, border: outside)
    if picture.format == .rgba { warped = warped.unpremultiplied() }
    return warped.resampled(to: size)
  }

  /// Returns the image and its position. The image gets a mirrored border if the output, or a strip around it, reaches
  /// out of the image. `map` gives the output's positions, in an output of size `grid`.
  ///
  /// The widths are those of the FFHQ data set's published program, in sides of the frame. The strip is 0.1 wide, the
  /// border at least 0.3, and the blur 0.02.
  private func mirrored(
    _ picture: PixelBuffer, around grid: PixelSize, _ map: AffineMap, limits: Limits
  ) throws(FaceCropError) -> (corner: (x: Int, y: Int), picture: PixelBuffer) {
    let side = Double(grid.width) / map.scale
    let (width, height) = (Double(grid.width), Double(grid.height))
    let corners = [(0, 0), (width, 0), (0, height), (width, height)].map { map.inverse($0.0, $0.1) }
    let strip = max((side / 10).rounded(), 3)
    func border(_ pixels: Double) -> Int { Int(min(max(pixels + strip, 0), 1e9)) }
    var left = border(-corners.map(\.x).min()!.rounded(.down))
    var top = border(-corners.map(\.y).min()!.rounded(.down))
    var right = border(corners.map(\.x).max()!.rounded(.up) - Double(picture.width))
    var bottom = border(corners.map(\.y).max()!.rounded(.up) - Double(picture.height))
    guard Double(max(left, top, right, bottom)) > strip - 4 else { return ((0, 0), picture) }
    let least = Int((0.3 * side).rounded())
    (left, top, right, bottom) = (max(left, least), max(top, least), max(right, least), max(bottom, least))
    let size = PixelSize(
      width: picture.width.addingClamped(left).addingClamped(right),
      height: picture.height.addingClamped(top).addingClamped(bottom))
    try limits.check(.regionBytes, size.bytes(channels: picture.format.channels))
    return (
      (left, top), picture.mirrored(to: size, at: (left, top), blur: 0.02 * side)
    )
  }
}

extension RenderingEstimate {
  /// Returns the upper bound of bytes for an output of a template. It has the decoded region, the region with its border
  /// at twice the output's resolution, and the output at that resolution.
  func chipBytes(of template: FaceTemplate) -> Double {
    let area = template.size.area
    // A rotated square takes up to twice its area, and a mirrored border at least 0.3 sides on each side.
    let around = template.border == .mirror ? 5.0 : 3.0
    let region = min(size.area, decodedArea(for: [.exact(width: template.size.width, height: template.size.height)]))
    return (region + (4 * around + 5) * area) * Double(pixels.channels)
  }
}
