#if HEIF
  /// Reads the bits of a coded image's parameters.
  struct ParameterBits {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
    }

    /// An HEVC unit's, without the bytes that keep start codes out of it (ITU-T H.265, 7.3.1.1).
    init(hevc unit: [UInt8]) {
      // All parameters are in the first bytes.
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
      guard count <= bytes.count * 8 - position else { throw .corrupt("a coded image's parameters end too early") }
      position += count
    }

    /// Reads a number of `count` bits, at most 32.
    mutating func number(_ count: Int) throws(FaceCropError) -> Int {
      let start = position
      try skip(count)
      return (start..<position).reduce(0) { $0 << 1 | Int(bytes[$1 / 8] >> (7 - UInt8($1 % 8)) & 1) }
    }

    mutating func flag() throws(FaceCropError) -> Bool { try number(1) == 1 }

    /// An Exp-Golomb code (ITU-T H.265, 9.2), which AV1 has too (AV1 specification, 4.10.3).
    mutating func exponential() throws(FaceCropError) -> Int {
      var zeros = 0
      while try number(1) == 0 { zeros += 1 }
      guard zeros < 32 else { throw .corrupt("a number in a coded image's parameters is too large") }
      return 1 << zeros - 1 + (try number(zeros))
    }

    mutating func skipExponentials(_ count: Int) throws(FaceCropError) {
      for _ in 0..<count { _ = try exponential() }
    }

    /// Scaling list data (ITU-T H.265, 7.3.4).
    mutating func skipScalingLists() throws(FaceCropError) {
      for size in 0..<4 {
        for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
          if try number(1) == 0 {
            try skipExponentials(1)
          } else {
            try skipExponentials((size > 1 ? 1 : 0) + min(64, 1 << (4 + 2 * size)))
          }
        }
      }
    }
  }
#endif
