/// A renderer for the outputs of one crop. It decodes the region once, at the lowest sufficient scale, turns it
/// upright, and resizes it to every size.
struct RegionRenderer {
  let session: any ImageSession
  /// The region in pixels of the image as displayed.
  let region: PixelRect
  /// The rectangle that the outputs show. It equals the region, or reaches out of the image.
  let frame: PixelRect
  /// The rotated rectangle that the outputs show; nil without rotation.
  let turn: TurnedRect?
  /// The template of the outputs, and the exact rotated rectangle; nil without one.
  let chip: (template: FaceTemplate, view: CropView)?
  let fill: PadFill
  /// The shape of the outputs. A circle has RGBA pixels, whatever the image has.
  let shape: CropShape

  init(
    _ crop: CropPlan.Crop, in picture: PixelSize, fill: PadFill, shape: CropShape = .rectangle,
    session: any ImageSession
  ) {
    self.session = session
    self.shape = shape
    let region = PixelRect(covering: crop.region, in: picture)
    self.region = region
    // A frame of rounded numbers can lie a pixel inside its region.
    frame = crop.frame.map { PixelRect(rounding: $0, in: picture).union(region) } ?? region
    turn = crop.turn.map { TurnedRect($0, in: picture) }
    chip = crop.template.flatMap { template in
      crop.turn.map { (template, CropView(frame: $0.rect.frame(in: picture), degrees: $0.degrees)) }
    }
    self.fill = fill
  }

  /// The size of an output at the image's own resolution, or the template's.
  var outputSize: PixelSize { chip?.template.size ?? turn?.size ?? frame.size }

  /// The view of the image that the outputs show.
  var view: CropView {
    if let chip { return chip.view }
    guard let turn else { return CropView(frame: Frame(frame)) }
    let (width, height) = (Double(turn.size.width), Double(turn.size.height))
    return CropView(
      frame: Frame(x: turn.middle.x - width / 2, y: turn.middle.y - height / 2, width: width, height: height),
      degrees: turn.degrees)
  }

  /// Whether the outputs show exactly the region, not rotated.
  var showsRegionAlone: Bool { turn == nil && frame == region }

  /// Renders the outputs. A size that equals the frame's copies the pixels unchanged. See ``RegionRequest/isLast``, and
  /// ``scale(from:to:oversampling:)``; an oversampling of nil uses the codec's.
  func pictures(
    sizes: [PixelSize], limits: Limits, isLast: Bool, progress: ProgressSpan, oversampling: Double? = nil
  ) throws(FaceCropError) -> Decoded<[PixelBuffer]> {
    if let chip { return try chips(chip, sizes: sizes, limits: limits, isLast: isLast, progress: progress) }
    try limits.check(.regionBytes, bytesHeld(by: sizes))
    let oversampling = oversampling ?? session.oversampling
    let place = place(scale: codecScale(Self.scale(from: outputSize, to: sizes, oversampling: oversampling)))

    // From the largest to the smallest, each output is made from the smallest source of at least twice its size.
    // Sources are earlier outputs that were not enlarged, and the region.
    let inners = sizes.map { inner(of: $0).size }
    var sources: [Int] = []
    var source: [Int: Int] = [:]
    let order = sizes.indices.sorted { sizes[$0].longSide > sizes[$1].longSide }
    for index in order {
      source[index] = sources.last {
        inners[$0].width >= 2 * inners[index].width && inners[$0].height >= 2 * inners[index].height
      }
      let isEnlarged = sizes[index].width > outputSize.width || sizes[index].height > outputSize.height
      if !isEnlarged && inners[index].shortSide >= 128 { sources.append(index) }
    }
    let ofRegion = order.filter { source[$0] == nil }
    let request = RegionRequest(rect: place.rect, scale: place.scale, isLast: isLast, progress: progress)
    let decoded = try picturesOfRegion(request, at: place, sizes: ofRegion.map { inners[$0] }, limits: limits)
    var pictures = Dictionary(uniqueKeysWithValues: zip(ofRegion, decoded.value))
    for index in order {
      if let source = source[index] { pictures[index] = pictures[source]!.resampled(to: inners[index]) }
    }
    var made: [PixelBuffer] = []
    for index in sizes.indices { made.append(try padded(pictures.removeValue(forKey: index)!, to: sizes[index])) }
    return decoded.with(made)
  }

  /// Returns the upper bound of bytes for all outputs. Plans and sizes can be untrusted. Filling a border and cutting a
  /// circle take a copy.
  private func bytesHeld(by sizes: [PixelSize]) -> Int {
    let channels = session.header.format.channels
    var (all, largestCopy) = (0, 0)
    for size in sizes {
      let bytes = size.bytes(channels: channels)
      all = all.addingClamped(bytes)
      let filled = turn == nil && frame != region ? inner(of: size).size.bytes(channels: channels) : 0
      let cut = shape == .circle ? size.bytes(channels: 4) : 0
      largestCopy = max(largestCopy, filled, cut)
    }
    return all.addingClamped(largestCopy)
  }

  /// Renders the outputs made directly from the region. If all are smaller, they are resized while it is decoded, so
  /// that its pixels are never in memory as a whole.
  private func picturesOfRegion(
    _ request: RegionRequest, at place: ScaledRegion, sizes: [PixelSize], limits: Limits
  ) throws(FaceCropError) -> Decoded<[PixelBuffer]> {
    let orientation = session.header.orientation
    let stored = sizes.map { orientation.applied(to: $0) }
    guard turn == nil, stored.allSatisfy({ $0.width < place.rect.width && $0.height < place.rect.height }) else {
      let decoded = try decode(request, at: place)
      var source = decoded.value
      if let turn { source = try turned(source, by: turn, scale: place.scale, outputs: sizes, limits: limits) }
      return decoded.with(sizes.map(source.resampled))
    }
    var resamplers = stored.map { size in
      RowResampler(
        horizontal: place.horizontal, vertical: place.vertical, of: place.rect.size, format: session.header.format,
        to: size)
    }
    let decoded = try session.decode(request, into: &resamplers)
    return decoded.with(resamplers.map { $0.picture.upright(orientation) })
  }

  /// Decodes the region at the next larger scale above `size`, without resampling. A rotated or filled frame is resized
  /// to `size`.
  func picture(
    above size: PixelSize, limits: Limits, isLast: Bool, progress: ProgressSpan
  ) throws(FaceCropError) -> Decoded<PixelBuffer> {
    guard turn == nil, frame == region else {
      let decoded = try pictures(sizes: [size], limits: limits, isLast: isLast, progress: progress, oversampling: 1)
      return decoded.with(decoded.value[0])
    }
    let place = place(scale: codecScale(Self.scale(from: outputSize, to: [size], oversampling: 1)))
    let request = RegionRequest(rect: place.rect, scale: place.scale, isLast: isLast, progress: progress)
    return try session.picture(of: request, turned: session.header.orientation)
  }

  func codecScale(_ wanted: Int) -> Int { session.scales.first { $0 >= wanted } ?? 8 }

  /// Returns the codec's scale in eighths: the lowest one with `oversampling` times the pixels of the largest output
  /// along each side, for the quality of the resampling.
  static func scale(from frame: PixelSize, to sizes: [PixelSize], oversampling: Double) -> Int {
    let ratio = sizes.reduce(0) { largest, size in
      max(largest, Double(size.width) / Double(frame.width), Double(size.height) / Double(frame.height))
    }
    return min(max(Int((8 * oversampling * ratio).rounded(.up)), 1), 8)
  }

  /// Returns the longest side in pixels of a frame for which `scale` is too low with an output of `output` pixels. The
  /// scale 0 has no limit.
  static func longestSide(at scale: Int, for output: Int, oversampling: Double) -> Double {
    scale == 0 ? .infinity : 8 * oversampling * Double(output) / Double(scale)
  }

  /// Decoded pixels, and the position of the region in them.
  struct Source {
    var picture: PixelBuffer
    var horizontal: Range<Double>
    var vertical: Range<Double>

    func resampled(to size: PixelSize) -> PixelBuffer {
      picture.resampled(horizontal: horizontal, vertical: vertical, to: size)
    }
  }

  /// The position of the region in the image as stored, decoded at a scale.
  struct ScaledRegion {
    var scale: Int
    /// The whole pixels that the region touches at this scale.
    var rect: PixelRect
    /// The position of the region inside `rect`.
    var horizontal: Range<Double>
    var vertical: Range<Double>
  }

  func place(scale: Int) -> ScaledRegion {
    let stored = session.header.orientation.stored(region, in: session.header.size)
    func span(_ start: Int, _ length: Int) -> (pixels: Range<Int>, inner: Range<Double>) {
      let pixels = start * scale / 8..<((start + length) * scale + 7) / 8
      let first = Double(start * scale - pixels.lowerBound * 8) / 8
      return (pixels, first..<first + Double(length * scale) / 8)
    }
    let (columns, horizontal) = span(stored.x, stored.width)
    let (rows, vertical) = span(stored.y, stored.height)
    return ScaledRegion(
      scale: scale,
      rect: PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count),
      horizontal: horizontal, vertical: vertical)
  }

  func decode(_ request: RegionRequest, at place: ScaledRegion) throws(FaceCropError) -> Decoded<Source> {
    func eighths(_ span: Range<Double>) -> (start: Int, length: Int) {
      (Int(span.lowerBound * 8), Int((span.upperBound - span.lowerBound) * 8))
    }
    let (columns, rows) = (eighths(place.horizontal), eighths(place.vertical))
    let shown = session.header.orientation.displayed(
      PixelRect(x: columns.start, y: rows.start, width: columns.length, height: rows.length),
      in: PixelSize(width: place.rect.width * 8, height: place.rect.height * 8))
    let decoded = try session.picture(of: request, turned: session.header.orientation)
    return decoded.with(
      Source(
        picture: decoded.value,
        horizontal: Double(shown.x) / 8..<Double(shown.x + shown.width) / 8,
        vertical: Double(shown.y) / 8..<Double(shown.y + shown.height) / 8))
  }

  // MARK: Rotated outputs

  /// Returns the rotated view, upright, at the decoded resolution. If the frame is much larger than the region, its
  /// resolution is twice that of the largest output.
  private func turned(
    _ source: Source, by turn: TurnedRect, scale: Int, outputs: [PixelSize], limits: Limits
  ) throws(FaceCropError) -> Source {
    var factor = Double(scale) / 8
    var picture = source.picture
    // The position of the region's corner in the image to rotate.
    var corner = (x: source.horizontal.lowerBound, y: source.vertical.lowerBound)
    // A frame much larger than the region could otherwise need any number of pixels, most of them empty.
    let needed = outputs.reduce(0) { most, size in
      max(most, 2 * Double(size.width) / Double(turn.size.width), 2 * Double(size.height) / Double(turn.size.height))
    }
    if frame.size.area > 4 * region.size.area, needed < factor {
      let share = needed / factor
      picture = picture.resampled(to: picture.size.scaled(by: share))
      corner = (corner.x * share, corner.y * share)
      factor = needed
    }
    if frame != region {
      func border(_ pixels: Int) -> Int { pixels > 0 ? Int((Double(pixels) * factor).rounded(.up)) + 1 : 0 }
      let (left, top) = (border(region.x - frame.x), border(region.y - frame.y))
      let size = PixelSize(
        width: left + picture.width + border(frame.x + frame.width - region.x - region.width),
        height: top + picture.height + border(frame.y + frame.height - region.y - region.height))
      try limits.check(.regionBytes, size.bytes(channels: picture.format.channels))
      picture = try picture.padded(
        to: size, at: PixelRect(x: left, y: top, width: picture.width, height: picture.height), fill: fill)
      corner = (corner.x + Double(left), corner.y + Double(top))
    }
    let size = turn.size.scaled(by: factor)
    try limits.check(.regionBytes, size.bytes(channels: picture.format.channels))
    // OpenCV's coordinates refer to pixel centers.
    let map = AffineMap(
      degrees: turn.degrees, scale: 1,
      center: (
        corner.x + (turn.middle.x - Double(region.x)) * factor - 0.5,
        corner.y + (turn.middle.y - Double(region.y)) * factor - 0.5
      ), target: (Double(size.width) / 2 - 0.5, Double(size.height) / 2 - 0.5))
    guard picture.format == .rgba else { return Source(whole: try picture.warped(by: map, to: size, isFine: true)) }
    return Source(whole: try picture.premultiplied().warped(by: map, to: size, isFine: true).unpremultiplied())
  }

  // MARK: Frames that reach out of the image

  /// Returns the position of the region in an output that shows the frame.
  private func inner(of output: PixelSize) -> PixelRect {
    guard turn == nil else { return PixelRect(x: 0, y: 0, width: output.width, height: output.height) }
    func span(_ start: Int, _ length: Int, _ frame: Int, _ output: Int) -> Range<Int> {
      let factor = Double(output) / Double(frame)
      let first = min(max(Int((Double(start) * factor).rounded()), 0), output - 1)
      return first..<min(max(Int((Double(start + length) * factor).rounded()), first + 1), output)
    }
    let columns = span(region.x - frame.x, region.width, frame.width, output.width)
    let rows = span(region.y - frame.y, region.height, frame.height, output.height)
    return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  private func padded(_ picture: PixelBuffer, to output: PixelSize) throws(FaceCropError) -> PixelBuffer {
    guard turn == nil, frame != region else { return picture }
    return try picture.padded(to: output, at: inner(of: output), fill: fill)
  }
}

extension RegionRenderer.Source {
  init(whole picture: PixelBuffer) {
    self.init(picture: picture, horizontal: 0..<Double(picture.width), vertical: 0..<Double(picture.height))
  }
}
