#if HEIF
  internal import CHEIFShim

  /// One HEIC or AVIF file during one request: its primary picture. Of a picture of tiles, as phones write them, no more are
  /// decoded than a region touches; any other is decoded whole, once, and kept as planes. What is asked of it is converted to
  /// RGB. Smaller scales are averages of areas.
  ///
  /// The look is at the embedded thumbnail where that shows the same.
  final class HEIFSession: ImageSession {
    let format: ImageFormat
    let header: ImageHeader
    let scales = [1, 2, 4, 8]
    private(set) var lastPath = DecodePath.sequential
    var sortedWarnings: [CropWarning] { faults.sorted }

    private let file: HEIFFile
    private let picture: HEIFPicture
    private let color: HEIFCanvasDecoder
    private let alpha: HEIFCanvasDecoder?
    private let job: Job
    private var faults: Faults
    private var isLastRegion = false

    /// - Parameter format: what the file's brand says, by which alone HEIC and AVIF differ here.
    init(_ bytes: ImageBytes, format: ImageFormat, allowsDamage: Bool, job: Job) throws(FaceCropError) {
      self.format = format
      file = try HEIFFile(bytes, limits: job.limits)
      guard let primary = file.items.primary else { throw .corrupt("it does not say which of its pictures is meant") }
      let picture = try HEIFPicture(primary, in: file, limits: job.limits)
      self.picture = picture
      self.job = job
      color = HEIFCanvasDecoder(picture.canvas, of: file, job: job)
      alpha = picture.alpha.map { [file] in HEIFCanvasDecoder($0, of: file, job: job) }
      faults = Faults(allowsDamage: allowsDamage, rows: picture.view.rect.height)

      var image = ImageHeader(size: picture.view.rect.size)
      image.bitsPerSample = picture.canvas.tiles[0].depth
      let profile = try file.profile(of: picture, limits: job.limits)
      image.hasAlpha = picture.alpha != nil
      // Gray that a profile of RGB describes is as good as RGB.
      image.isGray = picture.isGray && !image.hasAlpha && !ICCProfile.fits(profile, .rgb)
      image.takeMetadata(profile: profile, tiff: try file.tiff(of: primary, limits: job.limits), &faults)
      // The item's properties turn the picture. EXIF data only repeat it.
      image.orientation = picture.view.orientation
      header = image
    }

    var estimate: DecodingEstimate {
      // Less than twice as long as it is to be; in colors with alpha, in colors, and these turned upright.
      let side = Double(2 * Overview.side - 1)
      let overview = min(header.size.area, side * side) * 10
      return DecodingEstimate(
        bytes: overview + Double(memory(columns: 0..<picture.canvas.size.width, regionBytes: 0)),
        cost: (picture.canvas.isTiled ? 5 : 10) * header.size.megapixels)
    }

    func overview(format: PixelBuffer.Format, smallest _: Int) throws(FaceCropError) -> PixelBuffer {
      let whole = PixelRect(whole: header.size, scale: 8)
      let overview: PixelBuffer
      if let thumbnail = try thumbnail() {
        (overview, lastPath) = (thumbnail, .thumbnail)
      } else {
        overview = try decode(whole, factor: max(header.size.longSide / Overview.side, 1), turned: .up) { [job] rows in
          job.report(.look, rows, of: whole.height)
        }
      }
      job.report(.look, whole.height, of: whole.height)
      let opaque = format == .gray ? overview.inGray() : overview.inColor()
      return try opaque.shrunk(toLongSide: Overview.side)
    }

    func region(_ rect: PixelRect, scale: Int, part: (index: Int, count: Int)) throws(FaceCropError) -> PixelBuffer {
      try region(rect, scale: scale, part: part, turned: .up)
    }

    var turnsWhileDecoding: Bool { true }

    func uprightRegion(
      _ rect: PixelRect, scale: Int, part: (index: Int, count: Int)
    ) throws(FaceCropError) -> PixelBuffer {
      try region(rect, scale: scale, part: part, turned: header.orientation)
    }

    func expectLastRegion() {
      isLastRegion = true
    }

    private func region(
      _ rect: PixelRect, scale: Int, part: (index: Int, count: Int), turned orientation: Orientation
    ) throws(FaceCropError) -> PixelBuffer {
      let factor = 8 / scale
      let covered = PixelRect(
        x: rect.x * factor, y: rect.y * factor, width: rect.width * factor, height: rect.height * factor
      ).intersection(PixelRect(whole: header.size, scale: 8))
      let region = try decode(covered, factor: factor, turned: orientation) { [job] rows in
        job.report(.render, part.index * covered.height + rows, of: part.count * covered.height)
      }
      if isLastRegion {
        color.release()
        alpha?.release()
      }
      return region
    }

    // MARK: Rows

    /// Bytes that a region takes, with what is decoded for its columns of the canvas.
    private func memory(columns: Range<Int>, regionBytes: Int) -> Int {
      color.memory(columns: columns, regionBytes: regionBytes)
        .addingClamped(alpha.map { $0.memory(columns: 0..<$0.canvas.size.width) } ?? 0)
    }

    /// A rectangle of the picture as stored, made smaller by a whole factor and turned.
    ///
    /// - Parameter report: gets the rectangle's rows that are done.
    private func decode(
      _ rect: PixelRect, factor: Int, turned orientation: Orientation, report: (_ rows: Int) -> Void
    ) throws(FaceCropError) -> PixelBuffer {
      let format = header.format
      let output = PixelSize(width: (rect.width + factor - 1) / factor, height: (rect.height + factor - 1) / factor)
      let bytes = output.bytes(channels: format.channels)
      try job.limits.check(.regionBytes, bytes)
      let origin = picture.view.rect
      let columns = origin.x + rect.x..<origin.x + rect.x + rect.width
      try job.limits.check(.pictureBytes, memory(columns: columns, regionBytes: bytes))
      lastPath = picture.canvas.isTiled ? .tiles : .sequential

      let turner = BandTurner(orientation, stored: output, format: format)
      return try unsafe PixelBuffer.filled(size: turner.size, format: format) { (pixels) throws(FaceCropError) in
        let bytesPerRow = output.width * format.channels
        var average = AreaAverage(width: rect.width, factor: factor, format: format)
        var line = [UInt8](repeating: 0, count: rect.width * format.channels)
        var band = [UInt8](repeating: 0, count: Self.rowsAtOnce * bytesPerRow)
        for first in stride(from: 0, to: output.height, by: Self.rowsAtOnce) {
          let count = min(Self.rowsAtOnce, output.height - first)
          for row in 0..<count {
            let rows = (first + row) * factor..<min((first + row + 1) * factor, rect.height)
            try unsafe band.withUnsafeMutableBufferPointer { (band) throws(FaceCropError) in
              let out = band.extracting((row * bytesPerRow)..<((row + 1) * bytesPerRow))
              if factor == 1 {
                try unsafe read(row: origin.y + rect.y + rows.lowerBound, columns: columns, into: out.baseAddress!)
                return
              }
              for row in rows {
                try unsafe line.withUnsafeMutableBufferPointer { (line) throws(FaceCropError) in
                  try unsafe read(row: origin.y + rect.y + row, columns: columns, into: line.baseAddress!)
                  unsafe average.add(UnsafeBufferPointer(line))
                }
              }
              unsafe average.finish(into: out)
            }
          }
          unsafe band.withUnsafeBufferPointer { band in
            unsafe turner.turn(band, first: first, count: count, into: pixels)
          }
          report(min((first + count) * factor, rect.height))
        }
      }
    }

    private static let rowsAtOnce = 16

    /// Pixels of a row of the canvas, in the header's format.
    private func read(
      row: Int, columns: Range<Int>, into out: UnsafeMutablePointer<UInt8>
    ) throws(FaceCropError) {
      let top = picture.view.rect.y
      func note(_ damage: Faults.Damage, intactRows: Int) throws(FaceCropError) {
        try faults.judge(damage, intactRows: max(intactRows - top, 0), isTolerable: false)
      }
      try unsafe color.read(row: row, columns: columns, into: out, format: header.format, note: note)
      guard let alpha else { return }
      try unsafe alpha.readAlpha(row: row, columns: columns, of: picture.canvas.size, into: out, note: note)
      if picture.isPremultiplied { unsafe unpremultiply(out, count: columns.count) }
    }

    private func unpremultiply(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
      for pixel in 0..<count {
        let alpha = unsafe Int(pixels[4 * pixel + 3])
        for channel in 4 * pixel..<4 * pixel + 3 {
          unsafe pixels[channel] = alpha == 0 ? 0 : UInt8(min((Int(pixels[channel]) * 255 + alpha / 2) / alpha, 255))
        }
      }
    }

    // MARK: The thumbnail

    /// Pixels of the longer side from which on a thumbnail shows faces well enough.
    private static let smallestThumbnail = 320
    /// Thumbnails that are tried: each costs a decode.
    private static let mostThumbnails = 4
    /// By how much, in levels in the mean, a thumbnail may differ from a tile of the picture.
    private static let largestDifference = 16.0

    /// The embedded thumbnail, if it shows what the picture does, is turned alike and is large enough.
    private func thumbnail() throws(FaceCropError) -> PixelBuffer? {
      guard !header.hasAlpha, header.size.longSide > Overview.side else { return nil }
      for item in file.items.items("thmb", to: picture.item).prefix(Self.mostThumbnails) {
        // One that is damaged is not missed.
        guard let found = try? HEIFPicture(item, in: file, limits: job.limits), agrees(found) else { continue }
        let decoder = HEIFCanvasDecoder(found.canvas, of: file, job: job)
        guard decoder.memory(columns: 0..<found.canvas.size.width) <= job.limits.pictureBytes else { continue }
        do throws(FaceCropError) {
          let pixels = try decoder.pixels(of: found.view.rect, format: found.isGray ? .gray : .rgb)
          if try showsSame(pixels) { return pixels }
        } catch .cancelled {
          throw .cancelled
        } catch {
          continue
        }
      }
      return nil
    }

    private func agrees(_ thumbnail: HEIFPicture) -> Bool {
      let (size, small) = (header.size, thumbnail.view.rect.size)
      let (across, down) = (small.width * size.height, small.height * size.width)
      return thumbnail.view.orientation == header.orientation && small.longSide >= Self.smallestThumbnail
        && small.longSide <= size.longSide && abs(across - down) * 100 <= max(across, down)
    }

    /// Whether the tile in the middle looks like its part of the thumbnail. To know that of a picture that is no grid, all of
    /// it would have to be decoded.
    private func showsSame(_ thumbnail: PixelBuffer) throws(FaceCropError) -> Bool {
      guard picture.canvas.isTiled else { return true }
      let (tile, view) = (picture.canvas.tileSize, picture.view.rect)
      func span(_ middle: Int, _ side: Int, _ start: Int) -> (start: Int, length: Int) {
        (middle / side * side - start, side)
      }
      let (x, width) = span(view.x + view.width / 2, tile.width, view.x)
      let (y, height) = span(view.y + view.height / 2, tile.height, view.y)
      let middle = PixelRect(x: x, y: y, width: width, height: height)
        .intersection(PixelRect(whole: header.size, scale: 8))
      let part = PixelRect(covering: middle.normalized(in: header.size), in: thumbnail.size)
      let expected = thumbnail.cropped(to: part).inGray()
      let pixels = try decode(middle, factor: 1, turned: .up) { _ in }.inGray().resized(to: part.size)
      let difference = zip(pixels.bytes, expected.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      return Double(difference) <= Self.largestDifference * Double(expected.bytes.count)
    }
  }

  extension HEIFCanvasDecoder {
    /// A rectangle of the canvas at full size.
    fileprivate func pixels(of rect: PixelRect, format: PixelBuffer.Format) throws(FaceCropError) -> PixelBuffer {
      try unsafe PixelBuffer.filled(size: rect.size, format: format) { (pixels) throws(FaceCropError) in
        for row in 0..<rect.height {
          try unsafe read(
            row: rect.y + row, columns: rect.x..<rect.x + rect.width,
            into: pixels.baseAddress! + row * rect.width * format.channels, format: format
          ) { (_, _) throws(FaceCropError) in throw .corrupt("a thumbnail is damaged") }
        }
      }
    }
  }

  extension HEIFFile {
    /// The ICC profile of a picture, or one made from its color's code points; empty for sRGB.
    fileprivate func profile(of picture: HEIFPicture, limits: Limits) throws(FaceCropError) -> [UInt8] {
      // A grid's tiles may say it for the grid.
      let parts = [picture.item] + items.items("dimg", from: picture.item).prefix(1)
      for kind in ["prof", "rICC"] as [FourCharacterCode] {
        for part in parts {
          guard let box = items.colorBox(kind, of: part) else { continue }
          return Array(box.content.rest.dropFirst(4))
        }
      }
      for part in parts {
        guard var box = items.colorBox("nclx", of: part)?.content else { continue }
        _ = try box.number(4)
        return picture.isGray ? [] : try ICCProfile.coded(primaries: try box.number(2), transfer: try box.number(2))
      }
      return []
    }
  }
#endif
