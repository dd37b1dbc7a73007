internal import Glibc

/// A rotated view of a part of a color image. Beyond the image's edges it is mirrored, so that a face that an edge cuts
/// becomes a whole one.
struct TurnedView {
  let pixels: PixelBuffer
  /// The map from the image, enlarged until its longer side has `side` pixels, to the view.
  private let map: AffineMap
  private let degrees: Double
  private let image: (width: Double, height: Double)

  /// An image whose longer side its views show in `side` pixels.
  struct Source {
    let size: PixelSize
    let side: Double
    fileprivate let pixels: PixelBuffer

    /// Below this scale, pixels are averaged first, because interpolation alone would skip some.
    private static let averaged = 0.7

    init(_ image: PixelBuffer, side: Double) {
      (size, self.side) = (image.size, side)
      pixels =
        side < Self.averaged * Double(size.longSide)
        ? image.quicklyResized(to: size.scaled(toLongSide: max(Int(side.rounded()), 1))) : image
    }
  }

  /// Creates a view around a point. It rotates the image counterclockwise.
  init(of source: Source, around center: NormalizedPoint, degrees: Double, size: PixelSize) {
    let scale = source.side / Double(source.size.longSide)
    image = (Double(source.size.width) * scale, Double(source.size.height) * scale)
    self.degrees = degrees
    func map(_ width: Double, _ height: Double, scale: Double) -> AffineMap {
      AffineMap(
        degrees: degrees, scale: scale, center: (center.x * width, center.y * height),
        target: (Double(size.width) / 2, Double(size.height) / 2))
    }
    self.map = map(image.width, image.height, scale: 1)
    let shown = source.pixels
    pixels = shown.mirrored(
      by: map(Double(shown.width), Double(shown.height), scale: source.side / Double(shown.size.longSide)), to: size)
  }

  /// The part of a view's sides that a rotation by 45 degrees loses. Only corners of the image lie there.
  private static let corners = 0.15

  /// Creates a view of the image, with a border in fractions of its shorter side. An oblique view lacks the corners.
  init(of source: Source, degrees: Double, border: Double) {
    let more = 2 * border * Double(source.size.shortSide)
    let (across, up) = (abs(cos(degrees * .pi / 180)), abs(sin(degrees * .pi / 180)))
    let scale = source.side / Double(source.size.longSide) * (1 - Self.corners * 2 * across * up)
    let (width, height) = ((Double(source.size.width) + more) * scale, (Double(source.size.height) + more) * scale)
    self.init(
      of: source, around: NormalizedPoint(x: 0.5, y: 0.5), degrees: degrees,
      size: PixelSize(
        width: max(Int(width * across + height * up), 1), height: max(Int(width * up + height * across), 1)))
  }

  /// Returns a face of the view in fractions of the image, where the box has the same center and area.
  func face(_ seen: Face) -> Face {
    func point(_ mark: NormalizedPoint) -> NormalizedPoint {
      let place = map.inverse(mark.x * Double(pixels.width), mark.y * Double(pixels.height))
      return NormalizedPoint(x: place.x / image.width, y: place.y / image.height)
    }
    let box = seen.box.frame(in: pixels.size)
    let (across, up) = (abs(cos(degrees * .pi / 180)), abs(sin(degrees * .pi / 180)))
    let (width, height) = (box.width * across + box.height * up, box.width * up + box.height * across)
    let factor = (box.width * box.height / (width * height)).squareRoot()
    let center = point(NormalizedPoint(x: seen.box.midX, y: seen.box.midY))
    var face = seen
    let (boxWidth, boxHeight) = (width * factor / image.width, height * factor / image.height)
    face.box = NormalizedRect(
      x: center.x - boxWidth / 2, y: center.y - boxHeight / 2, width: boxWidth, height: boxHeight)
    face.landmarks = seen.landmarks?.map(point)
    return face
  }
}

extension PixelBuffer {
  /// Returns the color image moved by a map, with linear interpolation. Beyond its edges it is mirrored.
  fileprivate func mirrored(by map: AffineMap, to output: PixelSize) -> PixelBuffer {
    /// Returns a position between pixel centers, in parts of a pixel of 16 bits.
    func place(_ x: Double, _ y: Double) -> (x: Int, y: Int) {
      let place = map.inverse(x, y)
      return (Int((place.x - 0.5) * 65_536), Int((place.y - 0.5) * 65_536))
    }
    func mirrored(_ index: Int, _ count: Int) -> Int {
      if index >= 0 && index < count { return index }
      let place = (index % (2 * count) + 2 * count) % (2 * count)
      return min(place, 2 * count - 1 - place)
    }
    return unsafe PixelBuffer(size: output, format: .rgb) { samples in
      var next = 0
      unsafe bytes.withUnsafeBufferPointer { bytes in
        for row in 0..<output.height {
          let (start, end) = (place(0.5, Double(row) + 0.5), place(Double(output.width) + 0.5, Double(row) + 0.5))
          let step = (x: (end.x - start.x) / output.width, y: (end.y - start.y) / output.width)
          for column in 0..<output.width {
            let (x, y) = (start.x + column * step.x, start.y + column * step.y)
            let (right, below) = ((x >> 8) & 255, (y >> 8) & 255)
            let (first, second) = (3 * mirrored(x >> 16, width), 3 * mirrored((x >> 16) + 1, width))
            let upper = mirrored(y >> 16, height) * bytesPerRow
            let lower = mirrored((y >> 16) + 1, height) * bytesPerRow
            for channel in 0..<3 {
              func level(_ row: Int) -> Int {
                unsafe Int(bytes[row + first + channel]) * (256 - right) + Int(bytes[row + second + channel]) * right
              }
              let sum = level(upper) * (256 - below) + level(lower) * below
              unsafe samples[next + channel] = UInt8((sum + 32_768) >> 16)
            }
            next += 3
          }
        }
      }
    }
  }
}
