#if HEIF
  /// A track of images in a file's `moov` box (ISO/IEC 14496-12, 8.3 to 8.7). Its tables are read in time linear in their
  /// bytes, and name at most as many images as the limits allow.
  struct HEIFTrack {
    private typealias Boxes = [FourCharacterCode: Range<Int>]

    /// The number in the file.
    let number: Int
    /// The kind of its media: `pict`, `vide`, or `auxv` for alpha.
    let handler: FourCharacterCode
    /// The kind of its images, such as `av01`.
    let codec: FourCharacterCode
    let size: PixelSize
    /// The boxes of the description of its images, the first one of each kind.
    private let description: Boxes
    private let boxes: Boxes
    private let file: ImageBytes

    private static let containers: Set<FourCharacterCode> = ["mdia", "minf", "stbl", "edts", "tref"]
    /// The upper bound of boxes, far more than tracks of images have.
    private static let mostBoxes = 1_000
    /// The bytes of a description before its boxes (8.5.2.2, 12.1.3).
    private static let descriptionBytes = 78

    /// Returns the tracks of a `moov` box, without those that lack a part.
    static func all(
      in file: ImageBytes, _ movie: Range<Int>, _ job: Job
    ) throws(FaceCropError) -> [HEIFTrack] {
      let bytes = unsafe file.buffer.span
      var count = 0
      var tracks: [HEIFTrack] = []
      for (type, content) in try parts(of: movie, in: bytes, &count, job) where type == "trak" {
        var boxes: Boxes = [:]
        var waiting = [content]
        while let part = waiting.popLast() {
          for (type, content) in try parts(of: part, in: bytes, &count, job) {
            if containers.contains(type) { waiting.append(content) }
            if boxes[type] == nil { boxes[type] = content }
          }
        }
        if let track = try HEIFTrack(boxes, in: file, &count, job) { tracks.append(track) }
      }
      return tracks
    }

    private init?(
      _ boxes: Boxes, in file: ImageBytes, _ count: inout Int, _ job: Job
    ) throws(FaceCropError) {
      (self.boxes, self.file) = (boxes, file)
      let bytes = unsafe file.buffer.span
      guard let header = boxes["tkhd"]?.lowerBound, let media = boxes["hdlr"]?.lowerBound, let table = boxes["stsd"],
        let version = bytes.byte(at: header), let number = bytes.uint32(at: header + (version == 0 ? 12 : 20)),
        let handler = bytes.uint32(at: media + 8),
        let entry = try BoxHeader(in: bytes, at: table.lowerBound + 8), entry.content.upperBound <= table.upperBound,
        let width = bytes.uint16(at: entry.content.lowerBound + 24),
        let height = bytes.uint16(at: entry.content.lowerBound + 26), width > 0, height > 0
      else { return nil }
      self.number = number
      self.handler = FourCharacterCode(value: UInt32(handler))
      codec = entry.type
      size = PixelSize(width: width, height: height)
      var description: Boxes = [:]
      let start = min(entry.content.lowerBound + Self.descriptionBytes, entry.content.upperBound)
      for (type, content) in try Self.parts(of: start..<entry.content.upperBound, in: bytes, &count, job) {
        // Of the kinds of colors, only the code points are needed.
        let isNeeded = type != "colr" || bytes.contains("nclx", at: content.lowerBound)
        if isNeeded, description[type] == nil { description[type] = content }
      }
      self.description = description
    }

    /// Returns the boxes of a part of the file. A box that reaches out of it ends the part.
    private static func parts(
      of part: Range<Int>, in bytes: Span<UInt8>, _ count: inout Int, _ job: Job
    ) throws(FaceCropError) -> [(type: FourCharacterCode, content: Range<Int>)] {
      var boxes: [(type: FourCharacterCode, content: Range<Int>)] = []
      var place = part.lowerBound
      while place < part.upperBound, let box = try BoxHeader(in: bytes, at: place),
        box.content.upperBound <= min(part.upperBound, bytes.count)
      {
        try job.step()
        count += 1
        guard count <= mostBoxes else { throw .unsupported("the tracks have more than \(mostBoxes) boxes") }
        boxes.append((box.type, box.content))
        place = box.content.upperBound
      }
      return boxes
    }

    /// The upper bound of a box of the description in bytes. Configurations take some hundred.
    private static let mostDescribedBytes = 16_384

    /// Returns a box of the description of its images; nil for none, or a longer one.
    func described(_ type: FourCharacterCode) -> ByteReader? {
      guard let content = description[type], content.count <= Self.mostDescribedBytes else { return nil }
      return ByteReader(unsafe file.buffer.span.copy(content))
    }

    /// The matrix and range in its code points; nil for those in the bitstream.
    var matrix: (code: Int, isFullRange: Bool)? { described("colr").flatMap(CodedPicture.matrix) }

    /// Returns whether it refers to another track (8.3.3).
    func refers(_ kind: FourCharacterCode, to other: HEIFTrack) -> Bool {
      guard let numbers = boxes[kind] else { return false }
      let bytes = unsafe file.buffer.span
      return stride(from: numbers.lowerBound, through: numbers.upperBound - 4, by: 4)
        .prefix(Self.mostBoxes).contains { bytes.uint32(at: $0) == other.number }
    }

    // MARK: Images

    /// Returns the places of the images' data, which may reach out of the file (8.7).
    func images(_ job: Job) throws(FaceCropError) -> [Range<Int>] {
      let bytes = unsafe file.buffer.span
      let sizes = try SizeTable(boxes, in: bytes)
      try job.limits.check(.frames, sizes.count)
      guard let runs = boxes["stsc"], let chunks = boxes["stco"] ?? boxes["co64"] else { throw Self.incomplete }
      let isWide = boxes["stco"] == nil
      let width = isWide ? 8 : 4
      let chunkCount = Self.entries(in: bytes, chunks, width: width)
      let runCount = Self.entries(in: bytes, runs, width: 12)
      var images: [Range<Int>] = []
      var (run, perChunk) = (0, 0)
      for chunk in 0..<chunkCount where images.count < sizes.count {
        try job.step()
        while run < runCount, let first = bytes.uint32(at: runs.lowerBound + 8 + 12 * run), first <= chunk + 1 {
          try job.step()
          perChunk = bytes.uint32(at: runs.lowerBound + 12 + 12 * run) ?? 0
          guard bytes.uint32(at: runs.lowerBound + 16 + 12 * run) == 1 else {
            throw .unsupported("the images of the sequence have several descriptions")
          }
          run += 1
        }
        let entry = chunks.lowerBound + 8 + width * chunk
        guard var place = isWide ? bytes.uint64(at: entry) : bytes.uint32(at: entry) else {
          throw .corrupt("an image of the sequence lies outside the file")
        }
        for _ in 0..<min(perChunk, sizes.count - images.count) {
          try job.step()
          let end = place.addingClamped(sizes.size(images.count, in: bytes))
          images.append(place..<end)
          place = end
        }
      }
      guard images.count == sizes.count, !images.isEmpty else { throw Self.incomplete }
      return images
    }

    /// Returns the times of `count` images, in milliseconds. The sums are rounded, so that they do not drift.
    func milliseconds(count: Int, _ job: Job) throws(FaceCropError) -> [Int] {
      let bytes = unsafe file.buffer.span
      guard let header = boxes["mdhd"]?.lowerBound, let version = bytes.byte(at: header),
        let scale = bytes.uint32(at: header + (version == 0 ? 12 : 20)), scale > 0, let table = boxes["stts"]
      else { throw Self.incomplete }
      var times: [Int] = []
      var (sum, shown) = (0, 0)
      for entry in 0..<Self.entries(in: bytes, table, width: 8) where times.count < count {
        try job.step()
        let place = table.lowerBound + 8 + 8 * entry
        guard let repeated = bytes.uint32(at: place), let time = bytes.uint32(at: place + 4) else { break }
        for _ in 0..<min(repeated, count - times.count) {
          try job.step()
          // At most 2³² for each of the images, so the product cannot overflow.
          sum += time
          let end = sum.multipliedClamped(by: 1_000).addingClamped(scale / 2) / scale
          times.append(end - shown)
          shown = end
        }
      }
      guard times.count == count else { throw Self.incomplete }
      return times
    }

    /// How often the images play: 0 for forever, which holds without an edit list too, as browsers do (8.6.6).
    var plays: Int {
      let bytes = unsafe file.buffer.span
      guard let list = boxes["elst"]?.lowerBound, let version = bytes.byte(at: list),
        let flags = bytes.byte(at: list + 3)
      else { return 0 }
      guard flags & 1 == 1 else { return 1 }
      guard let header = boxes["tkhd"]?.lowerBound, let headerVersion = bytes.byte(at: header) else { return 0 }
      func duration(at place: Int, isWide: Bool) -> Int? {
        if isWide { return bytes.uint64(at: place) }
        return bytes.uint32(at: place).flatMap { $0 == Int(UInt32.max) ? nil : $0 }
      }
      let all = duration(at: header + (headerVersion == 0 ? 20 : 28), isWide: headerVersion != 0)
      let once = duration(at: list + 8, isWide: version != 0)
      guard let all, let once, once > 0 else { return 0 }
      return max(all / once + (all % once == 0 ? 0 : 1), 1)
    }

    private static let incomplete = FaceCropError.corrupt("the table of the sequence's images is incomplete")

    /// Returns the entries of a table that the file has.
    private static func entries(in bytes: Span<UInt8>, _ table: Range<Int>, width: Int) -> Int {
      min(bytes.uint32(at: table.lowerBound + 4) ?? 0, max(table.count - 8, 0) / width)
    }

    /// The sizes of the images' data (8.7.3).
    private struct SizeTable {
      let count: Int
      private let place: Int
      /// The bits of a size, or the common size.
      private let bits: Int
      private let common: Int

      init(_ boxes: Boxes, in bytes: Span<UInt8>) throws(FaceCropError) {
        guard let table = boxes["stsz"] ?? boxes["stz2"], table.count >= 12,
          let first = bytes.uint32(at: table.lowerBound + 4), let count = bytes.uint32(at: table.lowerBound + 8)
        else { throw incomplete }
        let isCompact = boxes["stsz"] == nil
        (common, bits) = isCompact ? (0, first & 0xFF) : (first, 32)
        self.count = count
        place = table.lowerBound + 12
        guard [4, 8, 16, 32].contains(bits), common > 0 || count.multipliedClamped(by: bits) <= 8 * (table.count - 12)
        else { throw incomplete }
      }

      func size(_ index: Int, in bytes: Span<UInt8>) -> Int {
        if common > 0 { return common }
        switch bits {
        case 4: return Int(bytes.byte(at: place + index / 2) ?? 0) >> (index % 2 == 0 ? 4 : 0) & 15
        case 8: return Int(bytes.byte(at: place + index) ?? 0)
        case 16: return bytes.uint16(at: place + 2 * index) ?? 0
        default: return bytes.uint32(at: place + 4 * index) ?? 0
        }
      }
    }
  }
#endif
