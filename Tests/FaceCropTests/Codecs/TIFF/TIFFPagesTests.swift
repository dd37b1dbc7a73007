import TestSupport
import Testing

@testable import FaceCrop

/// Files of several pages, and the one that is read.
@Suite struct TIFFPagesTests {
  private static func level(_ bytes: [UInt8], page: Int? = nil) async throws -> UInt8 {
    var source = ImageSource.bytes(bytes)
    source.page = page
    return try await FaceCropper(detector: StubDetector()).crop(source).crops[0].pixels.bytes[0]
  }

  @Test func aPageIsReadByItsNumber() async throws {
    let file = TIFFBuilder.pages([(10, nil), (20, 0), (30, nil)])
    for (page, level) in [(nil, 10), (1, 10), (2, 20), (3, 30)] as [(Int?, UInt8)] {
      #expect(try await Self.level(file, page: page) == level)
      var source = ImageSource.bytes(file)
      source.page = page
      #expect(try await FaceCropper().info(of: source).pageCount == 3)
    }
    for page in [0, 4, -1, Int.max] {
      await #expect(throws: FaceCropError.self) { try await Self.level(file, page: page) }
    }
    let png = PNGBuilder(width: 9, height: 9).encoded()
    #expect(try await FaceCropper().info(of: .bytes(png)).pageCount == 1)
    await #expect(throws: FaceCropError.self) { try await Self.level(png, page: 2) }
    _ = try await Self.level(png, page: 1)
  }

  /// A reduced image (NewSubfileType 1) comes first in some files.
  @Test func theFullImageIsReadInPlaceOfAReducedOne() async throws {
    #expect(try await Self.level(TIFFBuilder.pages([(10, 1), (20, 1), (30, 0)])) == 30)
    #expect(try await Self.level(TIFFBuilder.pages([(10, 1), (20, nil)])) == 20)
    #expect(try await Self.level(TIFFBuilder.pages([(10, 1), (20, 0)]), page: 1) == 10)
    #expect(try await Self.level(TIFFBuilder.pages([(10, 1), (20, 1)])) == 10)
    #expect(try await Self.level(TIFFBuilder.pages([(10, 0), (20, 1)])) == 10)
  }

  /// A list of pages that leads back to itself, or out of the file, ends there.
  @Test func listsWithoutAnEndAreCut() async throws {
    var file = TIFFBuilder.pages([(10, nil), (20, nil)])
    let links = file.indices.dropLast(3).filter { Array(file[$0..<$0 + 4]) == [0, 0, 0, 0] }
    let last = try #require(links.last)
    for target in [Array(file[4..<8]), [0xFF, 0xFF, 0xFF, 0x7F], [3, 0, 0, 0]] {
      file.replaceSubrange(last..<last + 4, with: target)
      #expect(try await FaceCropper().info(of: .bytes(file)).pageCount <= 3)
      #expect(try await Self.level(file) == 10)
    }
  }

  /// Without Photometric, fax pages are black on white, as libtiff reads them.
  @Test func faxPagesAreWhite() async throws {
    // Eight white rows of ITU-T T.6, and the end.
    var fax = TIFFBuilder(width: 32, height: 8, colors: .gray, stream: [0xFF, 0x00, 0x10, 0x01], compression: 4)
    fax.bits = 1
    #expect(try await Self.level(fax.encoded()) == 0)
    fax.changes.updateValue(nil, forKey: 262)
    #expect(try await Self.level(fax.encoded()) == 255)
  }
}
