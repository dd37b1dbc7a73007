#if HEIF
  internal import CHEIFShim

  /// An image of one coded item, or of equal tiles (ISO/IEC 23008-12, 6.6.2.3).
  struct HEIFCanvas {
    var size: PixelSize
    var tileSize: PixelSize
    var columns: Int
    var tiles: [CodedPicture]

    var isTiled: Bool { tiles.count > 1 }

    /// The pixels of all frames of all tiles, which may reach over the edges.
    var codedPixels: Int {
      tileSize.bytes(channels: 1).multipliedClamped(by: tiles.count).multipliedClamped(by: tiles[0].frames)
    }
    var dataBytes: Int { tiles.reduce(0) { max($0, $1.dataBytes) } }
  }

  /// The displayed part of a canvas, from the item's `clap`, `irot`, and `imir` properties in their order.
  struct HEIFView {
    /// The displayed part, in pixels of the canvas.
    private(set) var rect: PixelRect
    private(set) var orientation = Orientation.up

    init(size: PixelSize) {
      rect = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
    }

    mutating func apply(_ property: Box) throws(FaceCropError) {
      var content = property.content
      switch property.type {
      case "irot": turn([.up, .left, .down, .right][try content.number(1) & 3])
      case "imir": turn(try content.number(1) & 1 == 0 ? .downMirrored : .upMirrored)
      case "clap": try cut(to: &content)
      default: break
      }
    }

    private mutating func turn(_ next: Orientation) {
      orientation = orientation.followed(by: next)
    }

    /// Applies a clean aperture (ISO/IEC 14496-12, 12.1.4): fractions of width, height, and the distance of the
    /// centers. It is rounded like in libheif, and clamped.
    private mutating func cut(to content: inout ByteReader) throws(FaceCropError) {
      func fraction() throws(FaceCropError) -> Double {
        let numerator = Int32(truncatingIfNeeded: try content.number(4))
        let denominator = Int32(truncatingIfNeeded: try content.number(4))
        guard denominator != 0 else { throw .corrupt("the clean aperture has a fraction without a value") }
        return Double(numerator) / Double(denominator)
      }
      let (width, height) = (try fraction(), try fraction())
      let (x, y) = (try fraction(), try fraction())
      let shown = orientation.applied(to: rect.size)
      func span(_ length: Double, _ distance: Double, _ side: Int, rounding: FloatingPointRoundingRule) -> Range<Int>? {
        let first = (distance + Double(side - 1) / 2 - (length - 1) / 2).rounded(rounding)
        let last = (length - 1 + first).rounded()
        let (start, end) = (max(first, 0), min(last + 1, Double(side)))
        return start < end ? Int(start)..<Int(end) : nil
      }
      guard let columns = span(width, x, shown.width, rounding: .down),
        let rows = span(height, y, shown.height, rounding: .toNearestOrAwayFromZero)
      else { throw .corrupt("the clean aperture lies outside the image") }
      let inside = orientation.stored(
        PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count), in: rect.size)
      rect = PixelRect(x: rect.x + inside.x, y: rect.y + inside.y, width: inside.width, height: inside.height)
    }
  }

  /// An image of a file: the primary one, or a thumbnail.
  struct HEIFPicture {
    let canvas: HEIFCanvas
    let view: HEIFView
    /// The alpha, of any size, sampled by nearest neighbor.
    let alpha: HEIFCanvas?
    let isPremultiplied: Bool
    /// Whether the file has properties of it that are ignored.
    let isIrregular: Bool
    let item: Int

    /// The upper bound of tiles. Cameras write some hundred, and each costs the creation of a decoder.
    private static let maximumTiles = 2_048
    /// The pixels that tiles may have beyond four times the image's.
    private static let mostOverhang = 4_000_000

    /// Reads an item's properties, and checks the limits.
    init(_ item: Int, in file: HEIFFile, job: Job) throws(FaceCropError) {
      // An identity derivation is its source with further transformations.
      var chain = [item]
      while file.items.types[chain.last!] == "iden", let source = file.items.items("dimg", from: chain.last!).first {
        guard chain.count < 4 else { throw .unsupported("images are derived from other images in too many steps") }
        chain.append(source)
      }
      self.item = chain.last!
      canvas = try Self.canvas(of: chain.last!, in: file, job: job)
      var view = HEIFView(size: canvas.size)
      for item in chain.reversed() {
        for property in file.items.transformations(of: item) { try view.apply(property) }
      }
      self.view = view

      let alpha = try HEIFAlphaItems(of: self.item, canvas, in: file, job)
      self.alpha = try alpha.canvas(for: canvas, in: file, job)
      isPremultiplied = alpha.arePremultiplied
      isIrregular = alpha.areIncomplete
    }

    static func canvas(of item: Int, in file: HEIFFile, job: Job) throws(FaceCropError) -> HEIFCanvas {
      guard let type = file.items.types[item] else { throw .corrupt("the file refers to an image that is missing") }
      guard type == "grid" else {
        var configurations = CodedConfigurations()
        let picture = try CodedPicture(item, in: file, nclx: nil, configurations: &configurations, job: job)
        return HEIFCanvas(size: picture.size, tileSize: picture.size, columns: 1, tiles: [picture])
      }
      return try grid(item, in: file, job: job)
    }

    private static func grid(_ item: Int, in file: HEIFFile, job: Job) throws(FaceCropError) -> HEIFCanvas {
      guard let location = file.items.locations[item] else { throw .corrupt("the layout of the tiles is missing") }
      var box = ByteReader(try file.data(location, most: 1_024).bytes)
      _ = try box.number(1)
      let flags = try box.number(1)
      let (rows, columns) = (try box.number(1) + 1, try box.number(1) + 1)
      let size = try PixelSize(reading: &box, width: flags & 1 == 0 ? 2 : 4)
      try job.limits.check(size)
      guard rows * columns <= maximumTiles else {
        throw .unsupported("\(rows * columns) tiles are more than the allowed \(maximumTiles)")
      }
      let parts = file.items.items("dimg", from: item)
      guard parts.count == rows * columns else {
        throw .corrupt("the file has \(parts.count) tiles, but the image needs \(rows * columns)")
      }
      let tiles = try self.tiles(parts, in: file, nclx: file.items.colorBox("nclx", of: item), job: job)
      let tileSize = tiles[0].size
      guard tileSize.width * columns >= size.width, tileSize.height * rows >= size.height,
        // Every tile touches the image, so that the image's limits cover all tiles.
        tileSize.width * (columns - 1) < size.width, tileSize.height * (rows - 1) < size.height,
        // The tiles are not far larger than the image.
        tileSize.bytes(channels: tiles.count) <= size.bytes(channels: 4).addingClamped(mostOverhang)
      else { throw .corrupt("the tiles do not fit an image of \(size.width)×\(size.height)") }
      return HEIFCanvas(size: size, tileSize: tileSize, columns: columns, tiles: tiles)
    }

    /// Reads the tiles. A grid can name one item several times, and items can share a configuration, so each is read
    /// once.
    static func tiles(
      _ items: [Int], in file: HEIFFile, nclx: Box?, job: Job
    ) throws(FaceCropError) -> [CodedPicture] {
      var configurations = CodedConfigurations()
      var known: [Int: CodedPicture] = [:]
      var tiles: [CodedPicture] = []
      for item in items {
        try job.step()
        let tile = try known.value(for: item) { () throws(FaceCropError) in
          try CodedPicture(item, in: file, nclx: nclx, configurations: &configurations, job: job)
        }
        guard tile.isAlike(tiles.first ?? tile) else { throw .corrupt("the tiles differ in their coding") }
        tiles.append(tile)
      }
      return tiles
    }

    var isGray: Bool { canvas.tiles[0].samples.chroma == .monochrome }
  }
#endif
