/// A renderer for the backgrounds of one crop's outputs. The people are found once, for all sizes.
struct BackgroundRenderer {
  private let background: Background
  private let people: PersonMap
  private let images: BackgroundDecoder
  private let job: Job
  /// The image that the outputs show, outside of which nothing is kept; nil without such an area.
  private let photo: (view: CropView, size: PixelSize)?

  /// The confidence that the people are cut out well, 0…1.
  var confidence: Double { people.confidence }

  /// Finds the people of the crop's outputs in a window, and corrects them. The largest output has this size, and is
  /// upright.
  init(
    _ background: Background, behind people: FramedPeople, in window: PersonWindow, output: PixelSize,
    by masks: PersonMasks, _ correction: StrokeCorrection?, _ images: BackgroundDecoder, _ job: Job,
    inside photo: (view: CropView, size: PixelSize)? = nil
  ) throws(FaceCropError) {
    (self.background, self.images, self.job, self.photo) = (background, images, job, photo)
    let found = try PersonMap(
      of: people, in: window, output: output, keepsAll: background.keepsPeople, by: masks, job)
    self.people = try correction?.applied(to: found, job) ?? found
    if background.failsIfUnsure, warning != nil { throw .unsureCutout(confidence: confidence) }
  }

  /// The warning about an unsure cut-out; nil for a sure one.
  var warning: CropWarning? {
    confidence < Background.leastConfidence ? .unsureCutout(confidence: confidence) : nil
  }

  /// Returns an output of the crop with the new background: RGBA if it is transparent, else RGB.
  func applied(to output: consuming PixelBuffer) throws(FaceCropError) -> PixelBuffer {
    // The opacity of a transparent image counts besides the cut-out's. The pixels of an opaque one are replaced in place.
    var own: PixelBuffer?
    var picture: PixelBuffer
    if output.format == .rgb {
      picture = consume output
    } else {
      picture = output.inColor()
      if output.format == .rgba { own = consume output }
    }
    let cutout = try Cutout(of: people, in: picture, job)
    guard background.fill != .transparent else { return try transparent(picture, cutout, own) }
    let backdrop = try Backdrop(background.fill, behind: cutout, size: picture.size, images, job)
    for part in picture.bands {
      try job.check()
      let cut = cutout.rows(picture.cropped(to: part), from: part.y).withOpacity(of: own, from: part.y)
        .cut(to: photo, in: picture.size, from: part.y)
      picture.replaceRows(from: part.y, with: cut, over: backdrop.rows(part))
    }
    return picture
  }

  private func transparent(
    _ picture: PixelBuffer, _ cutout: Cutout, _ own: PixelBuffer?
  ) throws(FaceCropError) -> PixelBuffer {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(picture.size.bytes(channels: 4))
    for part in picture.bands {
      try job.check()
      bytes +=
        cutout.rows(picture.cropped(to: part), from: part.y).withOpacity(of: own, from: part.y)
        .cut(to: photo, in: picture.size, from: part.y).bytes
    }
    return PixelBuffer(size: picture.size, format: .rgba, bytes: bytes)
  }
}

extension PixelBuffer {
  /// The parts to work on at once: up to 16 rows.
  fileprivate var bands: [PixelRect] {
    let rowsAtOnce = Band.rows(of: bytesPerRow, height: height)
    return stride(from: 0, to: height, by: rowsAtOnce).map { top in
      PixelRect(x: 0, y: top, width: width, height: min(rowsAtOnce, height - top))
    }
  }

  /// Returns RGBA rows whose opacity is multiplied by that of the same rows of an image; nil changes nothing.
  fileprivate func withOpacity(of image: PixelBuffer?, from first: Int) -> PixelBuffer {
    guard let image else { return self }
    let start = first * width
    return withOpacity { Int(image.bytes[4 * (start + $0) + 3]) }
  }

  /// Returns RGBA rows of an output, from `first` on, that are transparent outside the image that it shows.
  fileprivate func cut(
    to photo: (view: CropView, size: PixelSize)?, in output: PixelSize, from first: Int
  ) -> PixelBuffer {
    guard let photo else { return self }
    let map = photo.view.map(to: output)
    let (scale, right, bottom) = (map.scale, Double(photo.size.width), Double(photo.size.height))
    return withOpacity { pixel in
      let (x, y) = map.inverse(Double(pixel % width) + 0.5, Double(first + pixel / width) + 0.5)
      // Less than half a pixel from the nearest side, a pixel is cut.
      return Int(min(max(min(x, y, right - x, bottom - y) * scale + 0.5, 0), 1) * 255)
    }
  }

  /// Returns RGBA rows whose opacity is multiplied by a number for each pixel, 0…255.
  private func withOpacity(_ opacity: (Int) -> Int) -> PixelBuffer {
    var rows = self
    for pixel in 0..<width * height {
      let alpha = (Int(rows.bytes[4 * pixel + 3]) * opacity(pixel) + 127) / 255
      rows.bytes[4 * pixel + 3] = UInt8(alpha)
      // Otherwise the colors of transparent pixels could be restored from the file.
      if alpha == 0 { for channel in 0..<3 { rows.bytes[4 * pixel + channel] = 0 } }
    }
    return rows
  }
}

/// The opaque pixels behind a cut-out, some rows at a time.
private struct Backdrop {
  private enum Content {
    case color(BackgroundColor)
    /// An image to enlarge.
    case small(PixelBuffer)
    case whole(PixelBuffer)
  }

  private let content: Content
  private let size: PixelSize

  init(
    _ fill: Background.Fill, behind cutout: Cutout, size: PixelSize, _ images: BackgroundDecoder, _ job: Job
  ) throws(FaceCropError) {
    self.size = size
    switch fill {
    case .color(let color): content = .color(color)
    case .transparent: content = .color(.white)
    case .blur(let strength): content = .small(try cutout.blurredBackground(strength: strength))
    case .image(let image): content = .whole(try images.picture(of: image, covering: size, job))
    }
  }

  /// Returns some rows.
  func rows(_ part: PixelRect) -> PixelBuffer {
    switch content {
    case .color(let color):
      return PixelBuffer(size: part.size, format: .rgb, pixel: [color.red, color.green, color.blue])
    case .small(let image): return image.interpolated(to: size, part: part)
    case .whole(let image): return image.cropped(to: part)
    }
  }
}
