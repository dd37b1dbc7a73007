#if HEIF
  /// The units of a coded HEVC image, which a test can repeat, replace and put back.
  public struct HEVCUnits: Sendable {
    /// The configuration's units.
    public var parameters: [[UInt8]]
    /// The image's units.
    public var units: [[UInt8]]
    private let start: [UInt8]

    /// The kind of a unit (ITU-T H.265, table 7-1).
    public enum Kind: UInt8, Sendable, CaseIterable {
      case trailing = 1
      case idr = 19
      case cra = 21
      case reserved = 23
      case video = 32
      case sequence, picture, delimiter, endOfSequence, endOfStream, filler, information
      case unspecified = 48
    }

    public init(_ item: CodedItem) {
      let content = Array(item.configuration.dropFirst(8))
      start = Array(content[..<22])
      (parameters, units) = ([], [])
      var place = 23
      for _ in 0..<content[22] {
        let count = Self.number(content, place + 1, 2)
        place += 3
        for _ in 0..<count {
          let length = Self.number(content, place, 2)
          parameters.append(Array(content[place + 2..<place + 2 + length]))
          place += 2 + length
        }
      }
      place = 0
      while place < item.data.count {
        let length = Self.number(item.data, place, 4)
        units.append(Array(item.data[place + 4..<place + 4 + length]))
        place += 4 + length
      }
    }

    /// Puts the units back, with all parameters in one array.
    public func put(into item: inout CodedItem) {
      let all = parameters.flatMap { UInt16($0.count).bigEndianBytes + $0 }
      item.configuration = HEIFBuilder.box(
        "hvcC", start + [1, 0x80 | Kind.picture.rawValue] + UInt16(parameters.count).bigEndianBytes + all)
      item.data = Self.data(units)
    }

    /// Returns units in the form of an item's data.
    public static func data(_ units: [[UInt8]]) -> [UInt8] {
      units.flatMap { UInt32($0.count).bigEndianBytes + $0 }
    }

    public func parameters(_ kind: Kind) -> [UInt8] { parameters.first { $0[0] >> 1 == kind.rawValue }! }

    /// Returns a unit of a kind.
    public static func unit(_ kind: Kind, _ content: (inout BitString) -> Void) -> [UInt8] {
      var bits = BitString()
      content(&bits)
      return [kind.rawValue << 1, 1] + bits.bytes(filledBy: false)
    }

    /// Returns minimal picture parameters with a number.
    public static func pictureParameters(_ number: Int) -> [UInt8] {
      unit(.picture) { bits in
        bits.putExponential(number)
        bits.putExponential(0)
        bits.put(1, 8)
      }
    }

    /// Returns an empty slice.
    ///
    /// - Parameters:
    ///   - address: The address of its first block, in `addressBits` bits.
    ///   - type: 2 is intra.
    public static func slice(_ kind: Kind = .idr, address: Int, _ addressBits: Int, type: Int = 2) -> [UInt8] {
      unit(kind) { bits in
        bits.put(address == 0 ? 1 : 0, 1)
        bits.put(0, 1)
        bits.putExponential(0)
        if address > 0 { bits.put(address, addressBits) }
        bits.putExponential(type)
        bits.put(0xFFFF, 16)
      }
    }

    private static func number(_ bytes: [UInt8], _ place: Int, _ width: Int) -> Int {
      bytes[place..<place + width].reduce(0) { $0 << 8 | Int($1) }
    }
  }
#endif
