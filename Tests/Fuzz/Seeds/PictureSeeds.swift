import TestSupport

/// Small images of all kinds.
enum PictureSeeds {
  static func jpeg() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for (index, kind) in JPEGRecipe.allKinds.enumerated() {
      let pattern = Pixels.testPattern(width: 37, height: 27, channels: kind.recipe.channels, seed: UInt64(index))
      files.append(try kind.recipe.with { $0.quality = min($0.quality, 40) }.encode(pattern))
    }
    let small = Pixels.testPattern(width: 21, height: 9)
    let profile = ICCBuilder.profile(.rgb)
    let segments = [.exif(MetadataSeeds.tiff)] + ICCBuilder.segments(for: profile, chunkSize: profile.count / 2)
    files.append(try JPEGRecipe.baseline420.with { ($0.quality, $0.segments) = (20, segments) }.encode(small))
    var map = GainMapBuilder(
      picture: try JPEGRecipe.baseline420.with { $0.quality = 20 }.encode(small),
      map: try JPEGRecipe.gray.with { $0.quality = 20 }.encode(.testPattern(width: 5, height: 3, channels: 1)))
    map.mapPacket = GainMapBuilder.packet(GainMapBuilder.hdrgm + " hdrgm:GainMapMax=\"2\"")
    files.append(map.encoded())
    // So long that the overview comes from the index.
    let long = Pixels(width: 3_700, height: 16, color: [90, 140, 200])
    files.append(try JPEGRecipe.baseline420.with { ($0.quality, $0.restartInterval) = (20, 29) }.encode(long))
    files.append(try JPEGRecipe.progressive.with { $0.quality = 20 }.encode(long))
    return files.map(FuzzInput.seed)
  }

  /// Makes files of every format, and tables of a few entries.
  static func headers() throws -> [[UInt8]] {
    var files = try jpeg() + png() + webP() + gif() + tiff() + raw()
    #if HEIF
      files += try HEIFSeeds.all()
    #endif
    let tables = try HostileTable.all.map { try $0.file(300) }
    // The fuzzer ignores longer inputs.
    return files + tables.filter { $0.count < 4_096 }.map { FuzzInput.seed($0) }
  }

  static func png() -> [[UInt8]] {
    var files: [[UInt8]] = []
    var moving = AnimationBuilder.random(width: 9, height: 8, count: 4, seed: 1)
    moving.frames[0] = AnimationBuilder.Frame(Pixels.testPattern(width: 9, height: 8).rgba)
    files.append(moving.png())
    for color in PNGBuilder.Color.allCases {
      for depth in color.depths {
        for kind in 0..<4 {
          var png = PNGBuilder(width: 13, height: 11, color: color, depth: depth)
          png.isInterlaced = kind & 1 != 0
          png.isTransparent = kind & 2 != 0
          png.chunkSize = kind == 0 ? 100 : 8_192
          files.append(png.encoded())
        }
      }
    }
    var described = PNGBuilder(width: 9, height: 7)
    described.before = [PNGBuilder.profile(ICCBuilder.profile(.rgb)), PNGBuilder.exif(MetadataSeeds.tiff)]
    files.append(described.encoded())
    described.before = [("gAMA", [0, 0, 0xB1, 0x8F]), ("tEXt", Array("Title\0Fixture".utf8)), animation(of: 2)]
    described.behind = [PNGBuilder.exif(MetadataSeeds.tiff)]
    files.append(described.encoded())
    for points: [UInt8] in [[12, 13, 0, 1], [9, 16, 0, 1], [9, 18, 0, 1], [9, 14, 0, 0]] {
      described.before = [("cICP", points), PNGBuilder.profile(ICCBuilder.profile(.rgb))]
      files.append(described.encoded())
    }
    files.append(PNGBuilder(Pixels(width: 1_500, height: 2, color: [7])).encoded())
    return files.map(FuzzInput.seed)
  }

  /// Makes APNG's chunk for an animation.
  static func animation(of frames: UInt8) -> (name: String, data: [UInt8]) {
    ("acTL", [0, 0, 0, frames, 0, 0, 0, 0])
  }

  static func raw() throws -> [[UInt8]] {
    let recipe = JPEGRecipe.gray.with { ($0.quality, $0.optimizedHuffman) = (20, true) }
    let preview = try recipe.encode(.testPattern(width: 21, height: 9, channels: 1))
    return RAWBuilder.Kind.allCases.map {
      FuzzInput.seed(RAWBuilder($0, preview: preview, thumbnail: preview, samples: [1, 2, 3]).encoded())
    }
  }

  static func gif() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for bits in [1, 4, 8] {
      for kind in 0..<4 {
        var gif = GIFBuilder(width: 13, height: 11, bits: bits)
        gif.isInterlaced = kind & 1 != 0
        gif.hasLocalColors = kind & 2 != 0
        if kind == 3 { (gif.x, gif.width, gif.transparentIndex) = (2, 20, 1) }
        files.append(gif.encoded())
      }
    }
    for seed in 1...3 as ClosedRange<UInt64> {
      files.append(AnimationBuilder.random(width: 9, height: 8, count: 4, seed: seed).gif(isInterlaced: seed == 2))
    }
    var animated = GIFBuilder(width: 9, height: 7, bits: 2)
    animated.frameCount = 3
    animated.before =
      GIFBuilder.application("NETSCAPE2.0", [1, 0, 0]) + GIFBuilder.application("ICCRGBG1012", ICCBuilder.profile(.rgb))
    files.append(animated.encoded())
    files.append(
      try encodeGIF(
        .testPattern(width: 40, height: 30, channels: 1), colors: [UInt8](repeating: 9, count: 768), isInterlaced: true)
    )
    return files.map(FuzzInput.seed)
  }

  static func tiff() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for colors in TIFFBuilder.Colors.allCases {
      for bits in colors.depths {
        for kind in 0..<8 {
          var tiff = TIFFBuilder(
            width: 13, height: 11, colors: colors, bits: bits, alpha: kind == 1 ? .associated : .none)
          (tiff.isPlanar, tiff.isBigEndian, tiff.isBig) = (kind & 1 != 0, kind & 2 != 0, kind & 4 != 0)
          if kind > 4 { tiff.tile = (8, 8) }
          files.append(tiff.encoded())
        }
      }
    }
    for compression in [2, 3, 4, 5, 7, 8, 32_773, 50_000] {
      let isFax = compression < 5
      let samples = Pixels.testPattern(width: isFax ? 3 : 24, height: 20, channels: isFax ? 1 : 3)
      for tile in isFax ? [0] : [0, 16] {
        files.append(
          try encodeTIFF(samples, bits: isFax ? 1 : 8, compression: compression, tile: tile, rowsPerStrip: 8))
      }
    }
    for compression in [1, 7] {
      files.append(try encodeTIFF(.testPattern(width: 24, height: 20), photometric: 6, compression: compression))
    }
    var described = TIFFBuilder(width: 9, height: 7)
    described.changes[274] = described.shorts([6])
    described.changes[34_675] = described.bytes(ICCBuilder.profile(.rgb))
    described.inner[34_665] = [0x9003: described.bytes(Array("2024:05:06 07:08:09\0".utf8), type: 2)]
    files.append(described.encoded())
    return files.map(FuzzInput.seed)
  }

  static func jxl() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for channels in 1...4 {
      let pixels = Pixels.noise(width: 13, height: 11, channels: channels)
      for kind in 0..<4 {
        let recipe = JXLRecipe().with {
          ($0.distance, $0.hasContainer, $0.bits) = (kind & 1 == 0 ? 0 : 1, kind & 2 != 0, kind == 0 ? 16 : 8)
          if kind == 2 { ($0.exif, $0.compressesBoxes) = (EXIFBuilder.tiff(orientation: 6, artist: "Ada"), true) }
          if kind == 3 { ($0.frames, $0.orientation) = (2, 6) }
        }
        files.append(try recipe.encode(pixels))
      }
    }
    files.append(try JXLRecipe().with { $0.layers = 3 }.encode(.testPattern(width: 13, height: 11, channels: 4)))
    files.append(try JXLRecipe().with { $0.isResponsive = true }.encode(.testPattern(width: 60, height: 50)))
    files.append(
      try JXLRecipe().with { $0.profile = ICCBuilder.profile(.rgb) }.encode(.testPattern(width: 9, height: 7)))
    return files.map(FuzzInput.seed)
  }

  static func webP() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for channels in [3, 4] {
      let pattern = Pixels.testPattern(width: 33, height: 21, channels: channels).rgba
      for quality in [nil, 5, 60] as [Float?] { files.append(try encodeWebP(pattern, quality: quality)) }
    }
    let flat = Pixels(width: 1_300, height: 20, color: [10, 200, 90, 128])
    for quality in [nil, 60] as [Float?] { files.append(try encodeWebP(flat, quality: quality)) }
    let plain = WebPBuilder.chunks(of: try encodeWebP(Pixels.testPattern(width: 12, height: 10).rgba, quality: 30))
    let pixels = plain.first { $0.name == "VP8 " }!
    files.append(
      WebPBuilder.file([
        WebPBuilder.extended(flags: 8 | 32, width: 12, height: 10), ("ICCP", ICCBuilder.profile(.rgb)), pixels,
        ("EXIF", MetadataSeeds.tiff),
      ]))
    files.append(
      WebPBuilder.file([
        WebPBuilder.extended(flags: 2, width: 20, height: 16), WebPBuilder.animation,
        WebPBuilder.frame(pixels, x: 4, y: 2, width: 12, height: 10),
        WebPBuilder.frame(pixels, x: 0, y: 0, width: 12, height: 10),
      ]))
    return files.map(FuzzInput.seed)
  }
}
