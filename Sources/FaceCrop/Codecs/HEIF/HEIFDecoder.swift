#if HEIF
  internal import CHEIFShim

  /// A decoded image, which converts the shim's statuses to errors.
  @safe final class DecodedPicture: ShimObject {
    let size: PixelSize

    /// Decodes the units of an image; see ``CodedPicture/units(_:)``.
    convenience init(of picture: CodedPicture, units: [UInt8], job: Job) throws(FaceCropError) {
      var message = FCMessage()
      var made: OpaquePointer?
      let status = unsafe units.withUnsafeBufferPointer { units in
        unsafe fcheif_picture_decode(
          FCHEIFSource(
            codec: picture.codec, data: units.baseAddress!, count: units.count, chroma: picture.samples.chroma,
            depth: UInt32(picture.samples.depth), maximumWidth: UInt32(clamping: picture.largest.width),
            maximumHeight: UInt32(clamping: picture.largest.height),
            maximumFrames: UInt32(clamping: picture.heldFrames), operatingPoint: UInt32(picture.operatingPoint),
            hasMatrix: picture.matrix != nil,
            matrix: Int32(picture.matrix?.code ?? 0), isFullRange: picture.matrix?.isFullRange ?? true,
            cancellation: job.cancellation.flag),
          &made, &message)
      }
      try status.check(message.string)
      try unsafe self.init(made!, atLeast: picture.size)
    }

    /// Takes an image of the shim. Throws ``FaceCropError/corrupt(_:)`` if it is smaller than declared.
    init(_ handle: OpaquePointer, atLeast declared: PixelSize) throws(FaceCropError) {
      size = unsafe PixelSize(
        width: Int(fcheif_picture_width(handle)), height: Int(fcheif_picture_height(handle)))
      try unsafe super.init(handle, fcheif_picture_destroy)
      guard size.width >= declared.width, size.height >= declared.height else {
        throw .corrupt(
          "a coded image is \(size.width)×\(size.height), smaller than the declared \(declared.width)×\(declared.height)"
        )
      }
    }

    /// Writes the pixels of some columns of a row. It skips the alpha of four channels.
    func read(
      row: Int, columns: Range<Int>, into out: UnsafeMutablePointer<UInt8>, format: PixelBuffer.Format
    ) {
      unsafe fcheif_picture_read(
        handle, UInt32(columns.lowerBound), UInt32(row), UInt32(columns.count), UInt32(format.opaque.channels), out,
        format.channels)
    }

    func alpha(x: Int, y: Int) -> UInt8 {
      var alpha: UInt8 = 0
      unsafe fcheif_picture_read(handle, UInt32(x), UInt32(y), 1, 1, &alpha, 1)
      return alpha
    }
  }

  /// A decoder for parts of a canvas, tile by tile.
  final class HEIFCanvasDecoder {
    let canvas: HEIFCanvas
    private let file: HEIFFile
    private let job: Job
    /// The decoded tiles by item, because a grid can show one in several places; nil for a damaged one.
    private var tiles: [Int: DecodedPicture?] = [:]

    /// The bytes of cached tiles.
    private static let keptBytes = 64 << 20

    init(_ canvas: HEIFCanvas, of file: HEIFFile, job: Job) {
      self.canvas = canvas
      self.file = file
      self.job = job
    }

    /// Returns an upper bound of the bytes for some columns of the canvas: a row of tiles, and the decoder's memory for
    /// the current one.
    func memory(columns: Range<Int>) -> Int {
      let first = canvas.tiles[0]
      let across = (columns.upperBound - 1) / canvas.tileSize.width - columns.lowerBound / canvas.tileSize.width + 1
      return first.pixelBytes.multipliedClamped(by: across - 1).addingClamped(first.decodingBytes)
    }

    /// Returns the bound with a region's bytes, which are written while tiles are decoded, or for a single tile after
    /// decoding.
    func memory(columns: Range<Int>, regionBytes: Int) -> Int {
      let decoding = memory(columns: columns)
      guard canvas.tiles.count == 1 else { return decoding.addingClamped(regionBytes) }
      return max(decoding, canvas.tiles[0].pixelBytes.addingClamped(regionBytes))
    }

    func release() {
      tiles = [:]
    }

    /// Writes pixels of a row of the canvas; zeros for a damaged tile. It calls `note` with damage and the intact rows
    /// above it, which may throw.
    func read(
      row: Int, columns: Range<Int>, into out: UnsafeMutablePointer<UInt8>, format: PixelBuffer.Format,
      note: (Faults.Damage, _ intactRows: Int) throws(FaceCropError) -> Void
    ) throws(FaceCropError) {
      let (width, height) = (canvas.tileSize.width, canvas.tileSize.height)
      for column in columns.lowerBound / width...(columns.upperBound - 1) / width {
        let part = columns.clamped(to: column * width..<(column + 1) * width)
        let place = unsafe out + (part.lowerBound - columns.lowerBound) * format.channels
        if let decoded = try tile(column: column, row: row / height, note: note) {
          let own = part.lowerBound - column * width..<part.upperBound - column * width
          unsafe decoded.read(row: row % height, columns: own, into: place, format: format)
        } else {
          unsafe place.update(repeating: 0, count: part.count * format.channels)
        }
      }
    }

    /// Writes the alpha of a row into the fourth channel. This canvas is the alpha of an image of `size`.
    func readAlpha(
      row: Int, columns: Range<Int>, of size: PixelSize, into out: UnsafeMutablePointer<UInt8>,
      note: (Faults.Damage, _ intactRows: Int) throws(FaceCropError) -> Void
    ) throws(FaceCropError) {
      let (width, height) = (canvas.tileSize.width, canvas.tileSize.height)
      let y = row * canvas.size.height / size.height
      for (index, column) in columns.enumerated() {
        let x = column * canvas.size.width / size.width
        let decoded = try tile(column: x / width, row: y / height, note: note)
        unsafe out[4 * index + 3] = decoded?.alpha(x: x % width, y: y % height) ?? 0
      }
    }

    private func tile(
      column: Int, row: Int, note: (Faults.Damage, _ intactRows: Int) throws(FaceCropError) -> Void
    ) throws(FaceCropError) -> DecodedPicture? {
      let across = canvas.tiles[row * canvas.columns..<(row + 1) * canvas.columns]
      let picture = across[across.startIndex + column]
      if let tile = tiles[picture.item] { return tile }
      try job.check()
      if picture.pixelBytes.multipliedClamped(by: tiles.count + 1) > Self.keptBytes {
        let items = Set(across.map(\.item))
        tiles = tiles.filter { items.contains($0.key) }
      }
      let intactRows = min(row * canvas.tileSize.height, canvas.size.height)
      var decoded: DecodedPicture?
      do throws(FaceCropError) {
        decoded = try decode(picture)
        if decoded == nil {
          try note(.truncated(coarse: false), intactRows)
          // Without other tiles there is nothing to show.
          guard canvas.isTiled else { throw .corrupt("the file ends inside its only coded image") }
        }
      } catch .corrupt(let what) {
        guard canvas.isTiled else { throw .corrupt(what) }
        try note(.corrupt, intactRows)
      }
      tiles[picture.item] = .some(decoded)
      return decoded
    }

    /// Decodes an item; nil if the file ends inside its data.
    private func decode(_ picture: CodedPicture) throws(FaceCropError) -> DecodedPicture? {
      let (data, isComplete) = try file.data(picture.location, most: picture.maximumDataBytes)
      guard isComplete else { return nil }
      return try DecodedPicture(of: picture, units: try picture.units(data, job), job: job)
    }
  }
#endif
