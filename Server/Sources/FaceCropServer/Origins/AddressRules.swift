/// Rules for addresses outside of private networks (IANA's special-purpose registries for IPv4 and IPv6, as of 2024).
enum AddressRules {
  /// Returns whether an address of 4 bytes (IPv4) or 16 bytes (IPv6) is public.
  static func isPublic(_ bytes: [UInt8]) -> Bool {
    switch bytes.count {
    case 4: !privateIPv4.contains { has(bytes, $0.prefix, $0.bits) }
    case 16: isPublicIPv6(bytes)
    default: false
    }
  }

  private static func isPublicIPv6(_ bytes: [UInt8]) -> Bool {
    // Addresses that stand for an IPv4 address: mapped (RFC 4291), translated (RFC 6052), 6to4 (RFC 3056).
    if bytes.prefix(10).allSatisfy({ $0 == 0 }) && bytes[10] == 0xFF && bytes[11] == 0xFF {
      return isPublic(Array(bytes[12...]))
    }
    if has(bytes, [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96) { return isPublic(Array(bytes[12...])) }
    if has(bytes, [0x20, 0x02], 16) { return isPublic(Array(bytes[2..<6])) }
    // Only global unicast addresses, without those for documentation, benchmarks and Teredo.
    return has(bytes, [0x20], 3) && !has(bytes, [0x20, 0x01, 0x0D, 0xB8], 32) && !has(bytes, [0x20, 0x01, 0x00], 23)
      && !has(bytes, [0x3F, 0xFF, 0x00], 20)
  }

  private static let privateIPv4: [(prefix: [UInt8], bits: Int)] = [
    ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
    ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
    ([203, 0, 113], 24), ([224], 4), ([240], 4),
  ]

  /// Returns whether the address begins with the prefix.
  private static func has(_ bytes: [UInt8], _ prefix: [UInt8], _ bits: Int) -> Bool {
    (0..<bits).allSatisfy { bit in
      let mask = UInt8(0x80) >> UInt8(bit % 8)
      return bytes[bit / 8] & mask == (bit / 8 < prefix.count ? prefix[bit / 8] : 0) & mask
    }
  }
}
