internal import CPNGShim

/// The frames of an animated PNG file (PNG Specification, third edition, 11.3.6). Each one is decoded as a PNG file of its
/// own, made of the file's header and colors and of the frame's data.
@safe final class PNGFrames: FrameSource {
  let plays, pixels: Int
  var count: Int { frames.count }

  private let bytes: ImageBytes
  private let job: Job
  private var frames: [Frame]
  /// The chunks of a frame's file before its data, without the size.
  private let header = 8..<33
  /// The palette and the transparent colors, one chunk of each.
  private let colors: [Range<Int>]
  private(set) var faults: Faults

  fileprivate struct Frame {
    var place: PixelRect
    var milliseconds: Int
    var disposal: FrameDisposal
    var isBlended: Bool
    /// The offset of the first chunk of compressed data; nil without data.
    var data: Int?

    /// The upper bound of its data. Pixels have up to 8 bytes, and rows one more.
    var mostBytes: Int { PNGFrames.mostBytes(place.size) }
  }

  /// Returns the upper bound of a frame's data in bytes, by its size.
  static func mostBytes(_ size: PixelSize) -> Int { size.bytes(channels: 65) / 8 + 1 << 20 }

  /// Reads the list of frames, at most as many as the file declares.
  init(
    _ file: ImageBytes, size: PixelSize, most: Int, allowsDamage: Bool, job: Job
  ) throws(FaceCropError) {
    (bytes, self.job) = (file, job)
    faults = Faults(allowsDamage: allowsDamage, rows: size.height)
    let bytes = unsafe file.buffer.span
    var frames: [Frame] = []
    var plays = 1
    var hasData = false
    var colors: [Range<Int>] = []
    try Self.walk(bytes, from: 8, job) { (name, chunk, data) throws(FaceCropError) in
      switch name {
      case "acTL" where data.count == 8: plays = bytes.uint32(at: data.lowerBound + 4) ?? 1
      // Those behind the first data have no effect. Each is copied for each frame.
      case "PLTE", "tRNS":
        let isKnown = colors.contains { bytes.uint32(at: $0.lowerBound + 4) == bytes.uint32(at: chunk.lowerBound + 4) }
        if !hasData, !isKnown, chunk.count < 1_024 { colors.append(chunk) }
      case "fcTL":
        guard frames.count < most else { return false }
        guard data.count == 26, let frame = Frame(bytes, at: data.lowerBound),
          frame.place.intersection(PixelRect(whole: size, scale: 8)) == frame.place
        else { throw .corrupt("the frame \(frames.count) of the animation is invalid") }
        frames.append(frame)
      case "IDAT":
        guard !frames.isEmpty else {
          throw .unsupported("the image of the PNG file is no frame of its animation (choose the first frame)")
        }
        fallthrough
      case "fdAT":
        hasData = true
        if let last = frames.indices.last, frames[last].data == nil { frames[last].data = chunk.lowerBound }
      default: break
      }
      return true
    }
    // A frame whose data are missing is not shown.
    self.frames = frames.filter { $0.data != nil }
    (self.plays, self.colors) = (plays, colors)
    pixels = self.frames.reduce(0) { $0.addingClamped($1.place.size.bytes(channels: 1)) }
  }

  /// Calls `body` with each complete chunk and its content, up to the end, or until it returns false.
  private static func walk(
    _ bytes: Span<UInt8>, from start: Int, _ job: Job,
    _ body: (_ name: FourCharacterCode, _ chunk: Range<Int>, _ data: Range<Int>) throws(FaceCropError) -> Bool
  ) throws(FaceCropError) {
    var place = start
    while let length = bytes.uint32(at: place), let name = bytes.uint32(at: place + 4) {
      try job.step()
      let data = place + 8..<place + 8 + length
      guard data.upperBound <= bytes.count, name != 0x4945_4E44,
        try body(FourCharacterCode(value: UInt32(name)), place..<data.upperBound + 4, data)
      else { return }
      place = data.upperBound + 4
    }
  }

  func frame(_ index: Int) throws(FaceCropError) -> FramePatch {
    let frame = frames[index]
    let place = frame.place
    let file = try file(of: frame)
    let drawn = try unsafe file.span.withBuffer { (buffer) throws(FaceCropError) in
      let decoder = try PNGDecoder(reading: unsafe ImageBytes(buffer, isFileMapping: false), job: job)
      let isInterlaced = try unsafe decoder.header().isInterlaced
      if isInterlaced { try job.limits.check(.imageBytes, place.size.bytes(channels: 8)) }
      try decoder.start(format: .rgba)
      if isInterlaced {
        while try !decoder.absorb(count: 16) {}
      }
      return try unsafe PixelBuffer.filled(size: place.size, format: .rgba) { (pixels) throws(FaceCropError) in
        unsafe pixels.initialize(repeating: 0)
        let bytesPerRow = 4 * place.width
        for row in stride(from: 0, to: place.height, by: 16) {
          try job.check()
          let rows = unsafe UnsafeMutableBufferPointer(rebasing: pixels[(row * bytesPerRow)...])
          try unsafe decoder.readRows(
            columns: 0..<place.width, into: rows, bytesPerRow: bytesPerRow, count: min(16, place.height - row))
        }
        try faults.judge(decoder.damage, in: place.y..<place.y + place.height, goesOn: true)
      }.picture
    }
    return FramePatch(
      pixels: drawn, place: place, isBlended: frame.isBlended, disposal: frame.disposal,
      milliseconds: frame.milliseconds)
  }

  /// Returns a file with a frame's data in one chunk.
  private func file(of frame: Frame) throws(FaceCropError) -> [UInt8] {
    var start = unsafe bytes.buffer.span.copy(header)
    start.replaceSubrange(8..<16, with: [UInt8](bigEndian: frame.place.width) + [UInt8](bigEndian: frame.place.height))
    start.removeLast(4)
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += start
    Self.addChecksum(to: &file, from: 12)
    for range in colors { unsafe file += bytes.buffer[range] }
    let chunk = file.count
    file += [UInt8](bigEndian: 0) + Array("IDAT".utf8)
    try unsafe Self.walk(bytes.buffer.span, from: frame.data!, job) { (name, _, data) throws(FaceCropError) in
      // The data of later frames begin with a number.
      let own = name == "fdAT" ? data.dropFirst(4) : data
      guard name == "IDAT" || name == "fdAT" else { return name != "fcTL" }
      guard file.count + own.count <= min(frame.mostBytes, Int(Int32.max)) else {
        throw .corrupt("a frame of \(frame.place.width)×\(frame.place.height) has more data than its pixels")
      }
      unsafe file += bytes.buffer[own]
      return true
    }
    file.replaceSubrange(chunk..<chunk + 4, with: [UInt8](bigEndian: file.count - chunk - 8))
    Self.addChecksum(to: &file, from: chunk + 4)
    file += [UInt8](bigEndian: 0) + Array("IEND".utf8)
    Self.addChecksum(to: &file, from: file.count - 4)
    return file
  }

  private static func addChecksum(to file: inout [UInt8], from start: Int) {
    let checksum = unsafe file.withUnsafeBufferPointer { file in
      unsafe fcpng_checksum(file.baseAddress! + start, file.count - start)
    }
    file += [UInt8](bigEndian: Int(checksum))
  }
}

extension PNGFrames.Frame {
  /// Reads a frame control chunk; nil if it has no pixels.
  fileprivate init?(_ bytes: Span<UInt8>, at place: Int) {
    func number(_ index: Int) -> Int { bytes.uint32(at: place + 4 + 4 * index) ?? 0 }
    let rect = PixelRect(x: number(2), y: number(3), width: number(0), height: number(1))
    guard rect.width > 0, rect.height > 0, let numerator = bytes.uint16(at: place + 20),
      let denominator = bytes.uint16(at: place + 22), let disposal = bytes.byte(at: place + 24),
      let blending = bytes.byte(at: place + 25), disposal <= 2, blending <= 1
    else { return nil }
    self.place = rect
    let parts = denominator == 0 ? 100 : denominator
    milliseconds = (2_000 * numerator + parts) / (2 * parts)
    self.disposal = [.keep, .clear, .restore][Int(disposal)]
    isBlended = blending == 1
  }
}
