/// Small files that made a decoder or a parser slow, or take much memory, for `make attacks`.
public struct HostileCost: Sendable {
  /// The file's name.
  public let name: String
  private let make: @Sendable () throws -> [UInt8]

  private init(_ name: String, _ make: @escaping @Sendable () throws -> [UInt8]) {
    (self.name, self.make) = (name, make)
  }

  public func file() throws -> [UInt8] { try make() }

  public static let all = tables + jpeg + gif + jxl + frames + xmp + tiff + heif

  /// The largest table of each kind.
  private static let tables = HostileTable.all.enumerated().map { number, table in
    HostileCost("table-\(number)") { try table.file(table.mostEntries) }
  }

  // MARK: JPEG

  private static let jpeg = [
    HostileCost("scans-100.jpg") { HostileJPEG.scans(width: 7_000, height: 7_000, count: 100) },
    HostileCost("scans-10.jpg") { HostileJPEG.scans(width: 7_000, height: 7_000, count: 10) },
    HostileCost("scans-of-a-small-picture.jpg") { HostileJPEG.scans(width: 1_900, height: 1_900, count: 100) },
    HostileCost("scans-of-a-gain-map.jpg") { try map(HostileJPEG.scans(width: 1_000, height: 1_000, count: 100)) },
    HostileCost("large-gain-map.jpg") { try map(HostileJPEG.scans(width: 5_000, height: 5_000, count: 10)) },
    HostileCost("namespaces-of-gain-maps.jpg") {
      var file = GainMapBuilder(picture: try small(), map: try small())
      file.mapPacket = String(decoding: HostileXMP.attributes(3_000, namespace: 30_000), as: UTF8.self)
      file.copies = 7
      return file.encoded()
    },
  ]

  private static func small() throws -> [UInt8] {
    try JPEGRecipe.baseline420.encode(.testPattern(width: 1_000, height: 1_000))
  }

  private static func map(_ map: [UInt8]) throws -> [UInt8] {
    var file = GainMapBuilder(picture: try small(), map: map)
    file.mapPacket = GainMapBuilder.packet("\(GainMapBuilder.hdrgm) hdrgm:GainMapMax=\"2\"")
    return file.encoded()
  }

  // MARK: GIF

  private static let gif =
    [2, 3, 8].flatMap { bits in
      [false, true].map { isInterlaced in
        HostileCost("clear-codes-\(bits)\(isInterlaced ? "-interlaced" : "").gif") {
          var gif = GIFBuilder(width: 1_000, height: 1_000, bits: bits)
          gif.isInterlaced = isInterlaced
          gif.codes = GIFBuilder.clearCodes(bits: bits, bytes: 2_000_000)
          return gif.encoded()
        }
      }
    } + [
      HostileCost("clear-codes-of-a-small-frame.gif") {
        var gif = GIFBuilder(width: 100, height: 100, bits: 2)
        gif.codes = GIFBuilder.clearCodes(bits: 2, bytes: 2_000_000)
        return gif.encoded()
      }
    ]

  // MARK: JPEG XL

  private static let jxl =
    [1_000_000, 15_000_000, 80_000_000].map { count in
      HostileCost("profile-\(count / 1_000_000).jxl") { HostileJXL.profile(of: count) }
    } + (JXLRecipe.countsMemory ? [] : [HostileCost("layers.jxl") { HostileJXL.layers(300, side: 3_000) }])

  // MARK: Later frames

  /// Each is small at first, and large later.
  private static let frames =
    HostileFrames.all.map { frames in HostileCost(frames.name) { try frames.file() } }

  // MARK: XMP

  private static let xmp = [50, 500, 50_000].flatMap { length in
    [
      HostileCost("attributes-\(length).png") { try png(HostileXMP.attributes(20_000, namespace: length)) },
      HostileCost("elements-\(length).png") { try png(HostileXMP.elements(60_000, namespace: length)) },
    ]
  }

  private static func png(_ packet: [UInt8]) throws -> [UInt8] {
    var png = PNGBuilder(width: 8, height: 8)
    png.before = [try PNGBuilder.xmp(packet, isCompressed: true)]
    return png.encoded()
  }

  // MARK: TIFF

  private static let tiff = [10, 100].map { scans in
    HostileCost("scans-\(scans).tif") {
      let jpeg = HostileJPEG.scans(width: 3_000, height: 3_000, count: scans)
      var tiff = TIFFBuilder(width: 3_000, height: 3_000, colors: .gray)
      tiff.samples = jpeg.map(Int.init) + [Int](repeating: 0, count: 9_000_000 - jpeg.count)
      tiff.rowsPerStrip = 3_000
      tiff.changes[259] = tiff.shorts([7])
      return tiff.encoded()
    }
  }

  // MARK: HEIF

  #if HEIF
    private static let heif =
      hevc + [
        HostileCost("units.avif") {
          var item = try CodedItem(.testPattern(width: 192, height: 128), codec: .av1)
          // The most bytes that an item of that size may have.
          item.data = (0..<60_000).flatMap { _ in [0x7A, 0] as [UInt8] } + item.data
          return HEIFBuilder(item).encoded()
        },
        HostileCost("alpha.avif") {
          var builder = HEIFBuilder()
          builder.brand = "avif"
          let color = builder.add(try flat(64, .av1))
          builder.references.append(("auxl", builder.add(try flat(4_096, .av1), [HEIFBuilder.alpha]), [color]))
          return builder.encoded()
        },
        HostileCost("alpha-with-bytes.heic") {
          var builder = HEIFBuilder()
          let color = builder.add(try flat(64, .hevc))
          builder.references.append(("auxl", builder.add(try flat(4_096, .hevc), [HEIFBuilder.alpha]), [color]))
          return builder.encoded() + HEIFBuilder.box("free", [UInt8](repeating: 0, count: 10_000))
        },
        HostileCost("aperture.avif") {
          try HEIFBuilder(flat(4_096, .av1), HEIFBuilder.aperture(64, 64, halfX: 0, halfY: 0)).encoded()
        },
        HostileCost("tile.avif") {
          var builder = HEIFBuilder()
          builder.brand = "avif"
          builder.primary = builder.addGrid([try flat(4_096, .av1)], columns: 1, width: 64, height: 64)
          return builder.encoded()
        },
        HostileCost("thumbnails.avif") {
          var builder = HEIFBuilder(try flat(2_048, .av1))
          for _ in 0..<4 { builder.references.append(("thmb", builder.add(try flat(2_048, .av1)), [1])) }
          return builder.encoded()
        },
        HostileCost("whole-file.avif") {
          var builder = HEIFBuilder(try flat(64, .av1))
          builder.addXMP(CreditBuilder.packet(""), of: 1)
          builder.addEXIF(EXIFBuilder.tiff(orientation: 1), of: 1)
          builder.items[1].emptyExtents = 1
          return builder.encoded() + HEIFBuilder.box("free", [UInt8](repeating: 32, count: 64 << 20))
        },
      ]

    private static func flat(_ side: Int, _ codec: CodedItem.Codec) throws -> CodedItem {
      let gray = [UInt8](repeating: 120, count: side * side)
      return try CodedItem(Pixels(width: side, height: side, channels: 1, samples: gray), codec: codec, quality: 20)
    }

    /// Floods of units, in the item and in its configuration.
    private static let hevc =
      [HEVCUnits.Kind.video, .sequence, .picture, .information, .delimiter, .unspecified].flatMap { kind in
        [false, true].map { isInside in
          HostileCost("units-\(kind)\(isInside ? "-configuration" : "").heic") {
            try flooded { units in
              let isSet = [.video, .sequence, .picture].contains(kind)
              let unit = isSet ? units.parameters(kind) : HEVCUnits.unit(kind) { $0.put(0x0501_7880, 32) }
              let most = isInside ? 15_000 / (unit.count + 2) : 300_000 / (unit.count + 4)
              let many = [[UInt8]](repeating: unit, count: kind == .sequence && isInside ? 15 : most)
              if isInside { units.parameters += many } else { units.units = many + units.units }
            }
          }
        }
      } + [
        HostileCost("units-of-64-numbers.heic") {
          try flooded { $0.units = (1..<64).map(HEVCUnits.pictureParameters) + $0.units }
        },
        HostileCost("stuffing.heic") {
          try flooded { units in
            units.units[units.units.count - 1] += (0..<400_000).flatMap { _ in [0, 0, 3] as [UInt8] }
          }
        },
        HostileCost("slices-repeated.heic") {
          try flooded { units in
            units.units += [[UInt8]](repeating: HEVCUnits.slice(address: 1, 12), count: 80_000)
          }
        },
        HostileCost("slices-in-order.heic") {
          try flooded { units in
            let first = HEVCUnits.slice(address: 0, 12)
            units.units = [first] + (1..<4_000).map { HEVCUnits.slice(address: $0, 12) }
          }
        },
        HostileCost("pictures-repeated.heic") {
          try flooded { $0.units = [[[UInt8]]](repeating: $0.units, count: 100).flatMap { $0 } }
        },
      ]

    private static func flooded(_ change: (inout HEVCUnits) -> Void) throws -> [UInt8] {
      var item = try flat(4_096, .hevc)
      var units = HEVCUnits(item)
      change(&units)
      units.put(into: &item)
      let file = HEIFBuilder(item).encoded()
      // Enough bytes for the number of pixels.
      return file + HEIFBuilder.box("free", [UInt8](repeating: 0, count: 2_000))
    }
  #else
    private static let heif: [HostileCost] = []
  #endif
}
