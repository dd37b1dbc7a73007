import TestSupport
import Testing

@testable import FaceCrop

/// A program that adds keywords to a file makes no other image of it.
@Suite struct ImageDataHashTests {
  private static func tiff(_ orientation: UInt16, artist: String = "Ada Lovelace") -> [UInt8] {
    EXIFBuilder.tiff(byteOrder: .big, orientation: orientation, artist: artist)
  }

  private static let packet = CreditBuilder.packet(properties: "<xmp:Rating>5</xmp:Rating>")

  private static func jpeg(_ segments: [MarkerSegment], seed: UInt64 = 7) throws -> [UInt8] {
    let file = try JPEGRecipe(quality: 80, progressive: true).encode(Pixels.noise(width: 40, height: 24, seed: seed))
    return JPEGSurgery.inserting(segments, into: file)
  }

  private static func png(_ chunks: [(name: String, data: [UInt8])], pixels: UInt8 = 1) -> [UInt8] {
    let all = [("IHDR", [0, 0, 0, 9])] + chunks + [("IDAT", [pixels, 2, 3]), ("IEND", [])]
    return PNGBuilder.signature + all.flatMap { PNGBuilder.chunk($0.0, $0.1) }
  }

  @Test func metadataLeavesAJPEGTheSame() throws {
    let hash = try ImageDataHash.text(of: Self.jpeg([]))
    #expect(hash?.count == 64)
    let profile = MarkerSegment.app(2, Array("MPF\0anything".utf8))
    for segments in [
      [.exif(Self.tiff(1))], [CreditBuilder.segment(xmp: Self.packet)], [.comment("Paris")], [profile],
      CreditBuilder.segments(iptc: [1, 2, 3]), [.exif(Self.tiff(1, artist: "Grace")), .comment("x")],
    ] {
      #expect(try ImageDataHash.text(of: Self.jpeg(segments)) == hash, "\(segments.map(\.code))")
    }
    #expect(try ImageDataHash.text(of: Self.jpeg([], seed: 8)) != hash)
    let adobe = MarkerSegment.app(14, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    #expect(try ImageDataHash.text(of: Self.jpeg([adobe])) != hash)
    for orientation: UInt16 in 2...8 {
      #expect(try ImageDataHash.text(of: Self.jpeg([.exif(Self.tiff(orientation))])) != hash)
    }
  }

  @Test func metadataLeavesAPNGAndAWebPTheSame() {
    let tiff = Self.tiff(1)
    let png = ImageDataHash.text(of: Self.png([]))
    #expect(png != nil && ImageDataHash.text(of: Self.png([], pixels: 2)) != png)
    #expect(
      ImageDataHash.text(of: Self.png([("tEXt", [65]), ("eXIf", tiff), ("iTXt", [1, 2]), ("tIME", [3])])) == png)
    #expect(ImageDataHash.text(of: Self.png([("eXIf", Self.tiff(6))])) != png)
    #expect(ImageDataHash.text(of: Self.png([("gAMA", [0, 0, 0, 1])])) != png)

    let picture: WebPBuilder.Chunk = ("VP8L", [1, 2, 3])
    let webp = ImageDataHash.text(of: WebPBuilder.file([picture]))
    let header = WebPBuilder.extended(flags: 12, width: 9, height: 9)
    #expect(webp != nil && ImageDataHash.text(of: WebPBuilder.file([("VP8L", [1, 2, 4])])) != webp)
    #expect(ImageDataHash.text(of: WebPBuilder.file([header, picture, ("EXIF", tiff), ("XMP ", [7])])) == webp)
    #expect(ImageDataHash.text(of: WebPBuilder.file([header, picture, ("EXIF", Self.tiff(3))])) != webp)
  }

  @Test func otherFormatsHaveNone() {
    for file in ["", "GIF89a", "II*\0", "BM"] { #expect(ImageDataHash.text(of: Array(file.utf8)) == nil) }
  }

  /// Each beginning of a file, and each wrong length, gives a hash of its own.
  @Test func brokenFilesAreRead() throws {
    let files = [
      try Self.jpeg([.exif(Self.tiff(1))]), Self.png([("tEXt", [65])]),
      WebPBuilder.file([("VP8L", [1, 2, 3]), ("EXIF", [1])]),
    ]
    for file in files {
      // Metadata and the format's mark come first, so the beginnings of these are equal.
      let whole = ImageDataHash.text(of: file)
      for count in stride(from: 16, to: file.count - 12, by: 5) {
        let beginning = ImageDataHash.text(of: Array(file.prefix(count)))
        #expect(beginning != nil && beginning != whole)
      }
      for index in 8..<min(file.count, 60) {
        var changed = file
        changed[index] = 0xFF
        _ = ImageDataHash.text(of: changed)
      }
    }
  }
}
