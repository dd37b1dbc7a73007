import TestSupport
import Testing

@testable import FaceCrop

@Suite struct EXIFTests {
  private static let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 0xAB, count: 400) + [0xFF, 0xD9]

  @Test(arguments: EXIFBuilder.ByteOrder.allCases, EXIFBuilder.OrientationType.allCases)
  func cropsAreUprightOfTrueSizeAndWithoutThumbnail(
    order: EXIFBuilder.ByteOrder, type: EXIFBuilder.OrientationType
  ) throws {
    let tiff = EXIFBuilder.tiff(
      byteOrder: order, orientation: 6, orientationType: type, artist: "Ada Lovelace",
      pixelSize: (4_000, 3_000), gps: true, thumbnail: Self.thumbnail)
    let crop = try #require(EXIF(tiff)?.kept(by: .keep, size: PixelSize(width: 321, height: 123)))
    // As if it had been written this way.
    let expected = EXIFBuilder.tiff(
      byteOrder: order, orientation: 1, artist: "Ada Lovelace", pixelSize: (321, 123), gps: true)
    #expect(try #require(EXIF(crop)) == #require(EXIF(expected)))
    #expect(crop.count == expected.count)
    #expect(EmbeddedPictures.found(in: crop, of: Self.thumbnail).isEmpty)
  }

  // MARK: Embedded images

  /// Returns a whole file, like a thumbnail, and raw samples, as in old cameras' files.
  private static func pictures() throws -> [[UInt8]] {
    [
      try JPEGRecipe(quality: 50).encode(Pixels.noise(width: 24, height: 16, seed: 77)),
      Pixels.noise(width: 16, height: 12, seed: 78).samples,
    ]
  }

  /// Only the standard's tags are written, so embedded images disappear from every place.
  @Test(arguments: EXIFBuilder.ByteOrder.allCases)
  func noPictureIsKeptFromAnyPlace(order: EXIFBuilder.ByteOrder) throws {
    for picture in try Self.pictures() {
      for embedding in EXIFBuilder.embeddings(of: picture, order) {
        #expect(!EmbeddedPictures.found(in: embedding.tiff, of: picture).isEmpty, "\(embedding.place)")
        for policy in MetadataPolicy.allCases {
          let exif = try #require(EXIF(embedding.tiff))
          let crop = exif.kept(by: policy, size: PixelSize(width: 40, height: 30), orientation: .right) ?? []
          #expect(EmbeddedPictures.found(in: crop, of: picture) == [], "\(embedding.place), \(policy)")
          #expect(policy == .strip || holds(crop, EXIFBuilder.artist), "\(embedding.place), \(policy)")
        }
      }
    }
  }

  /// Previews for fast requests are still found.
  @Test(arguments: EXIFBuilder.ByteOrder.allCases)
  func theThumbnailIsFound(order: EXIFBuilder.ByteOrder) throws {
    let tiff = EXIFBuilder.tiff(byteOrder: order, artist: "Ada", thumbnail: Self.thumbnail)
    #expect(try #require(EXIF(tiff)).thumbnail.map(Array.init) == Self.thumbnail)
    let cut = Array(tiff.dropLast(10))
    #expect(try #require(EXIF(cut)).thumbnail == nil)
  }

  /// Other programs take the first of two entries, too.
  @Test func theFirstEntryOfATagCounts() throws {
    func entry(_ orientation: UInt8) -> [UInt8] { [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0] }
    let tiff = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 2] + entry(6) + entry(3) + [0, 0, 0, 0]
    #expect(try #require(EXIF(tiff)).orientation == .right)
  }

  /// The largest data that may be kept fit into one JPEG segment.
  @Test func theLongestFitsIntoASegment() throws {
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 70_000)
    func values(_ tags: ClosedRange<Int>, in directory: EXIF.Directory) -> [TIFFTree.Entry] {
      tags.compactMap { tag in
        let tag = UInt16(tag)
        switch EXIFTags.form(of: Int(tag), in: directory) {
        case .text(let limit, _):
          return TIFFTree.Entry(tag, type: 2, count: limit, .bytes(letters.prefix(limit - 1) + [0]))
        case .comment(let limit): return .undefined(tag, Array("ASCII\0\0\0".utf8) + letters.prefix(limit - 8))
        case .wideText(let limit):
          return TIFFTree.Entry(tag, type: 1, count: limit, .bytes(letters.prefix(limit - 2) + [0, 0]))
        case .numbers(let types, let counts):
          let type = types.max { $0.size < $1.size }!
          return TIFFTree.Entry(
            tag, type: UInt16(type.rawValue), count: counts.upperBound,
            .bytes(Array(letters.prefix(type.size * counts.upperBound))))
        case .directory, nil: return nil
        }
      }
    }
    let all = 0...0xFFFF
    let interoperability = TIFFTree(values(all, in: .interoperability))
    let exif = TIFFTree(values(all, in: .exif) + [.directory(0xA005, interoperability)])
    let main = TIFFTree(
      values(all, in: .main) + [.directory(0x8769, exif), .directory(0x8825, TIFFTree(values(all, in: .gps)))])
    let tiff = main.tiff(.big)
    let read = try #require(EXIF(tiff))
    for directory in EXIF.Directory.allCases {
      #expect(read.values[directory]?.count == values(all, in: directory).count, "\(directory)")
    }
    let crop = try #require(read.kept(by: .keep, size: PixelSize(width: 1, height: 1)))
    #expect(crop.count > 40_000 && crop.count <= 65_533 - 6, "behind JPEG's identifier")
    #expect(EXIF(crop)?.kept(by: .keep, size: PixelSize(width: 1, height: 1)) == crop)
  }

  // MARK: Values

  private static func main(_ entry: TIFFTree.Entry) throws -> EXIF {
    try #require(EXIF(TIFFTree([entry]).tiff(.little)))
  }

  private static func kept(_ entry: TIFFTree.Entry, in exif: Bool = false) throws -> EXIF.Value? {
    let tree = exif ? TIFFTree([.directory(0x8769, TIFFTree([entry]))]) : TIFFTree([entry])
    let crop = try #require(EXIF(tree.tiff(.little))).kept(by: .keep, size: PixelSize(width: 9, height: 9))
    return crop.flatMap(EXIF.init)?.values[exif ? .exif : .main]?.first?.value
  }

  @Test(
    arguments: [
      ("Ada", "Ada\0"), ("Ada\0\0\0\0", "Ada\0"), ("Ada\0rest", "Ada\0"),
      ("two\nlines\tand a tab", "two\nlines\tand a tab\0"),
      ("\u{E4}\u{1F600}", "\u{E4}\u{1F600}\0"), ("\0", nil), ("a\u{1}b", nil), ("a\u{7F}", nil), ("\u{1B}[31m", nil),
    ] as [(String, String?)])
  func textsStayAndWhatIsNoneGoes(text: String, kept: String?) throws {
    let bytes = Array(text.utf8)
    let value = try Self.kept(TIFFTree.Entry(0x013B, type: 2, count: bytes.count, .bytes(bytes)))
    #expect(value?.bytes == kept.map { Array($0.utf8) })
  }

  /// Bytes in another encoding stay unchanged; 255 is invalid in all.
  @Test func textsOfOtherEncodingsStay() throws {
    for (bytes, isKept) in [([0xA9, 0x20, 0x41], true), ([0x83, 0x4A, 0x83, 0x81], true), ([0x41, 0xFF], false)] {
      let bytes = bytes.map { UInt8($0) }
      let value = try Self.kept(TIFFTree.Entry(0x8298, type: 2, count: bytes.count, .bytes(bytes)))
      #expect(value?.bytes == (isKept ? bytes + [0] : nil))
    }
  }

  /// The photographer's and the editor's part (CIPA DC-008-2019, 4.6.4).
  @Test func aCopyrightHasTwoParts() throws {
    for (text, kept) in [
      ("Ada\0Bob\0\0", "Ada\0Bob\0"), ("Ada\0\0", "Ada\0"), (" \0Bob\0", " \0Bob\0"), ("A\0B\0C", "A\0B\0"),
    ] {
      let bytes = Array(text.utf8)
      let value = try Self.kept(TIFFTree.Entry(0x8298, type: 2, count: bytes.count, .bytes(bytes)))
      #expect(value?.bytes == Array(kept.utf8), "\(text)")
    }
  }

  @Test(arguments: ["ASCII\0\0\0", "JIS\0\0\0\0\0", "\0\0\0\0\0\0\0\0"])
  func commentsStayIfTheyAreText(code: String) throws {
    for (text, kept) in [("a remark\0\0\0", "a remark"), ("\0\0\0", nil), ("a\u{2}", nil)] as [(String, String?)] {
      let value = try Self.kept(.undefined(0x9286, Array((code + text).utf8)), in: true)
      #expect(value?.bytes == kept.map { Array((code + $0).utf8) }, "\(text)")
    }
    let tooLong = Array(code.utf8) + [UInt8](repeating: 0x41, count: 8_192)
    #expect(try Self.kept(.undefined(0x9286, tooLong), in: true) == nil)
  }

  @Test func commentsOfUTF16StayIfTheyAreText() throws {
    func bytes(_ units: [UInt16], isLittle: Bool) -> [UInt8] {
      units.flatMap { isLittle ? [UInt8($0 & 255), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)] }
    }
    // Letters whose bytes, except the first, are a JPEG's in the second byte order.
    let picture: [UInt16] = [0xFF41, 0xFFD8, 0x00DB]
    for (units, isKept) in [
      (Array("Ada, \u{4EFF}\u{1F600}".utf16), true), (Array("\u{FF01}\0\0".utf16), true), ([0xD8D8, 0x41], false),
      ([], false),
      (picture, false),
    ] {
      for isLittle in units == picture ? [true] : [true, false] {
        let text = Array("UNICODE\0".utf8) + bytes(units, isLittle: isLittle)
        let kept = Array("UNICODE\0".utf8) + bytes(units.filter { $0 != 0 }, isLittle: isLittle)
        #expect(try Self.kept(.undefined(0x9286, text), in: true)?.bytes == (isKept ? kept : nil), "\(units)")
      }
    }
    for (units, isKept) in [
      (Array("Ada".utf16), true), ([0xD8D8, 0x41], false), ([0x41, 1], false), ([0x41, 0xFFFE], false),
      (picture, false),
    ] {
      let title = bytes(units, isLittle: true)
      let value = try Self.kept(TIFFTree.Entry(0x9C9B, type: 1, count: title.count, .bytes(title)))
      #expect(value?.bytes == (isKept ? title + [0, 0] : nil), "\(units)")
    }
  }

  /// A tag with another type or count than the standard's is dropped.
  @Test func typesAndCountsAreChecked() throws {
    let number: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0]
    for (tag, type, count, isKept) in [
      (0x829A, 5, 1, true), (0x829A, 5, 2, false), (0x829A, 10, 1, true), (0x829A, 7, 8, false), (0x829A, 3, 1, false),
      (0x829A, 2, 8, false),
      (0x9207, 3, 1, true), (0x9207, 9, 1, true), (0x9207, 5, 1, false), (0x9207, 7, 2, false),
      (0x8827, 3, 1, true), (0x8827, 3, 2, true), (0x8827, 3, 5, false), (0x9000, 7, 4, true), (0x9000, 7, 5, false),
      (0xA300, 7, 1, true), (0xA300, 7, 2, false), (0x927C, 7, 4, false), (0xA20C, 3, 1, false), (0x9214, 3, 2, false),
    ] as [(UInt16, UInt16, Int, Bool)] {
      let sizes: [UInt16: Int] = [2: 1, 3: 2, 5: 8, 7: 1, 9: 4, 10: 8]
      let entry = TIFFTree.Entry(
        tag, type: type, count: count, .bytes(Array((number + number).prefix(count * sizes[type]!))))
      #expect(try (Self.kept(entry, in: true) != nil) == isKept, "\(tag), \(type), \(count)")
    }
  }

  /// After a color conversion, EXIF declares sRGB.
  @Test func convertedColorsAreSaidToBeSRGB() throws {
    let tree = TIFFTree([
      .rationals(0x013E, [1, 2], .big),
      .directory(
        0x8769, TIFFTree([.short(0xA001, 65_535, .big), .directory(0xA005, TIFFTree([.ascii(1, "R03")]))])),
    ])
    let exif = try #require(EXIF(tree.tiff(.big)))
    let size = PixelSize(width: 1, height: 1)
    let same = try #require(exif.kept(by: .keep, size: size).flatMap(EXIF.init))
    #expect(same == exif)
    let converted = try #require(exif.kept(by: .keep, size: size, colorsAreConverted: true).flatMap(EXIF.init))
    #expect(converted.number(0xA001, in: .exif) == 1)
    #expect(converted.values[.main] == nil && converted.values[.interoperability] == nil)
  }

  // MARK: Hostile bytes

  @Test func everyPrefixAndEveryByteAreSafe() throws {
    let tiff = EXIFBuilder.tiff(
      orientation: 6, artist: "A", pixelSize: (4_000, 3_000), gps: true, thumbnail: Self.thumbnail)
    let size = PixelSize(width: 10, height: 10)
    for length in tiff.indices {
      _ = EXIF(Array(tiff.prefix(length)))?.kept(by: .keep, size: size)
    }
    for offset in tiff.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = tiff
        changed[offset] = value
        if let exif = EXIF(changed) {
          #expect((exif.kept(by: .keep, size: size) ?? []).count <= tiff.count)
        }
      }
    }
  }

  /// The second directory lies in the first one. Nothing is changed in place, so each is read as it was.
  @Test func partsThatOverlapAreReadEachForItself() throws {
    let overlapping: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 2] + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
      + [0x01, 0x3B, 0, 2, 0, 0, 0, 4] + Array("Ada\0".utf8) + [0, 0, 0, 18]
    let exif = try #require(EXIF(overlapping))
    #expect(exif.orientation == .right)
    let size = PixelSize(width: 40, height: 30)
    #expect(exif.kept(by: .keep, size: size) == EXIFBuilder.tiff(byteOrder: .big, orientation: 1, artist: "Ada"))
    let turned = exif.kept(by: .strip, size: size, orientation: .right)
    #expect(turned == EXIFBuilder.tiff(byteOrder: .big, orientation: 6))
    #expect(exif.kept(by: .strip, size: size) == nil)
  }

  /// Directories of 65,535 entries that refer to each other and to the largest values are read in linear time.
  @Test func manyEntriesAreReadInTime() throws {
    let count = 65_535
    let end = UInt32(8 + 2 + 12 * count + 4)
    var tiff = Array("MM\0*".utf8) + [0, 0, 0, 8, 0xFF, 0xFF]
    tiff.reserveCapacity(800_000)
    for index in 0..<count {
      // The Exif and GPS directories are this one again; the other entries are descriptions of one long text.
      switch index {
      case 0: tiff += [0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8]
      case 1: tiff += [0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8]
      case 2: tiff += [0xA0, 0x05, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8]
      default: tiff += [0x01, 0x0E, 0, 2, 0, 0, 0x0F, 0xA0] + end.bigEndianBytes
      }
    }
    tiff += [0, 0, 0, 0] + [UInt8](repeating: UInt8(ascii: "a"), count: 3_999) + [0]
    #expect(try #require(EXIF(tiff)).text(0x010E, in: .main)?.count == 3_999)
    let time = processorTime {
      for _ in 0..<2 { _ = EXIF(tiff)?.kept(by: .keep, size: PixelSize(width: 1, height: 1)) }
    }
    // Reading each entry's value would take 260 MB each time.
    #expect(time < 5, "seconds, in a build for tests")
  }

  @Test func randomBytesAreSafe() {
    var random = SplitMix64(seed: 21)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...120, using: &random)
      let tail = (0..<count).map { _ in UInt8.random(in: 0...12, using: &random) }
      let exif = EXIF(Array("II*\0".utf8) + tail)
      _ = exif?.orientation
      _ = exif?.kept(by: .keep, size: PixelSize(width: 1, height: 1))
    }
  }

  @Test(arguments: EXIFBuilder.ByteOrder.allCases)
  func copyrightAlone(order: EXIFBuilder.ByteOrder) throws {
    func rest(artist: String?, copyright: String?) throws -> [UInt8]? {
      let tiff = EXIFBuilder.tiff(
        byteOrder: order, orientation: 6, artist: artist, copyright: copyright, dateTimeOriginal: "2024:05:06 07:08:09",
        gps: true, thumbnail: [1, 2, 3])
      return try #require(EXIF(tiff)).kept(by: .copyright, size: PixelSize(width: 1, height: 1))
    }
    #expect(try rest(artist: nil, copyright: nil) == nil)
    for (artist, copyright) in [("Fixture Artist", "Fixture Owner"), ("ab", nil), (nil, "odd"), ("abc", "abcd")]
      as [(String?, String?)]
    {
      let exif = try #require(try rest(artist: artist, copyright: copyright))
      for text in [artist, copyright].compactMap({ $0 }) { #expect(holds(exif, text)) }
      #expect(!holds(exif, "2024"))
      // It reads its own output, and gives the same again.
      #expect(try #require(EXIF(exif)).kept(by: .copyright, size: PixelSize(width: 1, height: 1)) == exif)
      #expect(try #require(EXIF(exif)).orientation == .up)
    }
  }

  /// Hostile offsets and counts.
  @Test func copyrightOfAnyBytesIsSafe() throws {
    let tiff = EXIFBuilder.tiff(artist: "Fixture Artist", copyright: "Fixture Owner")
    for index in tiff.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = tiff
        changed[index] = value
        _ = EXIF(changed)?.kept(by: .copyright, size: PixelSize(width: 1, height: 1))
      }
    }
  }

  private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
    let text = Array(text.utf8)
    return bytes.indices.dropLast(text.count - 1).contains { Array(bytes[$0..<$0 + text.count]) == text }
  }
}
