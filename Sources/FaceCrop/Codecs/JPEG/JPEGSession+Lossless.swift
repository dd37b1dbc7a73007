internal import CJPEGShim

/// Out of a file of one Huffman-coded scan the region's bits are cut, with the codes that they have; of all others, and of
/// damaged ones, the coefficients are read and written anew.
extension JPEGSession: LosslessSession {
  func losslessCut(
    of rect: PixelRect, part: (index: Int, count: Int), exif: (_ size: PixelSize) -> [UInt8]?
  ) throws(FaceCropError) -> (bytes: [UInt8], rect: PixelRect) {
    func report(_ fraction: Double) {
      let rows = header.size.height
      job.report(.render, part.index * rows + Int(fraction * Double(rows)), of: part.count * rows)
    }
    if let index = try openIndex() {
      let mcus = MCURect(covering: rect, mcu: index.mcu)
      let shown = mcus.pixels(mcu: index.mcu, in: header.size)
      let file = try JPEGFile(exif: exif(shown.size), profile: profile)
      let bytes = try unsafe index.withCut(of: mcus, progress: report) { (jpeg) throws(FaceCropError) in
        try unsafe file.bytes { (file, segments) throws(FaceCropError) in
          guard unsafe fcjpeg_with_segments(jpeg.baseAddress!, jpeg.count, segments, file) == .ok else {
            throw .outOfMemory
          }
        }
      }
      if let bytes {
        lastPath = .index
        noteRemarks(of: index, includesLastRow: shown.y + shown.height == header.size.height)
        return (bytes, shown)
      }
    }
    let scans = try fullSizeScans()
    try gather(scans, onlyFirst: false, progress: report)
    let mcu = scans.decoder.mcu
    let mcus = MCURect(covering: rect, mcu: mcu)
    let shown = mcus.pixels(mcu: mcu, in: header.size)
    lastPath = .coefficients
    return (try scans.decoder.losslessCrop(of: mcus, into: JPEGFile(exif: exif(shown.size), profile: profile)), shown)
  }
}
