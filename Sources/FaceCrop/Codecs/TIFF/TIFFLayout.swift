internal import CTIFFShim

/// The storage of a page's samples.
struct TIFFLayout {
  /// The bits of a sample: 1 to 16.
  let bits: Int
  /// The samples of a pixel, those without color included.
  let samples: Int
  let colors: FCTIFFColors
  let alpha: FCTIFFAlpha
  let isPlanar: Bool
  let compression: Int
  /// The size of a tile; nil for strips.
  let tile: PixelSize?
  var rowsPerStrip: Int

  var isGray: Bool { colors == .gray || colors == .whiteIsZero }
  var isJPEG: Bool { compression == TIFFCompression.jpeg }
  var isUncompressed: Bool { compression == TIFFCompression.none }
  /// Whether libtiff converts a whole strip or tile to RGB at once.
  var isConverted: Bool { colors == .yCbCr && !isJPEG }
  /// Whether the rows of its strips are independent.
  var isSplittable: Bool { isUncompressed && tile == nil && colors != .yCbCr }
  /// The number of separate planes.
  var planes: Int { isPlanar ? samples : 1 }
  /// The rows of a strip or tile.
  var rowsPerPart: Int { tile?.height ?? rowsPerStrip }

  /// The upper bound of samples per pixel.
  static let mostSamples = 8

  init(_ file: TIFFFile, _ entries: [Int: TIFFFile.Entry], _ size: PixelSize) throws(FaceCropError) {
    func number(_ tag: Int) -> Int? { file.number(entries[tag]) }
    compression = number(TIFFTag.compression) ?? TIFFCompression.none
    guard TIFFCompression.read.contains(compression) else {
      throw .unsupported(
        "the TIFF compression is \(TIFFCompression.name(compression)) (save the file with LZW or deflate)")
    }
    samples = number(TIFFTag.samplesPerPixel) ?? 1
    guard (1...Self.mostSamples).contains(samples) else {
      throw .unsupported("the TIFF has \(samples) samples per pixel, not 1 to \(Self.mostSamples)")
    }
    try Self.check(file, entries, samples: samples)
    bits = number(TIFFTag.bitsPerSample) ?? 1
    // Without the tag, fax pages are black on white, as libtiff reads them.
    let usual = samples >= 3 ? 2 : TIFFCompression.fax.contains(compression) ? 0 : 1
    colors = try Self.colors(number(TIFFTag.photometric) ?? usual, inkSet: number(TIFFTag.inkSet) ?? 1)
    let allowed =
      switch colors {
      case .palette: [1, 2, 4, 8]
      case .yCbCr: [8]
      default: Array(1...16)
      }
    guard compression == TIFFCompression.jpeg ? bits == 8 : allowed.contains(bits) else {
      throw .unsupported("the TIFF has \(bits) bits per sample")
    }
    // libtiff knows no differences of samples that are not in whole bytes.
    guard number(TIFFTag.predictor) != 2 || [8, 16].contains(bits) || !TIFFCompression.predicted.contains(compression)
    else { throw .unsupported("the TIFF has \(bits) bits per sample and a predictor (save the file without one)") }
    let own = colors == .inks ? 4 : colors == .RGB || colors == .yCbCr ? 3 : 1
    guard samples >= own else { throw .corrupt("the TIFF has \(samples) samples per pixel for \(own) colors") }
    // An undeclared fourth sample is alpha, as in other programs.
    let extra = number(TIFFTag.extraSamples) ?? (entries[TIFFTag.extraSamples] == nil && samples == 4 ? 2 : 0)
    alpha =
      samples == own || colors == .inks || colors == .yCbCr
      ? .none : extra == 1 ? .associated : extra == 2 ? .unassociated : .none
    isPlanar = samples > 1 && number(TIFFTag.planarConfiguration) == 2
    if colors == .yCbCr, isPlanar || samples != 3 {
      throw .unsupported("the TIFF has luma and chroma in separate planes")
    }
    if let width = number(TIFFTag.tileWidth), let height = number(TIFFTag.tileHeight) {
      guard (1...1 << 20).contains(width), (1...1 << 20).contains(height) else {
        throw .corrupt("the TIFF has tiles of \(width)×\(height)")
      }
      tile = PixelSize(width: width, height: height)
    } else {
      tile = nil
    }
    let rows = number(TIFFTag.rowsPerStrip) ?? size.height
    rowsPerStrip = rows == 0 ? size.height : min(rows, size.height)
  }

  /// Checks that samples are unsigned integers with equal bits.
  private static func check(
    _ file: TIFFFile, _ entries: [Int: TIFFFile.Entry], samples: Int
  ) throws(FaceCropError) {
    for index in 0..<samples {
      let (integer, untyped) = (1, 4)
      switch file.number(entries[TIFFTag.sampleFormat], at: index) ?? integer {
      case integer, untyped: break
      case 2: throw .unsupported("the TIFF has signed samples")
      case 3: throw .unsupported("the TIFF has floating-point samples")
      default: throw .unsupported("the TIFF has complex samples, or samples of an unknown kind")
      }
      let bits = file.number(entries[TIFFTag.bitsPerSample], at: index)
      if let bits, bits != file.number(entries[TIFFTag.bitsPerSample]) {
        throw .unsupported("the TIFF has samples of different bit depths")
      }
    }
  }

  private static func colors(
    _ photometric: Int, inkSet: Int
  ) throws(FaceCropError) -> FCTIFFColors {
    switch photometric {
    case 0: return .whiteIsZero
    case 1: return .gray
    case 2: return .RGB
    case 3: return .palette
    case 5:
      guard inkSet == 1 else { throw .unsupported("the TIFF has other inks than CMYK") }
      return .inks
    case 6: return .yCbCr
    case 8, 9, 10: throw .unsupported("the TIFF colors are L*a*b* (save the file in RGB)")
    case 32_844, 32_845: throw .unsupported("the TIFF colors are LogLuv (save the file in RGB)")
    case let other: throw .unsupported("the TIFF color space \(other) is unknown")
    }
  }

  /// Returns the bytes of rows in one plane.
  func bytes(columns: Int, rows: Int) -> Int {
    let bits = columns.multipliedClamped(by: (isPlanar ? 1 : samples) * self.bits)
    return (bits / 8 + (bits % 8 == 0 ? 0 : 1)).multipliedClamped(by: rows)
  }

  /// Returns the bytes of one decoded strip or tile in one plane.
  func partBytes(_ size: PixelSize) -> Int {
    tile.map { bytes(columns: $0.width, rows: $0.height) } ?? bytes(columns: size.width, rows: rowsPerStrip)
  }
}
