import TestSupport
import Testing

@testable import FaceCrop

@Suite struct EXIFTests {
  private static let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 0xAB, count: 400) + [0xFF, 0xD9]

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test(arguments: EXIFBuilder.ByteOrder.allCases, EXIFBuilder.OrientationType.allCases)
  func cropsAreUprightOfTrueSizeAndWithoutThumbnail(
    order: EXIFBuilder.ByteOrder, type: EXIFBuilder.OrientationType
  ) throws {
    let payload = EXIFBuilder.payload(
      byteOrder: order, orientation: 6, orientationType: type, artist: "Ada Lovelace",
      pixelSize: (4_000, 3_000), gps: true, thumbnail: Self.thumbnail)
    let crop = try #require(EXIF(payload)?.kept(by: .keep, size: PixelSize(width: 321, height: 123)))
    let expected = EXIFBuilder.payload(
      byteOrder: order, orientation: 1, orientationType: type, artist: "Ada Lovelace",
      pixelSize: (321, 123), gps: true)
    #expect(try #require(EXIF(crop)).orientation == .up)
    #expect(Self.contains(crop, Array("Ada Lovelace".utf8)))
    #expect(!Self.contains(crop, Array(Self.thumbnail.prefix(8))))
    #expect(crop.count < payload.count - 300)
    // The rest is as if it had been written so: the second directory's room is zeros.
    #expect(crop.starts(with: expected.dropLast(4)))
    #expect(crop.dropFirst(expected.count).allSatisfy { $0 == 0 })
  }

  @Test func everyPrefixAndEveryByteAreSafe() throws {
    let payload = EXIFBuilder.payload(
      orientation: 6, artist: "A", pixelSize: (4_000, 3_000), gps: true, thumbnail: Self.thumbnail)
    let size = PixelSize(width: 10, height: 10)
    for length in payload.indices {
      _ = EXIF(Array(payload.prefix(length)))?.kept(by: .keep, size: size)
    }
    for offset in payload.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = payload
        changed[offset] = value
        if let exif = EXIF(changed) {
          #expect((exif.kept(by: .keep, size: size) ?? []).count <= payload.count)
        }
      }
    }
  }

  /// The thumbnail's directory lies in the first one, and taking it out takes the orientation too.
  @Test func ofDataWhosePartsOverlapTheOrientationIsKept() throws {
    let overlapping: [UInt8] =
      Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 2] + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
      + [0x01, 0x3B, 0, 2, 0, 0, 0, 4] + Array("Ada\0".utf8) + [0, 0, 0, 18]
    let exif = try #require(EXIF(overlapping))
    #expect(exif.orientation == .right)
    let size = PixelSize(width: 40, height: 30)
    #expect(exif.kept(by: .keep, size: size) == nil)
    let turned = exif.kept(by: .keep, size: size, orientation: .right)
    #expect(turned == exif.kept(by: .strip, size: size, orientation: .right))
    #expect(turned.flatMap(EXIF.init)?.orientation == .right)
  }

  @Test func randomBytesAreSafe() {
    var random = SplitMix64(seed: 21)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...120, using: &random)
      let tail = (0..<count).map { _ in UInt8.random(in: 0...12, using: &random) }
      let exif = EXIF(Array("Exif\0\0II*\0".utf8) + tail)
      _ = exif?.orientation
      _ = exif?.kept(by: .keep, size: PixelSize(width: 1, height: 1))
    }
  }

  /// A maker's note may hold a picture of its own, which would show what was cut off.
  @Test func aMakersNoteWithAPictureIsTakenOut() throws {
    // Little-endian: one directory with the Exif directory in it, which has a maker's note of 12 bytes.
    func long(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    func entry(_ tag: UInt16, _ type: UInt16, _ count: UInt32, _ value: UInt32) -> [UInt8] {
      [UInt8(tag & 255), UInt8(tag >> 8), UInt8(type), 0] + long(count) + long(value)
    }
    func payload(_ note: [UInt8]) -> [UInt8] {
      Array("Exif\0\0II*\0".utf8) + long(8) + [1, 0] + entry(0x8769, 4, 1, 26) + long(0)
        + [1, 0] + entry(0x927C, 7, UInt32(note.count), 44) + long(0) + note
    }
    let picture: [UInt8] = [1, 2, 3, 0xFF, 0xD8, 0xFF, 0xE0, 4, 5, 6, 7, 8]
    let text = Array("plain note..".utf8)
    let size = PixelSize(width: 1, height: 1)
    #expect(try #require(EXIF(payload(text))).kept(by: .keep, size: size) == payload(text))
    let cleaned = try #require(EXIF(payload(picture))?.kept(by: .keep, size: size))
    #expect(cleaned.suffix(12).allSatisfy { $0 == 0 })
    #expect(cleaned.count == payload(picture).count)
  }

  @Test(arguments: EXIFBuilder.ByteOrder.allCases)
  func copyrightAlone(order: EXIFBuilder.ByteOrder) throws {
    func rest(artist: String?, copyright: String?) throws -> [UInt8]? {
      let payload = EXIFBuilder.payload(
        byteOrder: order, orientation: 6, artist: artist, copyright: copyright, dateTimeOriginal: "2024:05:06 07:08:09",
        gps: true, thumbnail: [1, 2, 3])
      return try #require(EXIF(payload)).kept(by: .copyright, size: PixelSize(width: 1, height: 1))
    }
    #expect(try rest(artist: nil, copyright: nil) == nil)
    for (artist, copyright) in [("Fixture Artist", "Fixture Owner"), ("ab", nil), (nil, "odd"), ("abc", "abcd")]
      as [(String?, String?)]
    {
      let exif = try #require(try rest(artist: artist, copyright: copyright))
      for text in [artist, copyright].compactMap({ $0 }) { #expect(holds(exif, text)) }
      #expect(!holds(exif, "2024"))
      // It reads itself, and gives the same again.
      #expect(try #require(EXIF(exif)).kept(by: .copyright, size: PixelSize(width: 1, height: 1)) == exif)
      #expect(try #require(EXIF(exif)).orientation == .up)
    }
  }

  /// Offsets and counts of an attacker's.
  @Test func copyrightOfAnyBytesIsSafe() throws {
    let payload = EXIFBuilder.payload(artist: "Fixture Artist", copyright: "Fixture Owner")
    for index in payload.indices.dropFirst(6) {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = payload
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
