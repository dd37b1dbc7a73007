import TestSupport
import Testing

@testable import FaceCrop

/// Boxes with extended sizes, which libjxl before version 0.11 misreads.
@Suite struct JXLBoxesTests {
  /// Gives every box behind the file type a size of 64 bits.
  private static func extended(_ file: [UInt8]) -> [UInt8] {
    var made: [UInt8] = []
    var at = 0
    while at < file.count {
      let size = file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = size == 0 ? file.count : at + size
      let type = file[at + 4..<at + 8]
      if at < 32 {
        made += file[at..<end]
      } else {
        made += [0, 0, 0, 1] + type + UInt64(end - at + 8).bigEndianBytes + file[at + 8..<end]
      }
      at = end
    }
    return made
  }

  @Test func extendedSizesAreRead() throws {
    let pattern = Pixels.testPattern(width: 61, height: 43)
    let exif = EXIFBuilder.tiff(orientation: 1, artist: "Ada")
    let file = try JXLRecipe().with { ($0.hasContainer, $0.exif) = (true, exif) }.encode(pattern)
    let changed = Self.extended(file)
    #expect(changed.count > file.count)
    #expect(try decoded(changed) == pattern)
    #expect(try withSession(changed) { (session) throws(FaceCropError) in session.header.exif } == exif)
    // Sizes that no box has, and files that end inside one.
    for count in stride(from: 0, to: changed.count - 1, by: 5) {
      #expect(throws: FaceCropError.self) { try decoded(Array(changed.prefix(count))) }
    }
    for place in 40..<48 {
      var broken = changed
      broken[place] = 0xFF
      _ = try? decoded(broken)
    }
  }
}
