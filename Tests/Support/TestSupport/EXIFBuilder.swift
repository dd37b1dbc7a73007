/// Builds the EXIF data of an APP1 segment: "Exif\0\0" and a TIFF structure.
public enum EXIFBuilder {
  public enum ByteOrder: Sendable, CaseIterable {
    case little, big
  }

  /// The type that the orientation is written with: the standard's SHORT, or the LONG that some programs write.
  public enum OrientationType: Sendable, CaseIterable {
    case short, long
  }

  /// The payload of an APP1 segment. What is `nil` or false is left out; `gps` writes a fixed place, `thumbnail` goes
  /// into the first IFD's successor.
  public static func payload(
    byteOrder: ByteOrder = .little, orientation: UInt16? = 1, orientationType: OrientationType = .short,
    artist: String? = nil, copyright: String? = nil, dateTimeOriginal: String? = nil,
    pixelSize: (width: Int, height: Int)? = nil, gps: Bool = false, thumbnail: [UInt8]? = nil
  ) -> [UInt8] {
    let order = byteOrder
    var main: [Entry] = []
    if let orientation {
      let value = UInt32(orientation)
      main.append(orientationType == .short ? .short(0x0112, orientation, order) : .long(0x0112, value, order))
    }
    if let artist { main.append(.ascii(0x013B, artist)) }
    if let copyright { main.append(.ascii(0x8298, copyright)) }

    var details: [Entry] = []
    if let dateTimeOriginal { details.append(.ascii(0x9003, dateTimeOriginal)) }
    if let pixelSize {
      details.append(.long(0xA002, UInt32(pixelSize.width), order))
      details.append(.long(0xA003, UInt32(pixelSize.height), order))
    }
    if !details.isEmpty { details.insert(Entry(tag: 0x9000, type: 7, count: 4, value: Array("0230".utf8)), at: 0) }

    // 59° 55′ 12″ N, 10° 45′ 36″ E.
    let place: [Entry] = [
      Entry(tag: 0, type: 1, count: 4, value: [2, 3, 0, 0]),
      .ascii(1, "N"), .rationals(2, [59, 55, 12], order),
      .ascii(3, "E"), .rationals(4, [10, 45, 36], order),
    ]

    // A directory's place depends on the sizes of those before it, which do not depend on the offsets they hold.
    if !details.isEmpty { main.append(.long(0x8769, 0, order)) }
    if gps { main.append(.long(0x8825, 0, order)) }
    let detailsOffset = 8 + directorySize(main)
    let gpsOffset = detailsOffset + (details.isEmpty ? 0 : directorySize(details))
    let thumbnailOffset = gpsOffset + (gps ? directorySize(place) : 0)
    for index in main.indices {
      if main[index].tag == 0x8769 { main[index] = .long(0x8769, UInt32(detailsOffset), order) }
      if main[index].tag == 0x8825 { main[index] = .long(0x8825, UInt32(gpsOffset), order) }
    }

    var tiff: [UInt8] = Array((order == .little ? "II" : "MM").utf8)
    tiff += order.bytes(UInt16(42)) + order.bytes(UInt32(8))
    tiff += directory(main, at: 8, next: thumbnail == nil ? 0 : thumbnailOffset, order)
    if !details.isEmpty { tiff += directory(details, at: detailsOffset, next: 0, order) }
    if gps { tiff += directory(place, at: gpsOffset, next: 0, order) }
    if let thumbnail {
      var entries: [Entry] = [
        .short(0x0103, 6, order), .long(0x0201, 0, order), .long(0x0202, UInt32(thumbnail.count), order),
      ]
      entries[1] = .long(0x0201, UInt32(thumbnailOffset + directorySize(entries)), order)
      tiff += directory(entries, at: thumbnailOffset, next: 0, order) + thumbnail
    }
    return Array("Exif\0\0".utf8) + tiff
  }

  // MARK: TIFF

  private struct Entry {
    var tag: UInt16
    var type: UInt16
    var count: UInt32
    var value: [UInt8]

    static func short(_ tag: UInt16, _ value: UInt16, _ order: ByteOrder) -> Entry {
      Entry(tag: tag, type: 3, count: 1, value: order.bytes(value))
    }

    static func long(_ tag: UInt16, _ value: UInt32, _ order: ByteOrder) -> Entry {
      Entry(tag: tag, type: 4, count: 1, value: order.bytes(value))
    }

    static func ascii(_ tag: UInt16, _ text: String) -> Entry {
      let value = Array(text.utf8) + [0]
      return Entry(tag: tag, type: 2, count: UInt32(value.count), value: value)
    }

    static func rationals(_ tag: UInt16, _ values: [UInt32], _ order: ByteOrder) -> Entry {
      let value = values.flatMap { order.bytes($0) + order.bytes(UInt32(1)) }
      return Entry(tag: tag, type: 5, count: UInt32(values.count), value: value)
    }

    /// What lies behind the directory: values of more than four bytes, from an even offset each.
    var outside: [UInt8] {
      value.count <= 4 ? [] : value.count.isMultiple(of: 2) ? value : value + [0]
    }
  }

  private static func directorySize(_ entries: [Entry]) -> Int {
    2 + 12 * entries.count + 4 + entries.reduce(0) { $0 + $1.outside.count }
  }

  private static func directory(_ entries: [Entry], at offset: Int, next: Int, _ order: ByteOrder) -> [UInt8] {
    var head = order.bytes(UInt16(entries.count))
    var outside: [UInt8] = []
    let outsideOffset = offset + 2 + 12 * entries.count + 4
    for entry in entries {
      head += order.bytes(entry.tag) + order.bytes(entry.type) + order.bytes(entry.count)
      if entry.value.count <= 4 {
        head += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        head += order.bytes(UInt32(outsideOffset + outside.count))
        outside += entry.outside
      }
    }
    return head + order.bytes(UInt32(next)) + outside
  }
}

extension EXIFBuilder.ByteOrder {
  fileprivate func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    self == .little ? value.littleEndianBytes : value.bigEndianBytes
  }
}
