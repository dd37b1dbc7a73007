/// The canvas of an animation, transparent at first, on which frames are drawn one after the other. Drawing a frame takes
/// time for its own place and the place of the frame before, not for the whole canvas.
struct AnimationCanvas {
  private var pixels: PixelBuffer
  /// The pixels that are not opaque.
  private var unopaqueCount: Int
  /// The colors of an opaque canvas, in which ``changed`` is out of date; nil before the canvas is opaque.
  private var colors: PixelBuffer?
  /// The part that was drawn since ``colors`` were made.
  private var changed = PixelRect(x: 0, y: 0, width: 0, height: 0)
  /// The change before the next frame.
  private var pending: Change?

  private enum Change {
    case clear(PixelRect)
    case restore(PixelRect, PixelBuffer)
  }

  init(size: PixelSize) throws(FaceCropError) {
    pixels = try unsafe PixelBuffer.filled(size: size, format: .rgba) { unsafe $0.initialize(repeating: 0) }.picture
    unopaqueCount = size.width * size.height
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

  /// Returns the canvas as it shows: in RGB if it is opaque, or else in RGBA.
  mutating func shown() -> PixelBuffer {
    guard unopaqueCount == 0 else { return pixels }
    if colors == nil {
      colors = pixels.inColor()
    } else {
      updateColors()
    }
    changed = PixelRect(x: 0, y: 0, width: 0, height: 0)
    return colors!
  }

  /// Copies the changed part into the colors.
  private mutating func updateColors() {
    let (width, part) = (pixels.width, changed)
    unsafe pixels.bytes.withUnsafeBufferPointer { canvas in
      unsafe colors!.bytes.withUnsafeMutableBufferPointer { colors in
        for row in part.y..<part.y + part.height {
          for place in row * width + part.x..<row * width + part.x + part.width {
            for channel in 0..<3 { unsafe colors[3 * place + channel] = canvas[4 * place + channel] }
          }
        }
      }
    }
  }

  /// Writes pixels into a rectangle of their size. Nil clears the rectangle.
  private mutating func put(_ patch: PixelBuffer?, at place: PixelRect, isBlended: Bool) {
    let (width, channels) = (pixels.width, patch?.format.channels ?? 0)
    changed = changed.width == 0 ? place : changed.union(place)
    var (before, after) = (0, 0)
    unsafe pixels.bytes.withUnsafeMutableBufferPointer { canvas in
      for row in 0..<place.height {
        let start = 4 * ((place.y + row) * width + place.x)
        let line = unsafe UnsafeMutableBufferPointer(rebasing: canvas[start..<start + 4 * place.width])
        unsafe before += line.unopaqueCount
        if let patch {
          unsafe patch.bytes.withUnsafeBufferPointer { source in
            for column in 0..<place.width {
              let from = channels * (row * place.width + column)
              let color = unsafe RGBA(source, at: from, hasAlpha: channels == 4)
              unsafe color.put(on: line, at: 4 * column, isBlended: isBlended)
            }
          }
        } else {
          unsafe line.update(repeating: 0)
        }
        unsafe after += line.unopaqueCount
      }
    }
    unopaqueCount += after - before
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// The pixels in RGBA that are not opaque.
  fileprivate var unopaqueCount: Int {
    var count = 0
    for place in stride(from: 3, to: self.count, by: 4) where unsafe self[place] != 255 { count += 1 }
    return count
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
    @inline(__always) func mix(_ color: UInt32, _ offset: Int) {
      let mixed = unsafe color * own + UInt32(canvas[place + offset]) * below
      unsafe canvas[place + offset] = UInt8((mixed + sum / 2) / sum)
    }
    mix(red, 0)
    mix(green, 1)
    mix(blue, 2)
    unsafe canvas[place + 3] = UInt8((sum + 127) / 255)
  }
}
