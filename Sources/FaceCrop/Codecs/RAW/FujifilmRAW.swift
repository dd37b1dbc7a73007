/// Fujifilm's RAF: a header with fixed big-endian fields (https://libopenraw.freedesktop.org/formats/raf/).
enum FujifilmRAW {
  static func contents(of bytes: ImageBytes) throws(FaceCropError) -> RAWContents {
    let span = unsafe bytes.buffer.span
    guard let preview = span.uint32(at: 84), let length = span.uint32(at: 88), let records = span.uint32(at: 92) else {
      throw .corrupt("the file ends inside its header")
    }
    var contents = RAWContents(.raf)
    contents.addPreview(at: preview, length)
    contents.setCamera(make: Array("Fujifilm".utf8), model: span.copy(28..<60))
    // Each record has a tag, a length, and data. Sizes have the height before the width.
    var place = records + 4
    for _ in 0..<min(span.uint32(at: records) ?? 0, 256) {
      guard let tag = span.uint16(at: place), let length = span.uint16(at: place + 2) else { break }
      // The tags are the size of the whole sensor, and without its border.
      if tag == 0x100 || tag == 0x111, let height = span.uint16(at: place + 4), let width = span.uint16(at: place + 6) {
        contents.origin.sensorSize = PixelSize(width: width, height: height)
      }
      place += 4 + length
    }
    return contents
  }
}
