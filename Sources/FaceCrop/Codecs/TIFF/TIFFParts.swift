/// The positions of a page's strips or tiles in the file.
struct TIFFParts {
  /// The offsets and lengths of each strip or tile of each plane, limited to the file.
  private(set) var offsets: [Int] = []
  private(set) var counts: [Int] = []
  /// The first row of a strip or tile that the file does not contain completely.
  private(set) var firstCutRow: Int?

  /// Returns the bytes for this number of strips or tiles, as passed to libtiff and as it stores them for each plane.
  static func bytes(_ number: Int, _ layout: TIFFLayout) -> Int {
    number.multipliedClamped(by: 32 + 24 * layout.planes)
  }

  /// The bytes of the largest strip or tile.
  var largest: Int { counts.max() ?? 0 }

  init(
    _ file: TIFFFile, _ entries: [Int: TIFFFile.Entry], _ layout: TIFFLayout, _ size: PixelSize, _ job: Job
  ) throws(FaceCropError) {
    let (offsetTag, countTag) =
      layout.tile == nil
      ? (TIFFTag.stripOffsets, TIFFTag.stripByteCounts) : (TIFFTag.tileOffsets, TIFFTag.tileByteCounts)
    // Some tiled files use the tags of strips.
    let offsetEntry = entries[offsetTag] ?? entries[TIFFTag.stripOffsets]
    let countEntry = entries[countTag] ?? entries[TIFFTag.stripByteCounts]
    let across = layout.tile.map { (size.width - 1) / $0.width + 1 } ?? 1
    let down = (size.height - 1) / layout.rowsPerPart + 1
    let number = (across * down).multipliedClamped(by: layout.planes)
    let name = layout.tile == nil ? "strips" : "tiles"
    guard let offsetEntry, offsetEntry.count >= number else {
      throw .corrupt("the file has the offsets of \(offsetEntry?.count ?? 0) of its \(number) \(name)")
    }
    if let countEntry, countEntry.count < number {
      throw .corrupt("the file has the lengths of \(countEntry.count) of its \(number) \(name)")
    }
    guard countEntry != nil || layout.isUncompressed || number == 1 else {
      throw .corrupt("the lengths of the \(name) are missing")
    }
    try job.limits.check(.imageBytes, Self.bytes(number, layout))
    offsets.reserveCapacity(number)
    counts.reserveCapacity(number)
    let whole = layout.partBytes(size)
    // Some writers leave the lengths 0: a part reaches to the next one then, or to the end of the file.
    let starts = try Starts(of: offsetEntry, whereZero: countEntry, number, file, job)
    var sum = 0
    for index in 0..<number {
      try job.step()
      guard let offset = file.number(offsetEntry, at: index) else {
        throw .corrupt("the table of \(name) holds no numbers")
      }
      let said =
        switch file.number(countEntry, at: index) {
        case nil: layout.isUncompressed ? whole : max(file.count - offset, 0)
        case 0?: starts.distance(from: offset, to: file.count)
        case let count?: count
        }
      // For uncompressed data, a file may declare more bytes than necessary.
      let row = index % (across * down) / across * layout.rowsPerPart
      let needed = layout.isSplittable ? min(said, neededBytes(layout, size, row)) : said
      let count = min(needed, max(file.count - offset, 0))
      offsets.append(offset)
      counts.append(count)
      sum = sum.addingClamped(count)
      if count < needed { firstCutRow = min(firstCutRow ?? row, row) }
    }
    // Each strip or tile is read whole, so that repeated ones multiply the cost.
    let decoded = whole.multipliedClamped(by: number)
    guard sum <= file.count.multipliedClamped(by: 4).addingClamped(decoded.multipliedClamped(by: 2)) else {
      throw .corrupt("the \(name) have \(sum) bytes in a file of \(file.count)")
    }
  }

  /// Splits the only strip into several. libtiff would reject a truncated strip, and read none of it.
  mutating func split(_ layout: inout TIFFLayout, _ size: PixelSize) {
    guard let start = offsets.first, let count = counts.first else { return }
    layout.rowsPerStrip = min(16, size.height)
    let bytesPerStrip = layout.bytes(columns: size.width, rows: layout.rowsPerStrip)
    (offsets, counts, firstCutRow) = ([], [], nil)
    for row in stride(from: 0, to: size.height, by: layout.rowsPerStrip) {
      let before = row / layout.rowsPerStrip * bytesPerStrip
      offsets.append(start + before)
      counts.append(min(max(count - before, 0), neededBytes(layout, size, row)))
      if counts[counts.count - 1] < neededBytes(layout, size, row), firstCutRow == nil { firstCutRow = row }
    }
  }

  /// Leaves a strip or tile out, so that libtiff finds it damaged. Of an empty one it would look for the length.
  mutating func leaveOut(_ index: Int) { counts[index] = min(counts[index], 1) }

  /// Returns the bytes of the strip that starts at `row`.
  private func neededBytes(_ layout: TIFFLayout, _ size: PixelSize, _ row: Int) -> Int {
    layout.bytes(columns: size.width, rows: min(layout.rowsPerStrip, size.height - row))
  }
}

/// The memory and work of JPEG and WebP data in strips and tiles, by their own headers. libtiff decodes all of it.
struct TIFFStreams {
  /// The upper bound of bytes that depend on them, in the decoder of one strip or tile: coefficients, or prefix codes.
  private(set) var bytes = 0
  /// The pixels of all scans of JPEG data but the first one.
  private(set) var repeatedPixels = 0

  /// Reads the headers, and leaves out the strips and tiles that do not fit the page.
  init(
    _ bytes: ImageBytes, _ layout: TIFFLayout, _ parts: inout TIFFParts, _ size: PixelSize, _ job: Job
  ) throws(FaceCropError) {
    guard layout.isJPEG || layout.compression == TIFFCompression.webP else { return }
    // Some writers fill the last strip up, or the last row of blocks.
    let rowsPerBlock = 16
    let strip = PixelSize(width: size.width, height: layout.rowsPerStrip.addingClamped(rowsPerBlock - 1))
    let most = layout.tile ?? strip
    for index in parts.counts.indices {
      try job.step()
      let (offset, count) = (parts.offsets[index], parts.counts[index])
      guard count > 2 else { continue }
      let part = unsafe bytes.buffer.span.extracting(offset..<offset + count)
      let stream =
        try layout.isJPEG
        ? Codecs.embeddedJPEG(part, most: most, job) : Codecs.embeddedWebP(part, most: most, job)
      guard let stream else {
        parts.leaveOut(index)
        continue
      }
      self.bytes = max(self.bytes, stream.heldBytes)
      repeatedPixels = repeatedPixels.addingClamped(stream.repeatedPixels)
    }
  }
}

/// The sorted offsets of strips or tiles; empty unless a length is 0.
private struct Starts {
  private var sorted: [Int] = []

  init(
    of offsets: TIFFFile.Entry, whereZero counts: TIFFFile.Entry?, _ number: Int, _ file: TIFFFile, _ job: Job
  ) throws(FaceCropError) {
    guard let counts, (0..<number).contains(where: { file.number(counts, at: $0) == 0 }) else { return }
    try job.step(2 * number)
    sorted = (0..<number).compactMap { file.number(offsets, at: $0) }.sorted()
  }

  /// Bytes from an offset to the next larger one, or to `end`. None from 0, which is where a part that does not exist begins.
  func distance(from offset: Int, to end: Int) -> Int {
    guard offset > 0 else { return 0 }
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] > offset { high = middle } else { low = middle + 1 }
    }
    return max(min(low < sorted.count ? sorted[low] : end, end) - offset, 0)
  }
}
