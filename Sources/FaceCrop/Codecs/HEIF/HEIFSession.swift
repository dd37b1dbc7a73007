#if HEIF
  internal import CHEIFShim

  /// The primary image of a HEIC or AVIF file during one request. An image of tiles, as phones write them, decodes only
  /// the tiles that a region touches. Any other image is decoded whole, once, and cached in RGB. Smaller scales are
  /// area averages.
  ///
  /// The detection pass uses the embedded thumbnail if it shows the same image.
  final class HEIFSession: ImageSession {
    let format: ImageFormat
    let header: ImageHeader

    let file: HEIFFile
    let picture: HEIFPicture
    let job: Job
    private let color: HEIFCanvasDecoder
    private let alpha: HEIFCanvasDecoder?
    /// The usable thumbnails.
    private let thumbnails: [HEIFPicture]
    private var faults: Faults

    /// Opens a file. Its brand determines `format`, the only difference between HEIC and AVIF here.
    convenience init(_ bytes: ImageBytes, format: ImageFormat, allowsDamage: Bool, job: Job) throws(FaceCropError) {
      let file = try HEIFFile(bytes, job: job)
      try self.init(file, file.items.primaryImage(), format: format, allowsDamage: allowsDamage, job: job)
    }

    /// Opens one image of a file.
    init(
      _ file: HEIFFile, _ item: Int, format: ImageFormat, allowsDamage: Bool, job: Job
    ) throws(FaceCropError) {
      (self.format, self.file) = (format, file)
      let picture = try HEIFPicture(item, in: file, job: job)
      self.picture = picture
      self.job = job
      color = HEIFCanvasDecoder(picture.canvas, of: file, job: job)
      alpha = picture.alpha.map { [file] in HEIFCanvasDecoder($0, of: file, job: job) }
      faults = Faults(allowsDamage: allowsDamage, rows: picture.view.rect.height)

      var image = ImageHeader(size: picture.view.rect.size)
      image.isAnimated = file.items.frameCount > 1
      image.frameCount = max(file.items.frameCount, 1)
      image.bitsPerSample = picture.canvas.tiles[0].samples.depth
      let profile = try file.profile(of: picture, limits: job.limits)
      image.hasAlpha = picture.alpha != nil
      image.isGray = picture.isGray && !image.hasAlpha
      image.takeMetadata(
        profile: profile, exif: try file.exif(of: item, limits: job.limits), isGray: picture.isGray, &faults)
      image.credits = try file.credits(of: item)
      // The item's properties determine the orientation, and EXIF data only repeat it.
      image.orientation = picture.view.orientation
      if picture.isIrregular { faults.note(.irregular) }
      image.faults = faults.found
      header = image
      thumbnails = try Self.thumbnails(of: picture, image, in: file, job)
    }

    func frames() throws(FaceCropError) -> (any FrameSource)? {
      try HEIFFrames(file, beside: picture, allowsDamage: faults.allowsDamage, job: job)
    }

    var frameBytes: Double {
      let sequences = [picture.canvas, picture.alpha].compactMap { $0?.asSequence }
      // The data of an image, three times, or for HEVC six times.
      return sequences.reduce(0) {
        $0 + Self.notesBytes + Double($1.bytes)
          + (format == .avif ? 3 : 6) * Double(min($1.maximumDataBytes, file.count))
      }
    }

    func checkMemory() throws(FaceCropError) {
      try check(PixelRect(whole: header.size, scale: 8), factor: Overview.factor(for: header.size))
    }

    /// The bytes of the decoders' notes and tables.
    private static let notesBytes = Double(12 << 20)

    func decodedPixels() -> Int {
      thumbnails.reduce(picture.canvas.codedPixels.addingClamped(picture.alpha?.codedPixels ?? 0)) {
        $0.addingClamped($1.canvas.codedPixels)
      }
    }

    /// The bytes of the table of contents, of one item's data per canvas, and of the decoders' notes about them.
    private var dataBytes: Double {
      Double(file.items.bytes) + Double(picture.canvas.dataBytes) + Double(picture.alpha?.dataBytes ?? 0)
    }

    var estimate: DecodingEstimate {
      // An overview of less than twice the wanted side: in RGBA, in RGB, and upright.
      let side = Double(2 * Overview.side - 1)
      let overview = min(header.size.area, side * side) * 10
      return DecodingEstimate(
        bytes: Self.notesBytes + overview + dataBytes
          + Double(memory(columns: 0..<picture.canvas.size.width, regionBytes: 0)),
        cost: (picture.canvas.isTiled ? 5 : 10) * Double(decodedPixels()) / 1e6)
    }

    func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
      let look = ProgressSpan(job: job, phase: .overview)
      let overview: PixelBuffer
      let thumbnail = wanted.allowsThumbnail ? try thumbnail() : nil
      if let thumbnail {
        overview = thumbnail
        look.report(header.size.height, of: header.size.height)
      } else {
        overview = try pixels(
          of: PixelRect(whole: header.size, scale: 8), factor: Overview.factor(for: header.size), look)
      }
      let opaque = wanted.format == .gray ? overview.inGray() : overview.inColor()
      return decoded(try wanted.shrunk(opaque), isThumbnail: thumbnail != nil)
    }

    func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
      let factor = 8 / region.scale
      let rect = region.rect.enlarged(by: factor, in: header.size)
      try decode(rect, factor: factor, region.progress, into: &sink)
      if region.isLast {
        color.release()
        alpha?.release()
      }
      return decoded(())
    }

    private func decoded<Value>(_ value: Value, isThumbnail: Bool = false) -> Decoded<Value> {
      let path: DecodePath = isThumbnail ? .thumbnail : picture.canvas.isTiled ? .tiles : .sequential
      return Decoded(value: value, path: path, faults: faults.found)
    }

    // MARK: Rows

    /// Returns the bytes of a region, with the decoded tiles of its columns.
    private func memory(columns: Range<Int>, regionBytes: Int) -> Int {
      color.memory(columns: columns, regionBytes: regionBytes)
        .addingClamped(alpha.map { $0.memory(columns: 0..<$0.canvas.size.width) } ?? 0)
    }

    private func check(_ rect: PixelRect, factor: Int) throws(FaceCropError) {
      let bytes = rect.size.divided(by: factor).bytes(channels: header.format.channels)
      try job.limits.check(.regionBytes, bytes)
      let left = picture.view.rect.x + rect.x
      try job.limits.check(.heifBytes, memory(columns: left..<left + rect.width, regionBytes: bytes))
    }

    /// Decodes a rectangle of the image as stored, reduced by a whole factor.
    private func pixels(
      of rect: PixelRect, factor: Int, _ progress: ProgressSpan
    ) throws(FaceCropError) -> PixelBuffer {
      try PixelBuffer.decoded(rect.size.divided(by: factor), header.format) { (sink) throws(FaceCropError) in
        try decode(rect, factor: factor, progress, into: &sink)
      }.picture
    }

    private func decode(
      _ rect: PixelRect, factor: Int, _ progress: ProgressSpan, into sink: inout some RowSink
    ) throws(FaceCropError) {
      let origin = picture.view.rect
      let columns = origin.x + rect.x..<origin.x + rect.x + rect.width
      try check(rect, factor: factor)
      sink.restart()
      var average = AreaAverage(of: rect.size, factor: factor, format: header.format)
      let bytesPerRow = rect.width * header.format.channels
      let atOnce = Band.rows(of: bytesPerRow, height: rect.height)
      // Pages are allocated as rows are written, because a header can declare a width without data for it.
      var band = unsafe [UInt8](unsafeUninitializedCapacity: atOnce * bytesPerRow) { _, count in
        count = atOnce * bytesPerRow
      }
      for first in stride(from: 0, to: rect.height, by: atOnce) {
        let count = min(atOnce, rect.height - first)
        try unsafe band.withUnsafeMutableBufferPointer { (band) throws(FaceCropError) in
          for row in 0..<count {
            try unsafe read(
              row: origin.y + rect.y + first + row, columns: columns, into: band.baseAddress! + row * bytesPerRow)
          }
        }
        average.take(band.span.extracting(..<(count * bytesPerRow)), count: count, into: &sink)
        progress.report(first + count, of: rect.height)
      }
    }

    /// Reads pixels of a row of the canvas, in the header's format.
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
      if picture.isPremultiplied { unsafe Self.unpremultiply(out, count: columns.count) }
    }

    static func unpremultiply(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
      for pixel in 0..<count {
        let alpha = unsafe Int(pixels[4 * pixel + 3])
        for channel in 4 * pixel..<4 * pixel + 3 {
          unsafe pixels[channel] = alpha == 0 ? 0 : UInt8(min((Int(pixels[channel]) * 255 + alpha / 2) / alpha, 255))
        }
      }
    }

    // MARK: The thumbnail

    /// The minimum of a thumbnail's longer side for detecting faces, in pixels.
    private static let smallestThumbnail = 320
    /// The upper bound of thumbnails to try, because each costs a decode.
    private static let mostThumbnails = 4
    /// The maximum mean difference between a thumbnail and a tile of the image, in levels.
    private static let largestDifference = 16.0

    /// Decodes the embedded thumbnail if it shows the same image, in the same orientation, at a sufficient size.
    private func thumbnail() throws(FaceCropError) -> PixelBuffer? {
      for found in thumbnails {
        let decoder = HEIFCanvasDecoder(found.canvas, of: file, job: job)
        guard decoder.memory(columns: 0..<found.canvas.size.width) <= job.limits.heifBytes else { continue }
        let shown = try job.attempt { () throws(FaceCropError) -> PixelBuffer? in
          let pixels = try decoder.pixels(of: found.view.rect, format: found.isGray ? .gray : .rgb)
          return try showsSame(pixels) ? pixels : nil
        }
        if let pixels = shown ?? nil { return pixels }
      }
      return nil
    }

    private static func thumbnails(
      of picture: HEIFPicture, _ header: ImageHeader, in file: HEIFFile, _ job: Job
    ) throws(FaceCropError) -> [HEIFPicture] {
      guard !header.hasAlpha, header.size.longSide > Overview.side else { return [] }
      var found: [HEIFPicture] = []
      for item in file.items.items("thmb", to: picture.item).prefix(mostThumbnails) {
        _ = try job.attempt { () throws(FaceCropError) in
          let thumbnail = try HEIFPicture(item, in: file, job: job)
          // All thumbnails together have at most as many pixels as the image.
          let isSmall = thumbnail.canvas.codedPixels <= picture.canvas.codedPixels / mostThumbnails
          if isSmall, agrees(thumbnail, header) { found.append(thumbnail) }
        }
      }
      return found
    }

    private static func agrees(_ thumbnail: HEIFPicture, _ header: ImageHeader) -> Bool {
      let (size, small) = (header.size, thumbnail.view.rect.size)
      // Without limits on sides, hundredfold products would overflow an integer.
      let across = Double(small.width) * Double(size.height)
      let down = Double(small.height) * Double(size.width)
      return thumbnail.view.orientation == header.orientation && small.longSide >= smallestThumbnail
        && small.longSide <= size.longSide && abs(across - down) * 100 <= max(across, down)
    }

    /// Returns whether the center tile matches its part of the thumbnail. Without tiles the comparison would need the
    /// whole image, so it is skipped.
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
      let pixels = try pixels(of: middle, factor: 1, .silent).inGray().resized(to: part.size)
      let difference = zip(pixels.bytes, expected.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      return Double(difference) <= Self.largestDifference * Double(expected.bytes.count)
    }
  }

  extension HEIFCanvasDecoder {
    /// Decodes a rectangle of the canvas at full size.
    fileprivate func pixels(of rect: PixelRect, format: PixelBuffer.Format) throws(FaceCropError) -> PixelBuffer {
      try unsafe PixelBuffer.filled(size: rect.size, format: format) { (pixels) throws(FaceCropError) in
        for row in 0..<rect.height {
          try unsafe read(
            row: rect.y + row, columns: rect.x..<rect.x + rect.width,
            into: pixels.baseAddress! + row * rect.width * format.channels, format: format
          ) { (_, _) throws(FaceCropError) in throw .corrupt("a thumbnail is damaged") }
        }
      }.picture
    }
  }

  extension HEIFFile {
    /// Returns the ICC profile of an image, or one made from its code points; empty for sRGB, nil without either.
    fileprivate func profile(of picture: HEIFPicture, limits: Limits) throws(FaceCropError) -> [UInt8]? {
      // A grid's tiles can have the profile of the grid.
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
        let (primaries, transfer) = (try box.number(2), try box.number(2))
        return try ICCProfile.coded(primaries: primaries, transfer: transfer) ?? []
      }
      return nil
    }
  }
#endif
