import TestSupport

/// Small pictures of all kinds.
enum PictureSeeds {
  static func jpeg() throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for (index, kind) in JPEGRecipe.allKinds.enumerated() {
      let pattern = Pixels.testPattern(width: 37, height: 27, channels: kind.recipe.channels, seed: UInt64(index))
      files.append(try kind.recipe.with { $0.quality = min($0.quality, 40) }.encode(pattern))
    }
    let small = Pixels.testPattern(width: 21, height: 9)
    let profile = ICCBuilder.profile(.rgb)
    let segments = [.app(1, MetadataSeeds.payload)] + ICCBuilder.segments(for: profile, chunkSize: profile.count / 2)
    files.append(try JPEGRecipe.baseline420.with { ($0.quality, $0.segments) = (20, segments) }.encode(small))
    // So long that its overview is the index's own.
    let long = Pixels(width: 3_700, height: 16, color: [90, 140, 200])
    files.append(try JPEGRecipe.baseline420.with { ($0.quality, $0.restartInterval) = (20, 29) }.encode(long))
    files.append(try JPEGRecipe.progressive.with { $0.quality = 20 }.encode(long))
    return files.map(FuzzInput.seed)
  }

  static func png() -> [[UInt8]] {
    var files: [[UInt8]] = []
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
    described.before = [PNGBuilder.profile(ICCBuilder.profile(.rgb)), PNGBuilder.exif(MetadataSeeds.payload)]
    files.append(described.encoded())
    described.before = [("gAMA", [0, 0, 0xB1, 0x8F]), ("tEXt", Array("Title\0Fixture".utf8)), animation(of: 2)]
    described.behind = [PNGBuilder.exif(MetadataSeeds.payload)]
    files.append(described.encoded())
    files.append(PNGBuilder(Pixels(width: 1_500, height: 2, color: [7])).encoded())
    return files.map(FuzzInput.seed)
  }

  /// APNG's word that frames follow.
  static func animation(of frames: UInt8) -> (name: String, data: [UInt8]) {
    ("acTL", [0, 0, 0, frames, 0, 0, 0, 0])
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
        ("EXIF", Array(MetadataSeeds.payload.dropFirst(6))),
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
