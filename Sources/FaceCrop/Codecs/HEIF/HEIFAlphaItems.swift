#if HEIF
  /// The alpha items of an image (ISO/IEC 23008-12, 6.6.2.1). A grid without an item of its own can have one for each
  /// tile, as some writers attach them.
  struct HEIFAlphaItems {
    private enum Layout {
      case none
      case whole(Int)
      case tiles([Int])
    }

    private let layout: Layout
    /// Whether the colors are premultiplied.
    let arePremultiplied: Bool
    /// Whether only some of the tiles have alpha. All of it is ignored then.
    let areIncomplete: Bool

    /// - Parameter master: the item that the canvas was made of.
    init(of master: Int, _ canvas: HEIFCanvas, in file: HEIFFile, _ job: Job) throws(FaceCropError) {
      if let whole = try Self.alpha(of: master, in: file, job) {
        layout = .whole(whole)
        arePremultiplied = file.items.items("prem", from: master).contains(whole)
        areIncomplete = false
        return
      }
      guard file.items.types[master] == "grid" else {
        (layout, arePremultiplied, areIncomplete) = (.none, false, false)
        return
      }
      // A grid may name one item at many places.
      var known: [Int: Int?] = [:]
      var isPremultiplied = true
      for tile in canvas.tiles where known[tile.item] == nil {
        let alpha = try Self.alpha(of: tile.item, in: file, job)
        known[tile.item] = .some(alpha)
        if let alpha { isPremultiplied = isPremultiplied && file.items.items("prem", from: tile.item).contains(alpha) }
      }
      let items = canvas.tiles.compactMap { known[$0.item] ?? nil }
      layout = items.count == canvas.tiles.count ? .tiles(items) : .none
      arePremultiplied = isPremultiplied && items.count == canvas.tiles.count
      areIncomplete = !items.isEmpty && items.count < canvas.tiles.count
    }

    /// Decodes the alpha, whose size can differ from the image's; nil if the image has none.
    func canvas(for canvas: HEIFCanvas, in file: HEIFFile, _ job: Job) throws(FaceCropError) -> HEIFCanvas? {
      let alpha: HEIFCanvas
      switch layout {
      case .none: return nil
      case .whole(let item): alpha = try HEIFPicture.canvas(of: item, in: file, job: job)
      case .tiles(let items):
        let tiles = try HEIFPicture.tiles(items, in: file, nclx: nil, job: job)
        guard tiles[0].size == canvas.tileSize else {
          throw .unsupported("the tiles' alpha has another size than they")
        }
        alpha = HEIFCanvas(size: canvas.size, tileSize: canvas.tileSize, columns: canvas.columns, tiles: tiles)
      }
      // Both are decoded.
      try job.limits.check(.pixels, canvas.size.bytes(channels: 1).addingClamped(alpha.size.bytes(channels: 1)))
      return alpha
    }

    private static func alpha(of master: Int, in file: HEIFFile, _ job: Job) throws(FaceCropError) -> Int? {
      for item in file.items.items("auxl", to: master) {
        try job.step()
        if file.items.isAuxiliary(item, Self.kinds) { return item }
      }
      return nil
    }

    private static let kinds: [StaticString] = [
      "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]
  }

  extension HEIFItems {
    /// Whether an item's `auxC` property names one of some kinds of auxiliary images.
    func isAuxiliary(_ item: Int, _ kinds: [StaticString]) -> Bool {
      guard var box = property("auxC", of: item), (try? box.version()) != nil else { return false }
      return kinds.contains { box.isText($0) }
    }
  }
#endif
