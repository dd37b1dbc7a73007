import TestSupport
import Testing

@testable import FaceCrop

@Suite struct TIFFEncoderTests {
  /// libtiff and our decoder return the exact samples, from one strip and from many.
  @Test(arguments: [1, 3, 4]) func othersReadTheSamePixels(channels: Int) throws {
    for (width, height) in [(1, 1), (3, 5), (700, 431), (29_000, 9)] {
      var picture = Pixels.noise(width: width, height: height, channels: channels)
      if channels == 4 {
        // libtiff's simplest call premultiplies alpha.
        picture = Pixels(
          width: width, height: height, channels: 4,
          samples: picture.samples.enumerated().map { $0 % 4 == 3 ? ($0 / 4 % 3 == 0 ? 0 : 255) : $1 })
      }
      let file = try TIFFEncoder.encode(EncoderInput(picture), job: .forTests())
      let read = try referenceDecodeTIFF(file)
      #expect(read.width == width && read.height == height)
      let isSame = (0..<width * height).allSatisfy { index in
        let pixel = picture.samples[index * channels..<(index + 1) * channels]
        let alpha = channels == 4 ? pixel.last! : 255
        let colors = channels == 1 ? [pixel.first!, pixel.first!, pixel.first!] : Array(pixel.prefix(3))
        return Array(read.samples[index * 4..<index * 4 + 4]) == (alpha == 0 ? [0, 0, 0, 0] : colors + [255])
      }
      #expect(isSame, "\(width)x\(height)x\(channels)")
      #expect(try decoded(file) == picture)
    }
  }

  @Test func profileAndMetadataAreInIt() throws {
    var crop = EncoderInput(Pixels.testPattern(width: 40, height: 30))
    let profile = ICCBuilder.profile(.displayP3)
    crop.colorProfile = profile
    crop.resolution = 600
    crop.xmp = XMPPacket.written(Credits(creators: ["A. Photographer"])).packet
    for order in [ByteOrder.littleEndian, .bigEndian] {
      var exif = EXIF(order)
      exif.values[.main] = [EXIFTags.artist: EXIF.Value(type: .ascii, bytes: Array("A. Name\0".utf8))]
      exif.values[.exif] = [EXIFTags.colorSpace: exif.short(1)]
      crop.exif = exif.written()
      let file = try TIFFEncoder.encode(crop, job: .forTests())
      let header = try withSession(file) { $0.header }
      #expect(header.profile == profile)
      let read = try #require(header.exif.flatMap { EXIF($0) })
      #expect(read.order == order && read.resolution == 600)
      #expect(read.text(EXIFTags.artist, in: .main).map(Array.init) == Array("A. Name".utf8))
      #expect(read.number(EXIFTags.colorSpace, in: .exif) == 1)
      #expect(header.credits.read().credits.creators == ["A. Photographer"])
      #expect(try decoded(file) == Pixels(crop.pixels))
    }
  }

  @Test func itIsCancelled() throws {
    let cancellation = Cancellation()
    let job = Job(limits: Limits(), cancellation: cancellation) { progress in
      if progress.completed > 100 { cancellation.cancel() }
    }
    #expect(throws: FaceCropError.cancelled) {
      try TIFFEncoder.encode(EncoderInput(Pixels.noise(width: 600, height: 600)), job: job)
    }
  }
}
