/// A position in a file's blocks, which may be after its end.
struct GIFBlocks {
  let file: ImageBytes
  var place: Int
  let job: Job

  mutating func takeByte() -> UInt8? {
    defer { place += 1 }
    return unsafe file.buffer.span.byte(at: place)
  }

  /// Skips the color table of a descriptor's flags; nil if it is missing or incomplete.
  mutating func takeColors(_ flags: UInt8) -> Range<Int>? {
    guard flags & 0x80 != 0 else { return nil }
    let range = place..<place + 3 << (Int(flags & 7) + 1)
    place = range.upperBound
    return unsafe range.upperBound <= file.buffer.count ? range : nil
  }

  /// Skips sub-blocks. Returns the number of bytes in them, and whether the file continues after them.
  mutating func skipData() throws(FaceCropError) -> (count: Int, isWhole: Bool) {
    var count = 0
    while let length = takeByte() {
      try job.step()
      if length == 0 { return (count, true) }
      place += Int(length)
      count += Int(length)
    }
    return (count, false)
  }

  /// Reads the content of sub-blocks; empty if the file ends inside them.
  mutating func takeData(_ limits: Limits) throws(FaceCropError) -> [UInt8] {
    var data: [UInt8] = []
    while let length = takeByte() {
      try job.step()
      if length == 0 { return data }
      let range = place..<place + Int(length)
      guard unsafe range.upperBound <= file.buffer.count else { break }
      try limits.check(.metadataBytes, data.count + range.count)
      unsafe data += file.buffer[range]
      place = range.upperBound
    }
    return []
  }
}
