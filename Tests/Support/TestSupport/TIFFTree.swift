/// A directory of a TIFF structure with its children (TIFF 6.0, section 2). Nothing is checked.
public struct TIFFTree: Sendable {
  public enum Content: Sendable {
    /// Bytes in the entry itself if there are at most four, else after the directory at an even offset.
    case bytes([UInt8])
    /// Bytes after the directory, whatever their number; the entry has the offset.
    case offset(of: [UInt8])
    indirect case directory(TIFFTree)
    /// The offsets of directories.
    indirect case directories([TIFFTree])
  }

  public struct Entry: Sendable {
    var tag: UInt16
    var type: UInt16
    var count: UInt32
    var content: Content

    public init(_ tag: UInt16, type: UInt16, count: Int, _ content: Content) {
      self.tag = tag
      self.type = type
      self.count = UInt32(count)
      self.content = content
    }

    public static func short(_ tag: UInt16, _ value: Int, _ order: EXIFBuilder.ByteOrder) -> Entry {
      Entry(tag, type: 3, count: 1, .bytes(order.bytes(UInt16(value))))
    }

    public static func long(_ tag: UInt16, _ value: Int, _ order: EXIFBuilder.ByteOrder) -> Entry {
      Entry(tag, type: 4, count: 1, .bytes(order.bytes(UInt32(value))))
    }

    public static func ascii(_ tag: UInt16, _ text: String) -> Entry {
      let value = Array(text.utf8) + [0]
      return Entry(tag, type: 2, count: value.count, .bytes(value))
    }

    public static func undefined(_ tag: UInt16, _ value: [UInt8]) -> Entry {
      Entry(tag, type: 7, count: value.count, .bytes(value))
    }

    /// Returns whole numbers.
    public static func rationals(_ tag: UInt16, _ values: [Int], _ order: EXIFBuilder.ByteOrder) -> Entry {
      Entry(
        tag, type: 5, count: values.count,
        .bytes(values.flatMap { order.bytes(UInt32($0)) + order.bytes(UInt32(1)) }))
    }

    public static func directory(_ tag: UInt16, _ tree: TIFFTree) -> Entry {
      Entry(tag, type: 4, count: 1, .directory(tree))
    }

    public static func directories(_ tag: UInt16, _ trees: [TIFFTree]) -> Entry {
      Entry(tag, type: 4, count: trees.count, .directories(trees))
    }
  }

  public var entries: [Entry]
  /// The directory after this one.
  public var next: Content?

  public init(_ entries: [Entry], next: TIFFTree? = nil) {
    self.entries = entries
    self.next = next.map { .directory($0) }
  }

  /// Returns the whole structure, with its header.
  public func tiff(_ order: EXIFBuilder.ByteOrder) -> [UInt8] {
    let header = Array((order == .little ? "II" : "MM").utf8) + order.bytes(UInt16(42)) + order.bytes(UInt32(8))
    return header + encoded(at: header.count, order)
  }

  /// Encodes the directory for the offset `start` of the TIFF structure.
  public func encoded(at start: Int, _ order: EXIFBuilder.ByteOrder) -> [UInt8] {
    var head = order.bytes(UInt16(entries.count))
    var behind: [UInt8] = []
    let end = start + 2 + 12 * entries.count + 4
    func put(_ content: Content) -> [UInt8] {
      let offset = end + behind.count
      switch content {
      case .bytes(let bytes) where bytes.count <= 4: return bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
      case .bytes(let bytes), .offset(let bytes): behind += bytes
      case .directory(let tree): behind += tree.encoded(at: offset, order)
      case .directories(let trees) where trees.count == 1: behind += trees[0].encoded(at: offset, order)
      case .directories(let trees):
        var inner: [UInt8] = []
        var offsets: [UInt8] = []
        for tree in trees {
          offsets += order.bytes(UInt32(offset + 4 * trees.count + inner.count))
          inner += tree.encoded(at: offset + 4 * trees.count + inner.count, order)
        }
        behind += offsets + inner
      }
      if !behind.count.isMultiple(of: 2) { behind.append(0) }
      return order.bytes(UInt32(offset))
    }
    for entry in entries {
      head += order.bytes(entry.tag) + order.bytes(entry.type) + order.bytes(entry.count) + put(entry.content)
    }
    return head + (next.map(put) ?? [0, 0, 0, 0]) + behind
  }
}

extension EXIFBuilder.ByteOrder {
  public func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    self == .little ? value.littleEndianBytes : value.bigEndianBytes
  }
}
