#if HEIF
  /// The table of contents of a HEIF file, its `meta` box (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12). It lists the
  /// items, the positions of their data, and their properties.
  ///
  /// Only the needed parts are read, once, into lookup tables. A hostile file could otherwise have long tables searched
  /// again and again. References to missing items have no effect.
  struct HEIFItems {
    /// The extents that a file declares for an item.
    fileprivate typealias Extents = (isInside: Bool, extents: [(offset: Int, length: Int)])

    /// The place of an item's data, as far as they exist.
    struct Location {
      /// Whether offsets refer to the `idat` box instead of the file.
      let isInside: Bool
      /// Whether the file declares no data.
      let isEmpty: Bool
      /// Whether all declared data exist.
      private(set) var isComplete = true
      /// The parts that are not empty, each with its end in the item.
      private(set) var parts: [(range: Range<Int>, end: Int)] = []

      var count: Int { parts.last?.end ?? 0 }

      /// Finds the parts in `count` bytes. An extent of length 0 reaches to the end.
      fileprivate init(_ declared: Extents, in count: Int) {
        (isInside, isEmpty) = (declared.isInside, declared.extents.isEmpty)
        for extent in declared.extents {
          let available = max(count - extent.offset, 0)
          let length = min(extent.length == 0 ? available : extent.length, available)
          isComplete = isComplete && extent.length <= available && length > 0
          if length > 0 { parts.append((extent.offset..<extent.offset + length, self.count + length)) }
        }
      }

      /// Returns the offset of a byte of the item; nil outside.
      func offset(_ place: Int) -> Int? {
        var (low, high) = (0, parts.count)
        while low < high {
          let middle = (low + high) / 2
          if parts[middle].end <= place { low = middle + 1 } else { high = middle }
        }
        return low < parts.count ? parts[low].range.upperBound - (parts[low].end - place) : nil
      }
    }

    private(set) var primary: Int?
    private(set) var types: [Int: FourCharacterCode] = [:]
    /// The items that are XMP packets.
    private(set) var packets: Set<Int> = []
    /// Items that are derived from a picture and its gain map, the first ones.
    private(set) var toneMaps: [Int] = []
    private(set) var locations: [Int: Location] = [:]
    private(set) var inside: [UInt8] = []
    private var links = HEIFReferences()
    private var properties = HEIFProperties()
    private let metaBytes: Int
    /// Images of the file's longest track; 0 where it has none.
    let frameCount: Int
    /// The content of the `moov` box; nil without one.
    let movie: Range<Int>?

    /// An upper bound of the bytes for the table of contents, as stored and as lookup tables.
    var bytes: Int { metaBytes.multipliedClamped(by: 8) + inside.count }

    /// The upper bounds, each far above real files. With the size of the `meta` box they bound time and memory.
    enum Most {
      static let topLevelBoxes = 10_000
      static let items = 20_000
      static let toneMaps = 16
      static let references = 50_000
      static let associations = 50_000
      static let extents = 50_000
    }

    /// Reads the table of contents of a file that starts with a `ftyp` box.
    init(reading bytes: Span<UInt8>, job: Job) throws(FaceCropError) {
      let content: [UInt8]
      (content, frameCount, movie) = try Self.meta(of: bytes, job: job)
      var meta = ByteReader(content)
      metaBytes = meta.end
      var declared: [Int: Extents] = [:]
      _ = try meta.version()
      for var box in try meta.boxes() {
        try job.step()
        switch box.type {
        case "pitm":
          let version = try box.content.version().version
          primary = try box.content.number(version == 0 ? 2 : 4)
        case "iinf": try readInformation(&box.content, job)
        case "iloc": try Self.readLocations(&box.content, &declared, job)
        case "iref": try links.read(&box.content, job)
        case "iprp": try properties.read(&box.content, job)
        case "idat": inside = box.content.rest
        default: break
        }
      }
      // Each list of extents is walked over once, whoever reads the item.
      for (item, extents) in declared {
        try job.step(1 + extents.extents.count)
        locations[item] = Location(extents, in: extents.isInside ? inside.count : bytes.count)
      }
    }

    func property(_ type: FourCharacterCode, of item: Int) -> ByteReader? {
      properties.first(type, of: item)?.box.content
    }

    /// Returns a property with its number in the file, which identifies equal ones.
    func numberedProperty(_ type: FourCharacterCode, of item: Int) -> (number: Int, content: ByteReader)? {
      properties.first(type, of: item).map { ($0.number, $0.box.content) }
    }

    /// Returns a `colr` property of a kind (ISO/IEC 14496-12, 12.1.5).
    func colorBox(_ kind: FourCharacterCode, of item: Int) -> Box? {
      properties.first("colr", kind: kind, of: item)?.box
    }

    /// Returns the rotations and crops of an item, in the order to apply.
    func transformations(of item: Int) -> [Box] { properties.transformations(of: item) }

    func items(_ type: FourCharacterCode, from item: Int) -> [Int] { links.items(type, from: item) }
    func items(_ type: FourCharacterCode, to item: Int) -> [Int] { links.items(type, to: item) }

    // MARK: Boxes

    /// The content of the first `meta` box, the images of the longest track, and the content of the `moov` box.
    private static func meta(
      of bytes: Span<UInt8>, job: Job
    ) throws(FaceCropError) -> (content: [UInt8], frameCount: Int, movie: Range<Int>?) {
      var offset = 0
      var (meta, movie): (Range<Int>?, Range<Int>?)
      var frameCount: Int?
      for _ in 0..<Most.topLevelBoxes where meta == nil || frameCount == nil {
        try job.step()
        let box: BoxHeader?
        do throws(FaceCropError) {
          box = try BoxHeader(in: bytes, at: offset)
        } catch {
          // Behind the table of contents nothing has to be right.
          guard meta != nil else { throw error }
          break
        }
        guard let box else { break }
        let (start, end) = (offset, box.content.upperBound)
        if box.type == "meta", meta == nil {
          guard end <= bytes.count else { throw .corrupt("the file ends inside its table of contents") }
          try job.limits.check(.metadataBytes, end - start)
          meta = box.content
        }
        if box.type == "moov", frameCount == nil {
          movie = box.content.clamped(to: 0..<bytes.count)
          frameCount = try HEIFSequence.frameCount(in: bytes, box.content, job)
        }
        guard end <= bytes.count else { break }
        offset = end
      }
      if let meta { return (bytes.copy(meta), frameCount ?? 0, movie) }
      if frameCount != nil { throw withoutStill }
      throw .corrupt("the table of contents (meta box) is missing")
    }

    private static let withoutStill = FaceCropError.unsupported("the file is an image sequence without a still image")

    /// The item that is the file's still image.
    func primaryImage() throws(FaceCropError) -> Int {
      if let primary, types[primary] != nil || frameCount == 0 { return primary }
      throw frameCount > 0 ? Self.withoutStill : .corrupt("the file does not name its primary image")
    }

    private mutating func readInformation(_ content: inout ByteReader, _ job: Job) throws(FaceCropError) {
      let version = try content.version().version
      _ = try content.number(version == 0 ? 2 : 4)
      while var entry = try content.box() {
        try job.step()
        guard entry.type == "infe" else { continue }
        let version = try entry.content.version().version
        // Older versions have no types.
        guard version >= 2 else { continue }
        let item = try entry.content.number(version == 2 ? 2 : 4)
        let protection = try entry.content.number(2)
        let type = FourCharacterCode(value: UInt32(try entry.content.number(4)))
        types[item] = protection == 0 ? type : "cenc"
        if type == "tmap", protection == 0, toneMaps.count < Most.toneMaps { toneMaps.append(item) }
        if type == "mime", protection == 0 {
          entry.content.skipText()
          if entry.content.isText("application/rdf+xml") { packets.insert(item) }
        }
        try Self.check(types.count, Most.items)
      }
    }

    private static func readLocations(
      _ content: inout ByteReader, _ declared: inout [Int: Extents], _ job: Job
    ) throws(FaceCropError) {
      let version = try content.version().version
      guard version <= 2 else { throw .unsupported("version \(version) of the item location box is unknown") }
      let widths = try content.number(2)
      let (offsetWidth, lengthWidth, baseWidth) = (widths >> 12, widths >> 8 & 15, widths >> 4 & 15)
      let indexWidth = version == 0 ? 0 : widths & 15
      guard max(offsetWidth, lengthWidth, baseWidth, indexWidth) <= 8 else {
        throw .corrupt("a box has numbers longer than 8 bytes")
      }
      let count = try content.number(version == 2 ? 4 : 2)
      try check(count, Most.items)
      var extentCount = 0
      for _ in 0..<count {
        let item = try content.number(version == 2 ? 4 : 2)
        let method = version == 0 ? 0 : try content.number(2) & 15
        let file = try content.number(2)
        let base = try content.number(baseWidth)
        var location: Extents = (method == 1, [])
        let extents = try content.number(2)
        extentCount += extents
        try check(extentCount, Most.extents)
        try job.step(1 + extents)
        for _ in 0..<extents {
          _ = try content.number(indexWidth)
          let (offset, overflows) = base.addingReportingOverflow(try content.number(offsetWidth))
          let length = try content.number(lengthWidth)
          guard !overflows else { throw .corrupt("an item lies outside the file") }
          location.extents.append((offset, length))
        }
        // Data in other files and other items are ignored.
        if method <= 1, file == 0 { declared[item] = location }
      }
    }

    static func check(_ count: Int, _ most: Int) throws(FaceCropError) {
      if count > most { throw .unsupported("the table of contents has more than \(most) entries of one kind") }
    }
  }

  /// The references between items (the `iref` box), by either end, of the kinds that images need.
  private struct HEIFReferences {
    private struct End: Hashable {
      var type: FourCharacterCode
      var item: Int
    }

    private static let forward: Set<FourCharacterCode> = ["dimg", "prem"]
    private static let backward: Set<FourCharacterCode> = ["thmb", "auxl", "cdsc"]

    private var targets: [End: [Int]] = [:]
    private var sources: [End: [Int]] = [:]
    private var count = 0

    /// Returns the targets of an item's first reference of a kind.
    func items(_ type: FourCharacterCode, from item: Int) -> [Int] { targets[End(type: type, item: item)] ?? [] }

    /// Returns the items with references of a kind to an item, in the file's order.
    func items(_ type: FourCharacterCode, to item: Int) -> [Int] { sources[End(type: type, item: item)] ?? [] }

    mutating func read(_ content: inout ByteReader, _ job: Job) throws(FaceCropError) {
      let width = try content.version().version == 0 ? 2 : 4
      while var reference = try content.box() {
        let from = try reference.content.number(width)
        let length = try reference.content.number(2)
        count += 1 + length
        try HEIFItems.check(count, HEIFItems.Most.references)
        try job.step(1 + length)
        let type = reference.type
        if Self.forward.contains(type) {
          var to: [Int] = []
          for _ in 0..<length { to.append(try reference.content.number(width)) }
          if targets[End(type: type, item: from)] == nil { targets[End(type: type, item: from)] = to }
        } else if Self.backward.contains(type) {
          for _ in 0..<length {
            let end = End(type: type, item: try reference.content.number(width))
            // Repeated references count once.
            if sources[end]?.last != from { sources[end, default: []].append(from) }
          }
        }
      }
    }
  }

  /// The properties of items (the `iprp` box): the first one of each kind, and transformations in order.
  private struct HEIFProperties {
    private struct Key: Hashable {
      var item: Int
      var type: FourCharacterCode
      /// The kind of a `colr` box; nil for others.
      var kind: FourCharacterCode?
    }

    /// The properties that are looked up by kind. All others are ignored.
    private static let named: Set<FourCharacterCode> = ["ispe", "hvcC", "av1C", "a1op", "auxC", "colr"]
    private static let applied: Set<FourCharacterCode> = ["clap", "irot", "imir"]
    /// The upper bound of an item's transformations. Real files have one of each kind.
    private static let mostApplied = 32

    private var all: [Box] = []
    private var firsts: [Key: Int] = [:]
    private var orders: [Int: [Int]] = [:]

    func first(
      _ type: FourCharacterCode, kind: FourCharacterCode? = nil, of item: Int
    ) -> (number: Int, box: Box)? {
      firsts[Key(item: item, type: type, kind: kind)].map { ($0, all[$0]) }
    }

    func transformations(of item: Int) -> [Box] { (orders[item] ?? []).map { all[$0] } }

    mutating func read(_ content: inout ByteReader, _ job: Job) throws(FaceCropError) {
      let boxes = try content.boxes()
      try job.step(boxes.count)
      for var box in boxes where box.type == "ipco" {
        all = try box.content.boxes()
        try job.step(all.count)
      }
      let keys = all.map { box in Self.key(of: box) }
      var count = 0
      for var box in boxes where box.type == "ipma" {
        let (version, flags) = try box.content.version()
        for _ in 0..<(try box.content.number(4)) {
          let item = try box.content.number(version == 0 ? 2 : 4)
          let length = try box.content.number(1)
          count += length
          try HEIFItems.check(count, HEIFItems.Most.associations)
          try job.step(1 + length)
          for _ in 0..<length {
            // The first bit marks an essential property.
            let number = flags & 1 == 0 ? try box.content.number(1) & 0x7F : try box.content.number(2) & 0x7FFF
            // Numbers start at 1, and 0 means none.
            guard all.indices.contains(number - 1) else { continue }
            if var key = keys[number - 1] {
              key.item = item
              if firsts[key] == nil { firsts[key] = number - 1 }
            } else if Self.applied.contains(all[number - 1].type) {
              orders[item, default: []].append(number - 1)
              try HEIFItems.check(orders[item]!.count, Self.mostApplied)
            }
          }
        }
      }
    }

    /// Returns the key of a property, with no item yet; nil if it is not looked up by kind.
    private static func key(of box: Box) -> Key? {
      guard named.contains(box.type) else { return nil }
      var content = box.content
      let kind = box.type == "colr" ? (try? content.number(4)).map { FourCharacterCode(value: UInt32($0)) } : nil
      return Key(item: 0, type: box.type, kind: kind)
    }
  }
#endif
