import TestSupport
import Testing

@testable import FaceCrop

@Suite struct TIFFSessionTests {
  private static func header(_ bytes: [UInt8]) throws -> (header: ImageHeader, warnings: [CropWarning]) {
    try withSession(bytes) { (session) throws(FaceCropError) in (session.header, session.warnings) }
  }

  private static func picture(_ bytes: [UInt8]) throws -> Pixels {
    try withSession(bytes) { (session) throws(FaceCropError) in
      Pixels(try session.region(PixelRect(whole: session.header.size, scale: 8)))
    }
  }

  private static func error(_ bytes: [UInt8], limits: Limits = Limits()) -> FaceCropError? {
    do {
      _ = try withSession(bytes, limits: limits) { (session) throws(FaceCropError) in
        try session.region(PixelRect(whole: session.header.size, scale: 8))
      }
      return nil
    } catch {
      return error as? FaceCropError
    }
  }

  // MARK: Pixels

  enum Parts: CaseIterable { case strips, oneStrip, tiles }

  @Test(arguments: TIFFBuilder.Colors.allCases, Parts.allCases)
  func regionsAreThoseOfTheWholePicture(colors: TIFFBuilder.Colors, parts: Parts) throws {
    var random = SplitMix64(seed: 5)
    for bits in colors.depths {
      for kind in 0..<8 {
        let alphas: [TIFFBuilder.Alpha] =
          colors == .rgb || colors == .gray ? [.none, .associated, .unassociated] : [.none]
        for alpha in alphas where alpha != .associated || bits >= 8 {
          var tiff = TIFFBuilder(width: 37, height: 29, colors: colors, bits: bits, alpha: alpha, seed: UInt64(kind))
          (tiff.isPlanar, tiff.isBigEndian, tiff.isBig) = (kind & 1 != 0, kind & 2 != 0, kind & 4 != 0)
          switch parts {
          case .strips: break
          case .oneStrip: tiff.rowsPerStrip = 29
          case .tiles: tiff.tile = (16, 16)
          }
          let isGray = (colors == .gray || colors == .whiteIsZero) && alpha == .none
          let format: PixelBuffer.Format = alpha != .none ? .rgba : isGray ? .gray : .rgb
          let whole = tiff.pixels.inFormat(format)
          try withSession(tiff.encoded()) { (session) throws(FaceCropError) in
            #expect(session.header.format == format && session.header.bitsPerSample == bits)
            // In any order, also upward.
            for scale in [8, 2, 8] {
              let scaled = scale == 8 ? whole : whole.averaged(by: 8 / scale)
              let rect = random.rect(in: PixelSize(width: scaled.width, height: scaled.height))
              let region = Pixels(try session.region(rect, scale: scale))
              #expect(region == scaled.cropped(rect), "\(bits) bits, kind \(kind), \(alpha), \(scale)/8, \(rect)")
            }
            #expect(session.warnings.isEmpty)
          }
        }
      }
    }
  }

  /// TIFF's numbers for compressions.
  private static let (lzw, jpeg, deflate, packBits, zstandard) = (5, 7, 8, 32_773, 50_000)

  @Test(arguments: [(1, 0), (lzw, 0), (lzw, 2), (deflate, 0), (deflate, 2), (packBits, 0), (zstandard, 2)], [0, 32])
  func compressedPicturesComeBack(kind: (compression: Int, predictor: Int), tile: Int) throws {
    var random = SplitMix64(seed: 3)
    for channels in [1, 3] {
      for bits in [8, 16] {
        let samples = Pixels.testPattern(width: 150 * bits / 8, height: 90, channels: channels)
        let (width, format) = (150, channels == 1 ? PixelBuffer.Format.gray : .rgb)
        // Samples of 16 bits are stored low byte first.
        let levels = stride(from: 0, to: samples.samples.count, by: bits / 8).map { (place: Int) -> UInt8 in
          let sample: Int = Int(samples.samples[place]) | Int(samples.samples[place + bits / 8 - 1]) << 8
          return bits == 8 ? samples.samples[place] : UInt8((sample * 255 + 32_767) / 65_535)
        }
        let whole = Pixels(width: width, height: 90, channels: channels, samples: levels)
        for rows in [16, 90] {
          let file = try encodeTIFF(
            samples, bits: bits, compression: kind.compression, predictor: kind.predictor, tile: tile,
            rowsPerStrip: rows)
          try withSession(file) { (session) throws(FaceCropError) in
            for _ in 0..<4 {
              let rect = random.rect(in: session.header.size)
              let region = Pixels(try session.region(rect))
              #expect(session.header.format == format)
              #expect(region == whole.cropped(rect), "\(bits) bits, \(channels), \(rect)")
            }
            #expect(session.warnings.isEmpty)
          }
        }
      }
    }
  }

  /// Rows depend on those before them: restarting for each would decode a hundred million rows.
  @Test func aLongStripIsReadOnce() throws {
    let picture = Pixels.testPattern(width: 8, height: 16_000, channels: 1)
    let file = try encodeTIFF(picture, compression: Self.lzw, rowsPerStrip: picture.height)
    var read: Pixels?
    let time = try processorTime { read = try Self.picture(file) }
    #expect(read == picture)
    #expect(time < 4, "seconds, in a build for tests")
  }

  /// Damage ends with its strip.
  @Test func damageEndsWithItsStrip() throws {
    let picture = Pixels.noise(width: 90, height: 40, channels: 1, seed: 5)
    var file = try encodeTIFF(picture, compression: Self.deflate, rowsPerStrip: 10)
    // libtiff writes the strips first.
    for index in 8..<60 { file[index] ^= 0xFF }
    let region = PixelRect(x: 0, y: 0, width: 90, height: 40)
    try withSession(file, allowsDamage: true) { (session) throws(FaceCropError) in
      let read = Pixels(try session.region(region))
      #expect(session.warnings == [.corrupt(intactRows: 0, rows: 40)])
      #expect(
        read.cropped(PixelRect(x: 0, y: 10, width: 90, height: 30))
          == picture.cropped(PixelRect(x: 0, y: 10, width: 90, height: 30)))
    }
  }

  /// Two colors, as in faxes: 2, 3 and 4 are CCITT's.
  @Test(arguments: [2, 3, 4], [0, 1]) func faxesComeBack(compression: Int, photometric: Int) throws {
    let bytes = Pixels.testPattern(width: 25, height: 60, channels: 1)
    let file = try encodeTIFF(bytes, bits: 1, photometric: photometric, compression: compression, rowsPerStrip: 60)
    #expect(try Self.picture(file) == (try referenceDecodeTIFF(file).inFormat(.gray)))
  }

  @Test(arguments: [0, 64]) func lumaAndChromaBecomeRGB(tile: Int) throws {
    let samples = Pixels.testPattern(width: 150, height: 90)
    for (photometric, compression) in [(6, Self.jpeg), (2, Self.jpeg), (6, 1), (6, Self.lzw)] {
      let file = try encodeTIFF(samples, photometric: photometric, compression: compression, tile: tile)
      let whole = try referenceDecodeTIFF(file).inFormat(.rgb)
      #expect(try Self.picture(file).maximumDifference(from: whole) <= 1, "\(photometric), \(compression)")
      let rect = PixelRect(x: 70, y: 50, width: 60, height: 30)
      let region = try withSession(file) { (session) throws(FaceCropError) in Pixels(try session.region(rect)) }
      #expect(region.maximumDifference(from: whole.cropped(rect)) <= 1)
    }
  }

  /// Without Photometric, samples are gray, or RGB from three on. An alpha channel of inks is not read.
  @Test func undecidedFilesAreReadAsByOthers() throws {
    for colors in [TIFFBuilder.Colors.gray, .rgb] {
      var tiff = TIFFBuilder(width: 20, height: 20, colors: colors)
      let whole = try Self.picture(tiff.encoded())
      tiff.changes.updateValue(nil, forKey: 262)
      #expect(try Self.picture(tiff.encoded()) == whole, "\(colors)")
    }
    let inks = TIFFBuilder(width: 20, height: 20, colors: .inks, alpha: .unassociated)
    #expect(try !Self.header(inks.encoded()).header.hasAlpha)
    #expect(try Self.picture(inks.encoded()) == inks.pixels.inFormat(.rgb))
  }

  @Test func inksGoThroughTheirProfile() throws {
    var tiff = TIFFBuilder(width: 20, height: 20, colors: .inks)
    let naive = try Self.picture(tiff.encoded())
    tiff.changes[34_675] = tiff.bytes(ICCBuilder.profile(.rgb))
    let (_, warnings) = try withSession(tiff.encoded()) { (session) throws(FaceCropError) in
      (try session.region(PixelRect(x: 0, y: 0, width: 20, height: 20)), session.warnings)
    }
    #expect(warnings == [.profileDropped])
    #expect(try Self.picture(tiff.encoded()) == naive)
    let overview = try withSession(tiff.encoded()) { (session) throws(FaceCropError) in
      try session.overview(format: .gray)
    }
    #expect(overview.format == .gray && overview.size == PixelSize(width: 20, height: 20))
  }

  @Test(arguments: [true, false]) func overviewsAreAverages(isKept: Bool) throws {
    let tiff = TIFFBuilder(width: 1_400, height: 50)
    let expected = try PixelBuffer(tiff.pixels.inFormat(.rgb).averaged(by: 2)).shrunk(toLongSide: 640)
    let limits = isKept ? Limits() : .keepingNoPicture(of: 1_400 * 50 * 3)
    for format in [PixelBuffer.Format.rgb, .gray] {
      let overview = try withSession(tiff.encoded(), limits: limits) { (session) throws(FaceCropError) in
        Pixels(try session.overview(format: format))
      }
      let wanted = Pixels(format == .gray ? expected.inGray() : expected)
      #expect(overview.maximumDifference(from: wanted) <= (format == .gray ? 2 : 0))
    }
  }

  // MARK: Metadata

  @Test(arguments: [false, true], [false, true]) func metadataAreRead(isBigEndian: Bool, isBig: Bool) throws {
    let profile = ICCBuilder.profile(.displayP3)
    var tiff = TIFFBuilder(width: 20, height: 10)
    (tiff.isBigEndian, tiff.isBig) = (isBigEndian, isBig)
    tiff.changes[274] = tiff.shorts([6])
    tiff.changes[315] = tiff.bytes(Array("Ada\0".utf8), type: 2)
    tiff.changes[34_675] = tiff.bytes(profile)
    tiff.inner[34_665] = [0x9003: tiff.bytes(Array("2024:05:06 07:08:09\0".utf8), type: 2)]
    let header = try Self.header(tiff.encoded()).header
    #expect(header.orientation == .right && header.displaySize == PixelSize(width: 10, height: 20))
    #expect(header.profile == profile)
    let exif = try #require(header.exif.flatMap(EXIF.init))
    #expect(exif.text(EXIFTags.artist, in: .main).map { Array($0) } == Array("Ada".utf8))
    #expect(exif.text(EXIFTags.dateTimeOriginal, in: .exif) != nil)
    tiff.changes[34_675] = tiff.bytes(ICCBuilder.profile(.gray))
    #expect(try Self.header(tiff.encoded()).warnings == [.profileDropped])
  }

  // MARK: Lengths of 0

  /// A part extends to the next one, or to the end of the file.
  @Test(arguments: TIFFBuilder.Colors.allCases, [false, true])
  func lengthsOfZeroAreEstimated(colors: TIFFBuilder.Colors, isTiled: Bool) throws {
    var tiff = TIFFBuilder(width: 37, height: 29, colors: colors)
    if isTiled { tiff.tile = (16, 16) }
    let parts = isTiled ? 6 : 5
    for kept in [[], [0, 3]] {
      let table = tiff.encoded()
      let real = try Self.lengths(table, isTiled: isTiled, parts)
      tiff.changes[isTiled ? 325 : 279] = tiff.longs((0..<parts).map { kept.contains($0) ? real[$0] : 0 })
      let isGray = colors == .gray || colors == .whiteIsZero
      #expect(try decoded(tiff.encoded()) == tiff.pixels.inFormat(isGray ? .gray : .rgb))
      tiff.changes = [:]
    }
  }

  private static func lengths(_ file: [UInt8], isTiled: Bool, _ parts: Int) throws -> [Int] {
    try unsafe file.withUnsafeBufferPointer { buffer in
      let tiff = try #require(unsafe TIFFFile(ImageBytes(buffer, isFileMapping: false)))
      let entries = try tiff.entries(at: try #require(tiff.firstDirectory), .forTests())
      let entry = entries[isTiled ? TIFFTag.tileByteCounts : TIFFTag.stripByteCounts]
      return (0..<parts).map { tiff.number(entry, at: $0) ?? 0 }
    }
  }

  /// Rows of PackBits, each one run of literal bytes.
  @Test func compressedLengthsOfZeroAreEstimated() throws {
    var tiff = TIFFBuilder(width: 21, height: 20, colors: .gray)
    for row in 0..<20 { tiff.samples[21 * row] = 19 }
    tiff.changes = [
      256: tiff.longs([20]), 259: tiff.shorts([32_773]), 279: tiff.longs([0, 0, 0]),
    ]
    let expected = (0..<20).flatMap { row in tiff.samples[21 * row + 1..<21 * (row + 1)].map { UInt8($0) } }
    #expect(try decoded(tiff.encoded()).samples == expected)
    // Parts that do not exist stay so.
    tiff.changes[273] = tiff.longs([0, 0, 0])
    #expect(Self.error(tiff.encoded()) != nil)
  }

  @Test func estimatedLengthsAreNotManyTimesTheFile() throws {
    var tiff = TIFFBuilder(width: 60, height: 80)
    tiff.rowsPerStrip = 1
    tiff.changes[259] = tiff.shorts([5])
    tiff.changes[273] = tiff.longs([Int](repeating: 8, count: 80))
    tiff.changes[279] = tiff.longs([Int](repeating: 0, count: 80))
    let file = tiff.encoded()
    // libtiff would call the data corrupt, too.
    let sum = 80 * (file.count - 8)
    #expect(Self.error(file) == .corrupt("the strips have \(sum) bytes in a file of \(file.count)"))
  }

  // MARK: Unsupported variants

  /// libjpeg lacks these coding processes, so that libtiff would say that the data are wrong.
  @Test(arguments: [(UInt8(0xC3), "lossless"), (0xC7, "hierarchical")]) func processesThatAreNotReadAreNamed(
    marker: UInt8, name: String
  ) throws {
    var jpeg = try JPEGRecipe.gray.encode(.testPattern(width: 32, height: 32, channels: 1))
    let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
    for isUnread in [false, true] {
      if isUnread { jpeg[frame + 1] = marker }
      var tiff = TIFFBuilder(width: 64, height: 64, colors: .gray)
      tiff.samples = jpeg.map(Int.init) + [Int](repeating: 0, count: 64 * 64 - jpeg.count)
      tiff.rowsPerStrip = 64
      tiff.changes = [
        256: tiff.longs([32]), 257: tiff.longs([32]), 259: tiff.shorts([7]), 278: tiff.longs([32]),
      ]
      let error = Self.error(tiff.encoded())
      guard isUnread else {
        #expect(error == nil)
        continue
      }
      guard case .unsupported(let text)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(text.contains(name))
    }
  }

  @Test func namesUnsupportedVariants() throws {
    func said(_ change: (inout TIFFBuilder) -> Void) -> String {
      var tiff = TIFFBuilder(width: 20, height: 10)
      change(&tiff)
      guard case .unsupported(let text)? = Self.error(tiff.encoded()) else { return "" }
      return text
    }
    #expect(said { $0.changes[339] = $0.shorts([3, 3, 3]) }.contains("floating-point"))
    #expect(said { $0.changes[339] = $0.shorts([2, 2, 2]) }.contains("signed"))
    #expect(said { $0.changes[259] = $0.shorts([34_925]) }.contains("LZMA"))
    #expect(said { $0.changes[259] = $0.shorts([6]) }.contains("old-style JPEG"))
    #expect(said { $0.changes[259] = $0.shorts([65_000]) }.contains("65000"))
    #expect(said { $0.changes[258] = $0.shorts([32, 32, 32]) }.contains("32 bits"))
    #expect(
      said {
        $0 = TIFFBuilder(width: 20, height: 10, bits: 12)
        ($0.changes[259], $0.changes[317]) = ($0.shorts([8]), $0.shorts([2]))
      }.contains("predictor"))
    #expect(said { $0.changes[258] = $0.shorts([8, 8, 16]) }.contains("different bit"))
    #expect(said { $0.changes[262] = $0.shorts([8]) }.contains("L*a*b*"))
    #expect(said { $0.changes[277] = $0.shorts([9]) }.contains("9 samples"))
    #expect(
      said {
        $0 = TIFFBuilder(width: 20, height: 10, colors: .inks)
        $0.changes[332] = $0.shorts([2])
      }.contains("CMYK"))
    // RAW files without a preview: DNG; a sensor's pattern; a small image and a maker, with other directories below.
    #expect(said { $0.changes[50_706] = $0.bytes([1, 4, 0, 0], type: 1) }.contains("camera's RAW file (DNG)"))
    #expect(said { $0.changes[262] = $0.shorts([32_803]) }.contains("camera's RAW file"))
    #expect(
      said {
        $0.changes[254] = $0.longs([1])
        $0.changes[271] = $0.bytes(Array("NIKON CORPORATION\0".utf8), type: 2)
        $0.changes[330] = $0.longs([8])
      }.contains("camera's RAW file (NEF)"))
  }

  // MARK: Damage

  private static let whole = PixelRect(x: 0, y: 0, width: 60, height: 80)

  /// Moves the directory before the pixels, as many programs write it.
  private static func directoryFirst(_ tiff: TIFFBuilder) -> [UInt8] {
    let file = tiff.encoded()
    let directory = file.span.uint32(at: 4, .littleEndian) ?? 0
    let tail = file.count - directory
    var moved = tiff
    func shifted(_ tag: Int) -> TIFFBuilder.Entry {
      let planes = (0..<(tiff.height + tiff.rowsPerStrip - 1) / tiff.rowsPerStrip).map {
        8 + tail + $0 * tiff.rowsPerStrip * tiff.width * 3
      }
      return tiff.longs(planes)
    }
    moved.changes[273] = shifted(273)
    let other = moved.encoded()
    // Its offsets count from a position closer to the beginning.
    var entries = Array(other[directory...])
    let number = entries.span.uint16(at: 0, .littleEndian) ?? 0
    for index in 0..<number {
      let place = 2 + 12 * index
      let type = entries.span.uint16(at: place + 2, .littleEndian) ?? 0
      let count = entries.span.uint32(at: place + 4, .littleEndian) ?? 0
      if (type == 3 ? 2 : 4) * count > 4 {
        let offset = (entries.span.uint32(at: place + 8, .littleEndian) ?? 0) - directory + 8
        entries.replaceSubrange(place + 8..<place + 12, with: tiff.longs([offset]).bytes)
      }
    }
    return Array(other[..<4]) + tiff.longs([8]).bytes + entries + other[8..<directory]
  }

  @Test(arguments: [7, 80]) func truncatedPicturesAreSaid(rowsPerStrip: Int) throws {
    var tiff = TIFFBuilder(width: 60, height: 80)
    tiff.rowsPerStrip = rowsPerStrip
    let bytes = Self.directoryFirst(tiff)
    #expect(try outcome(of: bytes).error == nil)
    #expect(try Self.picture(bytes) == tiff.pixels.inFormat(.rgb))
    for missing in [10_000, 5_000, 1] {
      let cut = Array(bytes.dropLast(missing))
      for rect in [Self.whole, PixelRect(x: 3, y: 0, width: 9, height: 2)] {
        #expect(try outcome(of: cut, rect: rect).error?.kind == "truncated", "\(missing)")
        let lenient = try outcome(of: cut, allowsDamage: true, rect: rect)
        guard case .truncated(let intactRows, 80, coarse: false) = lenient.warnings.first else {
          Issue.record("\(lenient)")
          continue
        }
        #expect(intactRows <= (14_400 - missing) / 180 && intactRows >= (14_400 - missing) / 180 - 40)
      }
    }
    #expect(try outcome(of: Array(bytes.prefix(60))).error?.kind == "corrupt")
  }

  @Test func dataThatMakeNoSenseAreFound() throws {
    var bytes = try encodeTIFF(.noise(width: 60, height: 80), compression: Self.deflate, rowsPerStrip: 80)
    for place in bytes.count / 2..<bytes.count / 2 + 40 { bytes[place] ^= 0x55 }
    #expect(try outcome(of: bytes).error?.kind == "corrupt")
    guard case .corrupt(_, 80)? = try outcome(of: bytes, allowsDamage: true).warnings.first else {
      Issue.record("no warning")
      return
    }
  }

  @Test func noCutOrFlipIsMoreThanAnError() throws {
    var random = SplitMix64(seed: 11)
    var files: [[UInt8]] = []
    for compression in [1, 4, Self.lzw, Self.jpeg, Self.deflate, Self.packBits, Self.zstandard] {
      for tile in [0, 16] where compression != 4 || tile == 0 {
        let samples = Pixels.testPattern(width: 24, height: 20, channels: compression == 4 ? 1 : 3)
        files.append(try encodeTIFF(samples, bits: compression == 4 ? 1 : 8, compression: compression, tile: tile))
      }
    }
    files.append(try encodeTIFF(.testPattern(width: 24, height: 20), photometric: 6))
    files.append(TIFFBuilder(width: 24, height: 20, colors: .palette).encoded())
    var limits = Limits()
    limits.pixels = 1 << 20
    limits.imageBytes = 8 << 20
    for whole in files {
      for _ in 0..<80 {
        var bytes = Array(whole.prefix(Int.random(in: whole.count / 2...whole.count, using: &random)))
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          // Usually in the directory.
          let first = Bool.random(using: &random) ? max(bytes.count - 250, 0) : 0
          bytes[Int.random(in: first..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        do {
          _ = try withSession(bytes, limits: limits, allowsDamage: Bool.random(using: &random)) {
            (session) throws(FaceCropError) in
            _ = try session.overview(format: .rgb)
            return try session.region(random.rect(in: session.header.size))
          }
        } catch let error as FaceCropError {
          #expect(["corrupt", "truncated", "unsupported", "limit"].contains(error.kind), "\(error)")
        }
      }
    }
  }

  // MARK: Limits

  @Test func limitsAreKept() throws {
    func error(_ change: (inout Limits) -> Void, _ changeFile: (inout TIFFBuilder) -> Void = { _ in }) -> FaceCropError?
    {
      var (limits, tiff) = (Limits(), TIFFBuilder(width: 60, height: 80))
      tiff.changes[34_675] = tiff.bytes(ICCBuilder.profile(.rgb, padding: 5_000))
      change(&limits)
      changeFile(&tiff)
      return Self.error(tiff.encoded(), limits: limits)
    }
    #expect(error { $0.pixels = 4_799 } == .overLimit(.pixels, actual: 4_800, allowed: 4_799))
    #expect(error { $0.metadataBytes = 3_000 }?.kind == "limit")
    #expect(error { $0.regionBytes = 14_399 }?.kind == "limit")
    // A single strip is not kept in memory.
    #expect(error({ $0.imageBytes = 14_399 }, { $0.rowsPerStrip = 80 }) == nil)
    // A tile, as stored and decoded, with its rows and the region.
    let bytes = 2 * 64 * 80 * 3 + 60 * 80 * 3 + 14_400
    let tiled = { (tiff: inout TIFFBuilder) in tiff.tile = (64, 80) }
    #expect(
      error({ $0.imageBytes = bytes - 1 }, tiled) == .overLimit(.imageBytes, actual: bytes, allowed: bytes - 1))
    #expect(error({ $0.imageBytes = bytes }, tiled) == nil)
  }

  /// libtiff decodes all scans of a strip in one call, which nothing can interrupt.
  @Test(arguments: [false, true]) func stripsHaveFewScans(isTiled: Bool) throws {
    func file(_ scans: Int) -> [UInt8] {
      let jpeg = HostileJPEG.scans(width: 64, height: 64, count: scans)
      var tiff = TIFFBuilder(width: 64, height: 64, colors: .gray)
      tiff.samples = jpeg.map(Int.init) + [Int](repeating: 0, count: 64 * 64 - jpeg.count)
      tiff.rowsPerStrip = 64
      if isTiled { tiff.tile = (64, 64) }
      tiff.changes[259] = tiff.shorts([7])
      return tiff.encoded()
    }
    let whole = PixelRect(x: 0, y: 0, width: 64, height: 64)
    #expect(try outcome(of: file(15), rect: whole).error == nil)
    for count in [17, 99] {
      #expect(try outcome(of: file(count), rect: whole).error?.kind == "unsupported")
    }
  }

  @Test func partsThatAreManyTimesTheFileAreRefused() throws {
    var tiff = TIFFBuilder(width: 60, height: 80)
    tiff.rowsPerStrip = 1
    tiff.changes[259] = tiff.shorts([5])
    tiff.changes[273] = tiff.longs([Int](repeating: 8, count: 80))
    tiff.changes[279] = tiff.longs([Int](repeating: 14_000, count: 80))
    guard case .corrupt(let text)? = Self.error(tiff.encoded()) else {
      Issue.record("it is read")
      return
    }
    #expect(text.contains("1120000 bytes"))
  }

  @Test(arguments: [false, true]) func cancellationReachesTheRows(isTiled: Bool) throws {
    var tiff = TIFFBuilder(width: 300, height: 400)
    if isTiled { tiff.tile = (16, 16) }
    try expectCancelled(tiff.encoded())
  }
}
