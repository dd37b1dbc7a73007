#if HEIF
  /// What an HEVC decoder is told before a picture: the `hvcC` box (ISO/IEC 14496-15, 8.3.3) and the sequence parameter sets
  /// in it (ITU-T H.265, 7.3.2.2).
  ///
  /// libde265 takes memory by a parameter set's size, whatever the file says of the item's.
  struct HEVCConfiguration {
    struct Sequence {
      var size: PixelSize
      var chroma: Int
      var depth: Int
    }

    /// What the first parameter set says.
    let sequence: Sequence
    private let largest: PixelSize
    private let lengthWidth: Int
    /// The units in the configuration, each behind its length.
    private let parameters: [UInt8]

    /// Bytes of a configuration, and parameter sets in it (7.4.3.2.1): every tile has one to be read.
    private static let mostBytes = 16_384
    private static let mostSequences = 16

    /// - Parameter largest: what a parameter set may ask for.
    init(_ box: ByteReader, largest: PixelSize) throws(FaceCropError) {
      var box = box
      guard box.remaining <= Self.mostBytes else { throw .corrupt("the HEVC configuration is too long") }
      self.largest = largest
      _ = try box.part(21)
      lengthWidth = try box.number(1) & 3 + 1
      var sequence: Sequence?
      var parameters: [UInt8] = []
      var count = 0
      for _ in 0..<(try box.number(1)) {
        let type = try box.number(1) & 0x3F
        for _ in 0..<(try box.number(2)) {
          let unit = try box.part(try box.number(2))
          parameters += Self.length(unit.remaining) + unit.rest
          guard type == UnitType.sequenceParameters else { continue }
          count += 1
          guard count <= Self.mostSequences else { throw .corrupt("the HEVC configuration has too many sequences") }
          let found = try Self.sequence(unit.rest, largest: largest)
          sequence = sequence ?? found
        }
      }
      guard let sequence else { throw .corrupt("the HEVC configuration does not describe the image") }
      self.sequence = sequence
      self.parameters = parameters
    }

    /// As libde265's shim takes it.
    private static func length(_ count: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }

    private enum UnitType {
      static let pictures = 0...31
      static let sequenceParameters = 33
    }

    /// The configuration's units and those of the base layer's first picture, each behind its length of four bytes: an item is
    /// one picture, and libde265 would decode all there are.
    ///
    /// Ends where the data end, so that what a truncated file has of the picture is left.
    func units(ofFirstPicture data: [UInt8]) throws(FaceCropError) -> [UInt8] {
      var units = parameters
      units.reserveCapacity(parameters.count + data.count)
      var reader = ByteReader(data)
      var hasBegun = false
      while reader.remaining > lengthWidth {
        let unit = try reader.part(try reader.number(lengthWidth)).rest
        guard unit.count > 2 else { continue }
        let type = Int(unit[0] >> 1 & 0x3F)
        let layer = (unit[0] & 1) << 5 | unit[1] >> 3
        guard layer == 0 else { continue }
        if type == UnitType.sequenceParameters { _ = try Self.sequence(unit, largest: largest) }
        if UnitType.pictures.contains(type), unit[2] & 0x80 != 0 {
          // The first slice of a picture.
          if hasBegun { break }
          hasBegun = true
        }
        units += Self.length(unit.count) + unit
      }
      return units
    }

    /// Reads a sequence parameter set's unit to the depths.
    private static func sequence(_ unit: [UInt8], largest: PixelSize) throws(FaceCropError) -> Sequence {
      var bits = BitReader(unit)
      // The unit's header, and the number of the video's parameter set.
      try bits.skip(16 + 4)
      let subLayers = try bits.number(3)
      try bits.skip(1 + 88 + 8)
      var flags: [(profile: Int, level: Int)] = []
      for _ in 0..<subLayers { flags.append((try bits.number(1), try bits.number(1))) }
      if subLayers > 0 { try bits.skip(2 * (8 - subLayers)) }
      for flag in flags { try bits.skip(88 * flag.profile + 8 * flag.level) }
      _ = try bits.exponential()
      let chroma = try bits.exponential()
      if chroma == 3, try bits.number(1) == 1 { throw .unsupported("the HEVC color planes are coded separately") }
      let size = PixelSize(width: try bits.exponential(), height: try bits.exponential())
      if try bits.number(1) == 1 {
        for _ in 0..<4 { _ = try bits.exponential() }
      }
      let depth = try bits.exponential() + 8
      let chromaDepth = try bits.exponential() + 8
      guard chroma <= 3, (8...12).contains(depth), chroma == 0 || chromaDepth == depth else {
        throw .unsupported("the HEVC sample format is unknown")
      }
      guard size.width > 0, size.height > 0, size.width <= largest.width, size.height <= largest.height else {
        throw .corrupt("a coded image is \(size.width)×\(size.height), much larger than declared")
      }
      return Sequence(size: size, chroma: chroma, depth: depth)
    }
  }

  /// The configurations of a file's items, each read once, however many items it is said of.
  struct HEVCConfigurations {
    private struct Key: Hashable {
      var number: Int
      var largest: PixelSize
    }

    private var read: [Key: HEVCConfiguration] = [:]

    /// - Parameter number: the property's, in the file.
    mutating func configuration(
      _ box: ByteReader, number: Int, largest: PixelSize
    ) throws(FaceCropError) -> HEVCConfiguration {
      let key = Key(number: number, largest: largest)
      if let known = read[key] { return known }
      let configuration = try HEVCConfiguration(box, largest: largest)
      read[key] = configuration
      return configuration
    }
  }

  /// Reads a unit's bits, without the bytes that keep start codes out of it (ITU-T H.265, 7.3.1.1).
  private struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ unit: [UInt8]) {
      // A sequence's sizes stand in its first bytes.
      var bytes: [UInt8] = []
      var zeros = 0
      for byte in unit.prefix(1_024) {
        if zeros >= 2 && byte == 3 {
          zeros = 0
          continue
        }
        zeros = byte == 0 ? zeros + 1 : 0
        bytes.append(byte)
      }
      self.bytes = bytes
    }

    mutating func skip(_ count: Int) throws(FaceCropError) {
      guard count <= bytes.count * 8 - position else { throw .corrupt("the HEVC configuration ends too early") }
      position += count
    }

    /// Reads a number of so many bits, at most 32.
    mutating func number(_ count: Int) throws(FaceCropError) -> Int {
      let start = position
      try skip(count)
      return (start..<position).reduce(0) { $0 << 1 | Int(bytes[$1 / 8] >> (7 - UInt8($1 % 8)) & 1) }
    }

    /// An Exp-Golomb code (9.2).
    mutating func exponential() throws(FaceCropError) -> Int {
      var zeros = 0
      while try number(1) == 0 { zeros += 1 }
      guard zeros < 32 else { throw .corrupt("a number in the HEVC configuration is too large") }
      return 1 << zeros - 1 + (try number(zeros))
    }
  }
#endif
