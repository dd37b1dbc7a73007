internal import CGIFShim

/// An encoder for GIF files (GIF89a). Each frame has its own colors, and draws only the part that changed.
final class GIFEncoder: AnimationEncoder {
  private let size: PixelSize
  private let job: Job
  private var file: [UInt8]
  /// The pixels of the last frame, where its extension begins, and its times.
  private var last: (pixels: PixelBuffer, start: Int, begin: Int, end: Int, isWhole: Bool)?

  /// Encodes an image.
  static func encode(_ input: EncoderInput, job: Job) throws(FaceCropError) -> [UInt8] {
    job.report(.encode, 0, of: 1)
    let encoder = try GIFEncoder(for: input, plays: nil, job: job)
    try encoder.add(input.pixels, milliseconds: 0)
    let bytes = encoder.finish()
    job.report(.encode, 1, of: 1)
    return bytes
  }

  /// Returns an upper bound of the bytes: two frames in RGBA, indices, their codes, the file while it grows, and tables.
  static func bytes(area: Double, frames: Double) -> Double { area * (11 + 4 * frames) + 3 * 0x1p20 }

  /// Begins a file with the metadata of its first frame. `plays` is nil for a still image, and 0 for forever.
  init(for first: EncoderInput, plays: Int?, job: Job) throws(FaceCropError) {
    (size, self.job) = (first.pixels.size, job)
    // Without global colors; eight bits of color.
    file = Array("GIF89a".utf8) + Self.number(size.width) + Self.number(size.height) + [0x70, 0, 0]
    if let plays, plays != 1 {
      // The animation plays once before it repeats.
      let repetitions = min(max(plays - 1, 0), Int(UInt16.max))
      file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.number(repetitions) + [0]
    }
    if let profile = try first.profileOfRGB(job) {
      file += [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8)
      for start in stride(from: 0, to: profile.count, by: 255) {
        let block = profile[start..<min(start + 255, profile.count)]
        file += [UInt8(block.count)] + block
      }
      file += [0]
    }
    if let xmp = first.xmp {
      // Readers that know only blocks skip the packet by the bytes after it (XMP Specification, part 3, 1.1.2).
      file += [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + xmp + [1] + (0...255).reversed().map { UInt8($0) } + [0]
    }
  }

  func add(_ frame: PixelBuffer, milliseconds: Int) throws(FaceCropError) {
    precondition(frame.size == size, "the frame has another size")
    let frame = frame.withAlpha()
    var previous = last?.pixels
    if let last, last.pixels.shows(above: frame) {
      // The last frame must vanish first. Its whole screen is cleared, so it must draw the whole screen.
      if !last.isWhole {
        file.removeSubrange(last.start...)
        try write(last.pixels, over: nil, part: PixelRect(whole: size, scale: 8), last.begin..<last.end)
      }
      file[last.start + 3] = file[last.start + 3] & 1 | 2 << 2
      previous = nil
    }
    let begin = last?.end ?? 0
    let end = begin.addingClamped(milliseconds)
    let start = file.count
    var part = PixelRect(whole: size, scale: 8)
    if let previous {
      var found = FCGIFPart()
      try unsafe check(withPicture(frame, over: previous) { unsafe fcgif_find_changes($0, &found) })
      part = PixelRect(x: Int(found.x), y: Int(found.y), width: Int(found.width), height: Int(found.height))
    }
    try write(frame, over: previous, part: part, begin..<end)
    last = (frame, start, begin, end, part.size == size)
  }

  func finish() -> [UInt8] {
    last = nil
    defer { file = [] }
    return file + [0x3B]
  }

  /// Writes a part of a frame, which shows for a time; its end is rounded to hundredths of a second.
  private func write(
    _ frame: PixelBuffer, over previous: PixelBuffer?, part: PixelRect, _ time: Range<Int>
  ) throws(FaceCropError) {
    var palette = FCGIFPalette()
    var indices = [UInt8](repeating: 0, count: part.width * part.height)
    let place = FCGIFPart(
      x: UInt32(part.x), y: UInt32(part.y), width: UInt32(part.width), height: UInt32(part.height))
    try unsafe check(withPicture(frame, over: previous) { unsafe fcgif_index($0, place, &palette, &indices) })
    let count = max(Int(palette.count) + (palette.hasTransparency ? 1 : 0), 2)
    let bits = max((count - 1).bitWidth - (count - 1).leadingZeroBitCount, 1)
    let hundredths = min((time.upperBound + 5) / 10 - (time.lowerBound + 5) / 10, Int(UInt16.max))
    // Frames stay, and the next one is drawn over them.
    file += [0x21, 0xF9, 4, 1 << 2 | (palette.hasTransparency ? 1 : 0)] + Self.number(hundredths)
    file += [palette.hasTransparency ? UInt8(palette.count) : 0, 0, 0x2C]
    file += [part.x, part.y, part.width, part.height].flatMap(Self.number)
    file.append(UInt8(0x80 | bits - 1))
    unsafe withUnsafeBytes(of: &palette.colors) { colors in unsafe file += colors.prefix(3 << bits) }
    let minimum = UInt32(max(bits, 2))
    var written = 0
    var status = FCStatus.ok
    let data = unsafe [UInt8](unsafeUninitializedCapacity: 2 * indices.count + 64) { data, count in
      status = unsafe fcgif_compress(
        indices, indices.count, minimum, data.baseAddress!, data.count, job.cancellation.flag, &written)
      count = status == .ok ? written : 0
    }
    try check(status)
    file += data
    try job.limits.check(.resultBytes, file.count)
  }

  private func withPicture(
    _ frame: PixelBuffer, over previous: PixelBuffer?, _ body: (FCGIFPicture) -> FCStatus
  ) -> FCStatus {
    unsafe frame.bytes.withUnsafeBufferPointer { pixels in
      unsafe (previous?.bytes ?? []).withUnsafeBufferPointer { before in
        unsafe body(
          FCGIFPicture(
            pixels: pixels.baseAddress!, previous: previous == nil ? nil : before.baseAddress,
            width: UInt32(size.width), height: UInt32(size.height), cancellation: job.cancellation.flag))
      }
    }
  }

  private func check(_ status: FCStatus) throws(FaceCropError) {
    try status.checkEncoding("the frame cannot be written as GIF")
  }

  private static func number(_ value: Int) -> [UInt8] { [UInt8](value, count: 2, .littleEndian) }
}

extension PixelBuffer {
  /// Returns whether an opaque pixel lies where `next` is transparent. Both are in RGBA, and GIF has no other alpha.
  fileprivate func shows(above next: PixelBuffer) -> Bool {
    stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] >= 128 && next.bytes[$0] < 128 }
  }
}
