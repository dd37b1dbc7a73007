#if HEIF
  internal import CHEIFShim
#endif

extension FormatDescriptor {
  static let heic = heif(.heic, name: "HEIC", mediaType: "image/heic")
  static let avif = heif(.avif, name: "AVIF", mediaType: "image/avif")

  private static func heif(_ format: ImageFormat, name: String, mediaType: String) -> FormatDescriptor {
    #if HEIF
      let isRead = true
      let encoder =
        format == .avif
        ? Encoder(features: [.quality, .transparency, .subsampling, .speed], largestSide: Int(FCHEIFLargestSide)) : nil
    #else
      let (isRead, encoder) = (false, Encoder?.none)
    #endif
    return FormatDescriptor(
      format: format, name: name, fileExtensions: [format.rawValue], mediaType: mediaType, isRead: isRead,
      encoder: encoder, begins: { HEIFBrands.format(of: $0) == format },
      open: { (bytes, allowsDamage, job) throws(FaceCropError) in
        #if HEIF
          try HEIFSession(bytes, format: format, allowsDamage: allowsDamage, job: job)
        #else
          throw .unsupported("this build does not read \(name) (build it with the trait HEIF)")
        #endif
      })
  }
}

/// The distinction of HEIC and AVIF.
private enum HEIFBrands {
  /// Returns the format by the brands of an ISO base media file (ISO/IEC 14496-12, 4.3). The major brand comes first,
  /// then the compatible ones in the first bytes.
  static func format(of bytes: Span<UInt8>) -> ImageFormat? {
    guard bytes.contains("ftyp", at: 4), let major = brand(bytes, at: 8), major != "crx " else { return nil }
    let end = min(bytes.uint32(at: 0) ?? 0, ImageKind.bytesNeeded)
    let brands = [major] + stride(from: 16, through: end - 4, by: 4).compactMap { brand(bytes, at: $0) }
    // Structural brands do not name a codec, so the codec brands take precedence.
    for brand in brands {
      if let format = format(ofBrand: brand) { return format }
    }
    return brands.contains(where: structures.contains) ? .heic : nil
  }

  private static func brand(_ bytes: Span<UInt8>, at offset: Int) -> FourCharacterCode? {
    bytes.uint32(at: offset).map { FourCharacterCode(value: UInt32($0)) }
  }

  private static let structures: Set<FourCharacterCode> = ["mif1", "mif2", "msf1"]

  private static func format(ofBrand brand: FourCharacterCode) -> ImageFormat? {
    switch brand {
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": .heic
    case "avif", "avis": .avif
    default: nil
    }
  }
}
