/// A rotation to upright of an image that arrives in bands of stored rows, from the top.
struct BandTurner {
  let size: PixelSize
  let isUpright: Bool
  private let width: Int
  private let channels: Int
  /// The byte offset of the stored origin in the output, and the offsets for one pixel right and one down.
  private let origin: Int
  private let right: Int
  private let down: Int

  /// Creates a rotation of an image with the size `stored`.
  init(_ orientation: Orientation, stored: PixelSize, format: PixelBuffer.Format) {
    let shown = orientation.applied(to: stored)
    let channels = format.channels
    func offset(_ x: Int, _ y: Int) -> Int {
      let place = orientation.displayed(PixelRect(x: x, y: y, width: 1, height: 1), in: stored)
      return (place.y * shown.width + place.x) * channels
    }
    isUpright = orientation == .up
    size = shown
    width = stored.width
    self.channels = channels
    origin = offset(0, 0)
    right = stored.width > 1 ? offset(1, 0) - origin : 0
    down = stored.height > 1 ? offset(0, 1) - origin : 0
  }

  /// Writes `count` whole rows, starting with row `first` of the image, to the memory of the whole output.
  func turn(
    _ rows: UnsafeBufferPointer<UInt8>, first: Int, count: Int, into output: UnsafeMutableBufferPointer<UInt8>
  ) {
    let bytes = count * width * channels
    precondition(rows.count >= bytes && output.count >= size.width * size.height * channels)
    if isUpright {
      unsafe (output.baseAddress! + first * width * channels).update(from: rows.baseAddress!, count: bytes)
      return
    }
    // The outer loop follows the output's rows.
    let isTransposed = abs(down) < abs(right)
    let (across, along) = ((count: width, from: channels, to: right), (count: count, from: width * channels, to: down))
    let (outer, inner) = isTransposed ? (across, along) : (along, across)
    for line in 0..<outer.count {
      var from = line * outer.from
      var to = origin + first * down + line * outer.to
      for _ in 0..<inner.count {
        for channel in 0..<channels { unsafe output[to + channel] = unsafe rows[from + channel] }
        from += inner.from
        to += inner.to
      }
    }
  }
}

extension PixelBuffer {
  /// Returns the image rotated for display. An upright image is returned without a copy. The bands of rows fit into the
  /// processor's cache.
  func upright(_ orientation: Orientation) -> PixelBuffer {
    guard orientation != .up else { return self }
    let turner = BandTurner(orientation, stored: size, format: format)
    return unsafe PixelBuffer(size: turner.size, format: format) { output in
      unsafe bytes.withUnsafeBufferPointer { input in
        let rowsAtOnce = 32
        for top in stride(from: 0, to: height, by: rowsAtOnce) {
          unsafe turner.turn(
            input.extracting((top * bytesPerRow)...), first: top, count: min(rowsAtOnce, height - top), into: output)
        }
      }
    }
  }
}
