internal import CGIFShim

/// The frames of an animated GIF file. Parts outside of the screen are not drawn.
@safe final class GIFFrames: FrameSource {
  let count, plays, pixels: Int

  private let file: GIFHeader
  private let bytes: ImageBytes
  private let job: Job
  private(set) var faults: Faults

  init(_ file: GIFHeader, _ bytes: ImageBytes, allowsDamage: Bool, job: Job) {
    (self.file, self.bytes, self.job) = (file, bytes, job)
    (count, plays) = (file.frameCount, file.plays)
    pixels = file.frames.reduce(0) { $0.addingClamped($1.frame.rect.size.bytes(channels: 1)) }
    faults = Faults(allowsDamage: allowsDamage, rows: file.size.height)
  }

  func frame(_ index: Int) throws(FaceCropError) -> FramePatch {
    let entry = file.frames[index]
    let rect = entry.frame.rect
    let place = rect.intersection(PixelRect(whole: file.size, scale: 8))
    let milliseconds = 10 * entry.control.delay
    guard place.width > 0, place.height > 0, unsafe !entry.frame.isEmpty(bytes.buffer.span) else {
      return .empty(milliseconds: milliseconds)
    }
    try entry.frame.check(dataBytes: entry.dataBytes)
    let palette = entry.colors.map { unsafe bytes.buffer.span.copy($0) }
    let colors = GIFHeader.colors(of: palette, transparent: entry.control.transparent)
    let drawn = try unsafe PixelBuffer.filled(size: place.size, format: .rgba) { (pixels) throws(FaceCropError) in
      let decoder = try GIFDecoder(reading: bytes, frame: entry.frame, kept: place.size, job: job)
      while try !decoder.absorb(count: 256) {}
      var indices = [UInt8](repeating: 0, count: place.width)
      for row in 0..<place.height {
        try decoder.readRow(into: &indices)
        unsafe fcgif_expand(indices, place.width, colors, 4, pixels.baseAddress! + 4 * row * place.width)
      }
      try faults.judge(decoder.damage, in: rect.y..<rect.y + rect.height)
      // Rows that are missing draw nothing.
      let intact = decoder.damage.kind == .none ? place.height : min(Int(decoder.damage.intactRows), place.height)
      unsafe UnsafeMutableBufferPointer(rebasing: pixels[(4 * intact * place.width)...]).update(repeating: 0)
    }.picture
    return FramePatch(
      pixels: drawn, place: place, isBlended: true, disposal: entry.control.disposal, milliseconds: milliseconds)
  }
}
