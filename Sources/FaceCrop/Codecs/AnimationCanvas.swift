/// The canvas of an animation, transparent at first, on which frames are drawn one after the other.
struct AnimationCanvas {
  private(set) var pixels: PixelBuffer
  /// The change before the next frame.
  private var pending: Change?

  private enum Change {
    case clear(PixelRect)
    case restore(PixelRect, PixelBuffer)
  }

  init(size: PixelSize) throws(FaceCropError) {
    pixels = try unsafe PixelBuffer.filled(size: size, format: .rgba) { unsafe $0.initialize(repeating: 0) }.picture
  }

  /// Disposes of the previous frame, and draws a frame.
  mutating func draw(_ patch: FramePatch) {
    switch pending.take() {
    case .clear(let place): put(nil, at: place, isBlended: false)
    case .restore(let place, let before): put(before, at: place, isBlended: false)
    case nil: break
    }
    let place = patch.place
    guard place.width > 0 && place.height > 0 else { return }
    switch patch.disposal {
    case .keep: break
    case .clear: pending = .clear(place)
    case .restore: pending = .restore(place, pixels.cropped(to: place))
    }
    put(patch.pixels, at: place, isBlended: patch.isBlended)
  }

  /// Writes pixels into a rectangle of their size. Nil clears the rectangle.
  private mutating func put(_ patch: PixelBuffer?, at place: PixelRect, isBlended: Bool) {
    let (width, channels) = (pixels.width, patch?.format.channels ?? 0)
    unsafe pixels.bytes.withUnsafeMutableBufferPointer { canvas in
      for row in 0..<place.height {
        let start = 4 * ((place.y + row) * width + place.x)
        guard let patch else {
          unsafe UnsafeMutableBufferPointer(rebasing: canvas[start..<start + 4 * place.width]).update(repeating: 0)
          continue
        }
        unsafe patch.bytes.withUnsafeBufferPointer { source in
          for column in 0..<place.width {
            let from = channels * (row * place.width + column)
            let color = unsafe RGBA(source, at: from, hasAlpha: channels == 4)
            unsafe color.put(on: canvas, at: start + 4 * column, isBlended: isBlended)
          }
        }
      }
    }
  }
}

/// A pixel of a frame.
private struct RGBA {
  let red, green, blue, alpha: UInt32

  @inline(__always)
  init(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int, hasAlpha: Bool) {
    unsafe (red, green, blue) = (UInt32(bytes[place]), UInt32(bytes[place + 1]), UInt32(bytes[place + 2]))
    alpha = hasAlpha ? unsafe UInt32(bytes[place + 3]) : 255
  }

  /// Writes the pixel, or blends it over the one before it without premultiplied colors (RFC 9649, 2.7.1.1).
  @inline(__always)
  func put(on canvas: UnsafeMutableBufferPointer<UInt8>, at place: Int, isBlended: Bool) {
    if isBlended && alpha == 0 { return }
    guard isBlended && alpha < 255 else {
      unsafe canvas[place] = UInt8(red)
      unsafe canvas[place + 1] = UInt8(green)
      unsafe canvas[place + 2] = UInt8(blue)
      unsafe canvas[place + 3] = UInt8(alpha)
      return
    }
    // Both weights, and their sum, in units of 1/255.
    let own = alpha * 255
    let below = unsafe UInt32(canvas[place + 3]) * (255 - alpha)
    let sum = own + below
    for (offset, color) in [red, green, blue].enumerated() {
      let mixed = unsafe color * own + UInt32(canvas[place + offset]) * below
      unsafe canvas[place + offset] = UInt8((mixed + sum / 2) / sum)
    }
    unsafe canvas[place + 3] = UInt8((sum + 127) / 255)
  }
}
