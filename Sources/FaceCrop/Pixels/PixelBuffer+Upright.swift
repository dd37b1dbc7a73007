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
    let (outer, inner) = isTransposed ? (width, count) : (count, width)
    for a in 0..<outer {
      for b in 0..<inner {
        let (x, y) = isTransposed ? (a, b) : (b, a)
        let from = (y * width + x) * channels
        let to = origin + x * right + (first + y) * down
        for channel in 0..<channels { unsafe output[to + channel] = unsafe rows[from + channel] }
      }
    }
  }
}

extension PixelBuffer {
  /// Returns the image rotated for display. An upright image is returned without a copy.
  ///
  /// It writes the output row by row. For swapped axes it reads columns of the input, in tiles, so that the active
  /// input rows fit into the processor's cache.
  func upright(_ orientation: Orientation) -> PixelBuffer {
    guard orientation != .up else { return self }
    let shown = orientation.applied(to: size)
    let channels = format.channels
    // The stored position of the displayed origin, and the byte offsets for one pixel right and one down.
    func offset(_ x: Int, _ y: Int) -> Int {
      let stored = orientation.stored(PixelRect(x: x, y: y, width: 1, height: 1), in: size)
      return (stored.y * size.width + stored.x) * channels
    }
    let origin = offset(0, 0)
    let right = shown.width > 1 ? offset(1, 0) - origin : 0
    let down = shown.height > 1 ? offset(0, 1) - origin : 0

    let turned = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
      unsafe bytes.withUnsafeBufferPointer { input in
        let tile = 32
        for top in stride(from: 0, to: shown.height, by: tile) {
          for left in stride(from: 0, to: shown.width, by: tile) {
            for y in top..<min(top + tile, shown.height) {
              var to = (y * shown.width + left) * channels
              var from = origin + y * down + left * right
              for _ in left..<min(left + tile, shown.width) {
                for channel in 0..<channels { unsafe output[to + channel] = unsafe input[from + channel] }
                to += channels
                from += right
              }
            }
          }
        }
      }
      count = bytes.count
    }
    return PixelBuffer(size: shown, format: format, bytes: turned)
  }
}
