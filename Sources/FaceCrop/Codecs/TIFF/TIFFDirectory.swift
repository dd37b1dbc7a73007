internal import CTIFFShim

/// The directory that replaces the file's own for libtiff, so that no hostile entry reaches it. It has BigTIFF's
/// format, and only entries that decoding needs, each with the right number of values.
struct TIFFDirectory {
  /// The replacement of the file's header.
  private(set) var header: [UInt8]
  private(set) var bytes: [UInt8]
  /// The offset for libtiff, after the end of the file.
  let offset: Int

  init(
    _ file: TIFFFile, _ entries: [Int: TIFFFile.Entry], _ layout: TIFFLayout, _ parts: TIFFParts, _ size: PixelSize
  ) {
    let order = file.kind.order
    offset = (file.count + 15) / 8 * 8
    let mark = Array((order == .littleEndian ? "II" : "MM").utf8)
    header = mark + [43, 8, 0].flatMap { [UInt8]($0, count: 2, order) } + [UInt8](offset, count: 8, order)
    var directory = Writer(order: order)
    directory.add(TIFFTag.width, longs: [size.width])
    directory.add(TIFFTag.height, longs: [size.height])
    directory.add(TIFFTag.bitsPerSample, shorts: [Int](repeating: layout.bits, count: layout.samples))
    directory.add(TIFFTag.compression, shorts: [layout.compression])
    // facecrop itself handles palettes and white-is-zero.
    let photometric =
      switch layout.colors {
      case .gray, .whiteIsZero, .palette: 1
      case .RGB: 2
      case .inks: 5
      case .yCbCr: 6
      }
    directory.add(TIFFTag.photometric, shorts: [photometric])
    directory.add(TIFFTag.samplesPerPixel, shorts: [layout.samples])
    directory.add(TIFFTag.planarConfiguration, shorts: [layout.isPlanar ? 2 : 1])
    let colors = photometric == 1 ? 1 : photometric == 5 ? 4 : 3
    if layout.samples > colors {
      directory.add(TIFFTag.extraSamples, shorts: [Int](repeating: 0, count: layout.samples - colors))
    }
    if let tile = layout.tile {
      directory.add(TIFFTag.tileWidth, longs: [tile.width])
      directory.add(TIFFTag.tileHeight, longs: [tile.height])
      directory.add(TIFFTag.tileOffsets, bigs: parts.offsets)
      directory.add(TIFFTag.tileByteCounts, bigs: parts.counts)
    } else {
      directory.add(TIFFTag.rowsPerStrip, longs: [layout.rowsPerStrip])
      directory.add(TIFFTag.stripOffsets, bigs: parts.offsets)
      directory.add(TIFFTag.stripByteCounts, bigs: parts.counts)
    }
    for tag in [TIFFTag.fillOrder, TIFFTag.predictor] {
      if let number = file.number(entries[tag]), number == 2 { directory.add(tag, shorts: [number]) }
    }
    for (tag, compression) in [(TIFFTag.faxOptions3, 3), (TIFFTag.faxOptions4, 4)]
    where layout.compression == compression {
      if let number = file.number(entries[tag]) { directory.add(tag, longs: [number & 0xFFFF]) }
    }
    if layout.isJPEG, let tables = entries[TIFFTag.jpegTables], tables.values.count <= 1 << 16 {
      directory.add(TIFFTag.jpegTables, type: 7, count: tables.values.count, file.bytes(tables))
    }
    if layout.colors == .yCbCr {
      if let first = file.number(entries[TIFFTag.subsampling]),
        let second = file.number(entries[TIFFTag.subsampling], at: 1)
      {
        directory.add(TIFFTag.subsampling, shorts: [first & 0xFF, second & 0xFF])
      }
      for (tag, count) in [(TIFFTag.lumaCoefficients, 3), (TIFFTag.referenceBlackWhite, 6)] {
        if let entry = entries[tag], entry.type == 5, entry.count == count {
          directory.add(tag, type: 5, count: count, file.bytes(entry))
        }
      }
    }
    bytes = TIFFFile.Kind(order, isBig: true).directory(directory.entries, at: offset)
  }

  private struct Writer {
    let order: ByteOrder
    private(set) var entries: [TIFFFile.WrittenEntry] = []

    mutating func add(_ tag: Int, type: Int, count: Int, _ bytes: [UInt8]) { entries.append((tag, type, count, bytes)) }
    mutating func add(_ tag: Int, shorts numbers: [Int]) { add(tag, type: 3, numbers) }
    mutating func add(_ tag: Int, longs numbers: [Int]) { add(tag, type: 4, numbers) }
    mutating func add(_ tag: Int, bigs numbers: [Int]) { add(tag, type: 16, numbers) }
    private mutating func add(_ tag: Int, type: Int, _ numbers: [Int]) {
      let bytes = numbers.flatMap { [UInt8]($0, count: TIFFFile.sizes[type]!, order) }
      add(tag, type: type, count: numbers.count, bytes)
    }
  }
}
