extension PixelBuffer {
  /// The picture turned for display. A picture that is upright already is returned as it is, without a copy.
  ///
  /// Walks the output row by row; where the axes are swapped it reads down a column of the input, in tiles so that the
  /// lines of the input that are in use fit the processor's cache.
  func upright(_ orientation: Orientation) -> PixelBuffer {
    guard orientation != .up else { return self }
    let shown = orientation.applied(to: size)
    let channels = format.channels
    // The stored position of the displayed origin, and the steps in bytes for one pixel right and one down.
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
