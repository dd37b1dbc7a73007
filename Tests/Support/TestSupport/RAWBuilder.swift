/// Builds RAW files of cameras by their published descriptions, without a library: with previews, a thumbnail and bytes
/// in place of the sensor's samples.
public struct RAWBuilder: Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case cr2, cr3, nef, arw, dng, raf, orf, rw2, pef, srw
  }

  public var kind: Kind
  /// The largest preview, and a small one if the kind has one: JPEG files.
  public var preview: [UInt8]
  public var thumbnail: [UInt8]
  public var (make, model): (String, String)
  public var orientation = 1
  public var sensor = (width: 6_000, height: 4_000)
  /// The sensor's samples, at the end of the file.
  public var samples: [UInt8]

  public init(_ kind: Kind, preview: [UInt8], thumbnail: [UInt8], samples: [UInt8] = []) {
    (self.kind, self.preview, self.thumbnail, self.samples) = (kind, preview, thumbnail, samples)
    (make, model) =
      switch kind {
      case .cr2: ("Canon", "Canon EOS 5D")
      case .cr3: ("Canon", "Canon EOS R6")
      case .nef: ("NIKON CORPORATION", "NIKON D750")
      case .arw: ("SONY", "ILCE-7M3")
      case .dng: ("Google", "Pixel 7")
      case .raf: ("Fujifilm", "X-T5")
      case .orf: ("OLYMPUS CORPORATION", "E-M1")
      case .rw2: ("Panasonic", "DC-G9")
      case .pef: ("PENTAX", "PENTAX K-1")
      case .srw: ("SAMSUNG", "NX500")
      }
  }

  public func encoded() -> [UInt8] {
    switch kind {
    case .raf: fujifilm()
    case .cr3: canonCR3()
    default: directories()
    }
  }

  // MARK: Like TIFF

  private var order: EXIFBuilder.ByteOrder { kind == .nef || kind == .pef ? .big : .little }

  private func long(_ tag: UInt16, _ value: Int) -> TIFFTree.Entry { .long(tag, value, order) }
  private func short(_ tag: UInt16, _ value: Int) -> TIFFTree.Entry { .short(tag, value, order) }

  /// Returns the entries of an image's offset and length.
  private func picture(_ jpeg: [UInt8], _ offset: UInt16 = 513, _ length: UInt16 = 514) -> [TIFFTree.Entry] {
    [TIFFTree.Entry(offset, type: 4, count: 1, .offset(of: jpeg)), long(length, jpeg.count)]
  }

  private var camera: [TIFFTree.Entry] {
    [.ascii(271, make), .ascii(272, model), short(274, orientation), .ascii(306, "2026:11:25 10:20:30")]
  }

  /// Returns a page with the sensor's samples: a lossless JPEG, as Canon and DNG store it.
  private func sensorPage(_ others: [TIFFTree.Entry] = []) -> TIFFTree {
    TIFFTree(
      [
        long(254, 0), long(256, sensor.width), long(257, sensor.height), short(258, 14), short(259, 7),
        short(262, 32_803),
      ] + picture(samples, 273, 279) + others)
  }

  private func exif(_ others: [TIFFTree.Entry] = []) -> TIFFTree.Entry {
    .directory(0x8769, TIFFTree(others + [long(0xA002, sensor.width), long(0xA003, sensor.height)]))
  }

  private func directories() -> [UInt8] {
    switch kind {
    case .nef:
      // The first page is 160 × 120 samples of RGB.
      let pages = [TIFFTree([long(254, 1), short(259, 6)] + picture(preview)), sensorPage()]
      let first = [
        long(254, 1), long(256, 160), long(257, 120), short(259, 1), short(262, 2),
        TIFFTree.Entry(273, type: 4, count: 1, .offset(of: [UInt8](repeating: 9, count: 300))), long(279, 300),
      ]
      return TIFFTree(first + camera + [.directories(330, pages), exif()]).tiff(order)
    case .arw, .srw:
      let first = [long(254, 1), short(259, 6)] + (kind == .arw ? picture(preview) : [])
      let pages = [sensorPage()] + (kind == .srw ? [TIFFTree([long(254, 1), short(259, 6)] + picture(preview))] : [])
      let second = TIFFTree([long(254, 1), short(259, 6)] + picture(thumbnail))
      return TIFFTree(first + camera + [.directories(330, pages), exif()], next: second).tiff(order)
    case .dng:
      let first = [long(254, 1), short(259, 7), short(262, 6)] + picture(thumbnail, 273, 279)
      let page = TIFFTree([long(254, 1), short(259, 7), short(262, 6)] + picture(preview, 273, 279))
      return TIFFTree(
        first + camera + [
          .directories(330, [sensorPage(), page]), TIFFTree.Entry(50_706, type: 1, count: 4, .bytes([1, 4, 0, 0])),
        ]
      ).tiff(order)
    case .pef:
      let third = TIFFTree([short(259, 6)] + picture(preview))
      let second = TIFFTree([short(259, 6)] + picture(thumbnail), next: third)
      return TIFFTree(sensorPage(camera).entries + [exif()], next: second).tiff(order)
    case .cr2:
      let last = TIFFTree([short(259, 6)] + picture(samples, 273, 279))
      let small = TIFFTree(
        [short(259, 1), short(262, 2)] + picture([UInt8](repeating: 7, count: 90), 273, 279), next: last)
      let second = TIFFTree(picture(thumbnail), next: small)
      let first = TIFFTree([short(259, 6)] + picture(preview, 273, 279) + camera + [exif()], next: second)
      return Array("II*\0".utf8) + order.bytes(UInt32(16)) + Array("CR\u{2}\0".utf8) + order.bytes(UInt32(0))
        + first.encoded(at: 16, order)
    case .orf:
      // The note's offsets count from its own start.
      let settings = TIFFTree([long(0x100, 1)] + picture(preview, 0x101, 0x102))
      let note = Array("OLYMPUS\0II\u{3}\0".utf8) + TIFFTree([.directory(0x2020, settings)]).encoded(at: 12, order)
      let file = TIFFTree(sensorPage(camera).entries + [exif([.undefined(0x927C, note)])]).tiff(order)
      return Array("IIRO".utf8) + file.dropFirst(4)
    case .rw2:
      let first = [short(2, sensor.width), short(3, sensor.height), .undefined(0x2E, preview)] + camera + [exif()]
      return Array("IIU\0".utf8) + TIFFTree(first).tiff(order).dropFirst(4) + samples
    case .raf, .cr3: return []
    }
  }

  // MARK: Others

  private func fujifilm() -> [UInt8] {
    var header = Array("FUJIFILMCCD-RAW 0201FF393101".utf8) + Array(model.utf8)
    header += [UInt8](repeating: 0, count: 84 - header.count)
    let records =
      UInt32(2).bigEndianBytes + [1, 0, 0, 4] + UInt16(sensor.height).bigEndianBytes
      + UInt16(sensor.width).bigEndianBytes + [0xC0, 0, 0, 4, 1, 2, 3, 4]
    let previewOffset = 148
    header += [previewOffset, preview.count, previewOffset + preview.count, records.count].flatMap {
      UInt32($0).bigEndianBytes
    }
    header += [UInt8](repeating: 0, count: previewOffset - header.count)
    return header + preview + records + samples
  }

  private func canonCR3() -> [UInt8] {
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      UInt32(8 + content.count).bigEndianBytes + Array(type.utf8) + content
    }
    func track(width: Int, height: Int, offset: Int, length: Int) -> [UInt8] {
      let description =
        [UInt8](repeating: 0, count: 24) + UInt16(width).bigEndianBytes + UInt16(height).bigEndianBytes
        + [UInt8](repeating: 0, count: 50)
      let table =
        box("stsd", [0, 0, 0, 0, 0, 0, 0, 1] + box("CRAW", description))
        + box("stsz", [0, 0, 0, 0] + UInt32(length).bigEndianBytes + UInt32(1).bigEndianBytes)
        + box("co64", [0, 0, 0, 0] + UInt32(1).bigEndianBytes + UInt64(offset).bigEndianBytes)
      return box("trak", box("mdia", box("minf", box("stbl", table))))
    }
    let name: [UInt8] = [
      0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
    ]
    let metadata =
      box("CMT1", TIFFTree(camera).tiff(order))
      + box("CMT2", TIFFTree([.ascii(0x9003, "2026:11:25 10:20:30")]).tiff(order))
      + box("THMB", [UInt8](repeating: 0, count: 16) + thumbnail)
    let start = box("ftyp", Array("crx \0\0\0\u{1}crx isom".utf8))
    func movie(_ data: Int) -> [UInt8] {
      box(
        "moov",
        box("uuid", name + metadata)
          + track(width: sensor.width, height: sensor.height, offset: data, length: preview.count)
          + track(
            width: sensor.width + 80, height: sensor.height + 60, offset: data + preview.count,
            length: max(samples.count, 1)))
    }
    let data = start.count + movie(0).count + 8
    return start + movie(data) + box("mdat", preview + samples)
  }
}
