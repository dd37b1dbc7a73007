/// The multi-picture index of a JPEG file, in an APP2 segment (CIPA DC-007-2021, 5.2). It is a TIFF structure, and
/// offsets of images are relative to its start.
enum MultiPicture {
  static let identifier: StaticString = "MPF\0"

  /// The upper bound of images. Real files have at most three.
  private static let mostPictures = 8
  private static let entryTag = 0xB002
  private static let bytesPerEntry = 16

  /// Returns the ranges of the images after the first one. They are disjoint, so that reading all of them costs no more
  /// than the file. The segment's payload starts with the identifier.
  static func others(in bytes: ImageBytes, _ segment: Range<Int>, _ job: Job) throws(FaceCropError) -> [Range<Int>] {
    let start = segment.lowerBound + identifier.utf8CodeUnitCount
    let part = unsafe ImageBytes(
      UnsafeBufferPointer(rebasing: bytes.buffer[min(start, segment.upperBound)..<segment.upperBound]),
      isFileMapping: false)
    guard let file = TIFFFile(part), let directory = file.firstDirectory,
      let entries = try file.entries(at: directory, job)[entryTag]
    else { return [] }
    let (list, order) = (file.bytes(entries), file.kind.order)
    var pictures: [Range<Int>] = []
    for index in 1..<max(min(list.count / bytesPerEntry, mostPictures), 1) {
      guard let length = list.span.uint32(at: index * bytesPerEntry + 4, order),
        let offset = list.span.uint32(at: index * bytesPerEntry + 8, order), offset > 0, length > 0
      else { continue }
      let range = unsafe (start + offset..<start + offset + length).clamped(to: 0..<bytes.buffer.count)
      if !range.isEmpty, !pictures.contains(where: { $0.overlaps(range) }) { pictures.append(range) }
    }
    return pictures
  }

  /// The bytes of the segment from ``segment(at:first:second:)``, marker and length included.
  static let segmentBytes = 4 + 4 + 8 + 2 + 3 * 12 + 4 + 2 * bytesPerEntry

  /// Returns the segment at the offset `place` in a file of two images, one directly after the other. Both lengths are
  /// in bytes, and that of the first image includes this segment.
  static func segment(at place: Int, first: Int, second: Int) -> [UInt8] {
    // The first image is a representative baseline primary image. Offsets are relative to the end of the identifier.
    let numbers = [0x0003_0000, first, 0, 0, 0, second, first - (place + 8), 0]
    var index = EXIF(.bigEndian)
    // The version, the number of images, and the entries.
    index.values[.main] = [
      0xB000: EXIF.Value(type: .undefined, bytes: Array("0100".utf8)), 0xB001: index.long(2),
      entryTag: EXIF.Value(type: .undefined, bytes: numbers.flatMap { [UInt8](bigEndian: $0) }),
    ]
    return JPEGSegments.segment(0xE2, Array("MPF\0".utf8) + (index.written() ?? []))
  }
}
