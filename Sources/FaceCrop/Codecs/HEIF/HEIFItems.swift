#if HEIF
  /// A HEIF file's table of contents, its `meta` box (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12): which items there are, where
  /// their data lie, and what is said of them.
  ///
  /// Only what pictures need is read. What refers to items that do not exist is without effect.
  struct HEIFItems {
    struct Location {
      /// Offsets count in the `idat` box instead of the file.
      var isInside: Bool
      /// Of no length: to the end.
      var extents: [(offset: Int, length: Int)]
    }

    private(set) var primary: Int?
    private(set) var types: [Int: FourCharacterCode] = [:]
    private(set) var locations: [Int: Location] = [:]
    /// The content of the `idat` box.
    private(set) var inside: [UInt8] = []
    private var references: [(type: FourCharacterCode, from: Int, to: [Int])] = []
    private var allProperties: [Box] = []
    private var associations: [Int: [Int]] = [:]

    /// Each far above what files have; together with the size of the `meta` box they bound time and memory.
    private enum Most {
      static let topLevelBoxes = 10_000
      static let items = 20_000
      static let references = 100_000
      static let associations = 100_000
      static let extents = 100_000
    }

    /// - Parameter bytes: begin with a `ftyp` box.
    init(reading bytes: Span<UInt8>, limits: Limits) throws(FaceCropError) {
      var meta = ByteReader(try Self.meta(of: bytes, limits: limits))
      _ = try meta.version()
      for var box in try meta.boxes() {
        switch box.type {
        case "pitm":
          let version = try box.content.version().version
          primary = try box.content.number(version == 0 ? 2 : 4)
        case "iinf": try readInformation(&box.content)
        case "iloc": try readLocations(&box.content)
        case "iref": try readReferences(&box.content)
        case "iprp": try readProperties(&box.content)
        case "idat": inside = box.content.rest
        default: break
        }
      }
    }

    /// What is said of an item, in the order in which it is to be applied.
    func properties(of item: Int) -> [Box] {
      (associations[item] ?? []).compactMap { number in
        // They count from 1; 0 is none.
        allProperties.indices.contains(number - 1) ? allProperties[number - 1] : nil
      }
    }

    func property(_ type: FourCharacterCode, of item: Int) -> ByteReader? {
      properties(of: item).first { $0.type == type }?.content
    }

    func items(_ type: FourCharacterCode, from item: Int) -> [Int] {
      references.first { $0.type == type && $0.from == item }?.to ?? []
    }

    func items(_ type: FourCharacterCode, to item: Int) -> [Int] {
      references.filter { $0.type == type && $0.to.contains(item) }.map(\.from)
    }

    // MARK: Boxes

    private static func meta(of bytes: Span<UInt8>, limits: Limits) throws(FaceCropError) -> [UInt8] {
      var offset = 0
      var isSequence = false
      for _ in 0..<Most.topLevelBoxes {
        guard let short = bytes.uint32(at: offset), let code = bytes.uint32(at: offset + 4) else { break }
        let type = FourCharacterCode(value: UInt32(code))
        var (size, header) = (short, 8)
        if short == 1 {
          guard let high = bytes.uint32(at: offset + 8), let low = bytes.uint32(at: offset + 12), high < 1 << 30 else {
            break
          }
          (size, header) = (high << 32 | low, 16)
        }
        if short == 0 { size = bytes.count - offset }
        guard size >= header else { throw .corrupt("a box is shorter than its header") }
        if type == "meta" {
          guard size <= bytes.count - offset else { throw .corrupt("the file ends within its table of contents") }
          try limits.check(.metadataBytes, size)
          return bytes.copy(offset + header..<offset + size)
        }
        if type == "moov" { isSequence = true }
        guard size <= bytes.count - offset else { break }
        offset += size
      }
      if isSequence { throw .unsupported("it is a sequence of pictures, and none of them stands alone") }
      throw .corrupt("it has no table of contents (a meta box)")
    }

    private mutating func readInformation(_ content: inout ByteReader) throws(FaceCropError) {
      let version = try content.version().version
      _ = try content.number(version == 0 ? 2 : 4)
      while var entry = try content.box() {
        guard entry.type == "infe" else { continue }
        let version = try entry.content.version().version
        // Older versions know no types.
        guard version >= 2 else { continue }
        let item = try entry.content.number(version == 2 ? 2 : 4)
        let protection = try entry.content.number(2)
        let type = FourCharacterCode(value: UInt32(try entry.content.number(4)))
        types[item] = protection == 0 ? type : "cenc"
        try Self.check(types.count, Most.items)
      }
    }

    private mutating func readLocations(_ content: inout ByteReader) throws(FaceCropError) {
      let version = try content.version().version
      guard version <= 2 else { throw .unsupported("it places its items in a way of version \(version)") }
      let widths = try content.number(2)
      let (offsetWidth, lengthWidth, baseWidth) = (widths >> 12, widths >> 8 & 15, widths >> 4 & 15)
      let indexWidth = version == 0 ? 0 : widths & 15
      guard max(offsetWidth, lengthWidth, baseWidth, indexWidth) <= 8 else {
        throw .corrupt("a box has numbers of more than 8 bytes")
      }
      let count = try content.number(version == 2 ? 4 : 2)
      try Self.check(count, Most.items)
      var extentCount = 0
      for _ in 0..<count {
        let item = try content.number(version == 2 ? 4 : 2)
        let method = version == 0 ? 0 : try content.number(2) & 15
        let file = try content.number(2)
        let base = try content.number(baseWidth)
        var location = Location(isInside: method == 1, extents: [])
        let extents = try content.number(2)
        extentCount += extents
        try Self.check(extentCount, Most.extents)
        for _ in 0..<extents {
          _ = try content.number(indexWidth)
          let (offset, overflows) = base.addingReportingOverflow(try content.number(offsetWidth))
          let length = try content.number(lengthWidth)
          guard !overflows else { throw .corrupt("an item lies outside of the file") }
          location.extents.append((offset, length))
        }
        // In other files, and in other items, nothing is looked for.
        if method <= 1, file == 0 { locations[item] = location }
      }
    }

    private mutating func readReferences(_ content: inout ByteReader) throws(FaceCropError) {
      let width = try content.version().version == 0 ? 2 : 4
      var count = 0
      while var reference = try content.box() {
        let from = try reference.content.number(width)
        var to: [Int] = []
        for _ in 0..<(try reference.content.number(2)) { to.append(try reference.content.number(width)) }
        references.append((reference.type, from, to))
        count += 1 + to.count
        try Self.check(count, Most.references)
      }
    }

    private mutating func readProperties(_ content: inout ByteReader) throws(FaceCropError) {
      var count = 0
      for var box in try content.boxes() {
        if box.type == "ipco" { allProperties = try box.content.boxes() }
        guard box.type == "ipma" else { continue }
        let (version, flags) = try box.content.version()
        for _ in 0..<(try box.content.number(4)) {
          let item = try box.content.number(version == 0 ? 2 : 4)
          for _ in 0..<(try box.content.number(1)) {
            // The first bit says that it has to be understood.
            let number = flags & 1 == 0 ? try box.content.number(1) & 0x7F : try box.content.number(2) & 0x7FFF
            associations[item, default: []].append(number)
            count += 1
            try Self.check(count, Most.associations)
          }
        }
      }
    }

    private static func check(_ count: Int, _ most: Int) throws(FaceCropError) {
      if count > most { throw .unsupported("its table of contents has more than \(most) entries of a kind") }
    }
  }
#endif
