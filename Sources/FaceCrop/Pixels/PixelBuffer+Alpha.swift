extension PixelBuffer {
  /// Whether a pixel is not opaque.
  var isTransparent: Bool {
    format == .rgba && stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] < 255 }
  }

  /// Composites the image over a color. An image without alpha is unchanged.
  func flattened(on background: BackgroundColor) -> PixelBuffer {
    guard format == .rgba else { return self }
    let behind = [UInt32(background.red), UInt32(background.green), UInt32(background.blue)]
    var flat = [UInt8](repeating: 0, count: width * height * 3)
    for pixel in 0..<width * height {
      let alpha = UInt32(bytes[4 * pixel + 3])
      for channel in 0..<3 {
        let sum = UInt32(bytes[4 * pixel + channel]) * alpha + behind[channel] * (255 - alpha)
        flat[3 * pixel + channel] = UInt8((sum + 127) / 255)
      }
    }
    return PixelBuffer(size: size, format: .rgb, bytes: flat)
  }

  func withAlpha() -> PixelBuffer {
    guard format != .rgba else { return self }
    let colors = inColor().bytes
    var pixels = [UInt8](repeating: 255, count: width * height * 4)
    for pixel in 0..<width * height {
      for channel in 0..<3 { pixels[4 * pixel + channel] = colors[3 * pixel + channel] }
    }
    return PixelBuffer(size: size, format: .rgba, bytes: pixels)
  }

  /// Returns an RGBA image with colors multiplied by alpha, so that pixels can be interpolated.
  func premultiplied() -> PixelBuffer {
    colored { color, alpha in (color * alpha + 127) / 255 }
  }

  /// Reverses ``premultiplied()``, as far as small alpha values preserve colors.
  func unpremultiplied() -> PixelBuffer {
    colored { color, alpha in alpha == 0 ? 0 : min((color * 255 + alpha / 2) / alpha, 255) }
  }

  private func colored(_ change: (_ color: UInt32, _ alpha: UInt32) -> UInt32) -> PixelBuffer {
    var changed = self
    for start in stride(from: 0, to: bytes.count, by: 4) {
      for channel in start..<start + 3 {
        changed.bytes[channel] = UInt8(change(UInt32(bytes[channel]), UInt32(bytes[start + 3])))
      }
    }
    return changed
  }
}
