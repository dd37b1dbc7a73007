/// The codes of the tags for decoding and encoding (TIFF 6.0, section 8; additions by Adobe and others).
enum TIFFTag {
  static let subfileType = 254
  static let (width, height, bitsPerSample, compression) = (256, 257, 258, 259)
  static let (photometric, fillOrder) = (262, 266)
  static let (make, model) = (271, 272)
  static let (stripOffsets, samplesPerPixel, rowsPerStrip, stripByteCounts) = (273, 277, 278, 279)
  static let (planarConfiguration, faxOptions3, faxOptions4) = (284, 292, 293)
  static let (predictor, colorMap) = (317, 320)
  static let (tileWidth, tileHeight, tileOffsets, tileByteCounts) = (322, 323, 324, 325)
  static let (subdirectories, inkSet, extraSamples, sampleFormat) = (330, 332, 338, 339)
  static let jpegTables = 347
  static let (jpegOffset, jpegLength) = (513, 514)
  static let (lumaCoefficients, subsampling, chromaPosition, referenceBlackWhite) = (529, 530, 531, 532)
  static let profile = 34_675
  static let (xmp, iptc) = (700, 33_723)
  static let dngVersion = 50_706
}

/// The codes of TIFF compression.
enum TIFFCompression {
  /// The supported codes.
  static let read: Set = [
    none, 2, 3, 4, 5, jpeg, deflate, 32_766, 32_771, 32_773, 32_809, 32_946, zstandard, webP,
  ]
  /// The compressions of fax pages: ITU-T T.4 and T.6.
  static let fax: Set = [2, 3, 4, 32_771]
  /// Compressions that can store differences: LZW, Deflate, Zstandard.
  static let predicted: Set = [5, deflate, 32_946, zstandard]
  static let (none, jpeg, deflate, zstandard, webP) = (1, 7, 8, 50_000, 50_001)

  /// Returns the name of an unsupported compression.
  static func name(_ code: Int) -> String {
    switch code {
    case 6: "old-style JPEG, withdrawn by TIFF Technical Note 2"
    case 34_661: "JBIG"
    case 34_712, 33_003, 33_005: "JPEG 2000"
    case 34_887: "LERC"
    case 34_925: "LZMA"
    case 50_002, 52_546: "JPEG XL"
    default: "private compression \(code)"
    }
  }
}
