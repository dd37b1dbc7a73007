/// What is around a face, at a scale of its own, with its contrast spread; coordinates are in heights of the face box, from the middle
/// of the box's top.
struct HeadPatch {
  /// How far it reaches.
  private static let (side, above, below) = (1.4, 1.3, 1.5)
  /// Pixels of the box's height where the picture has more.
  private static let faceHeight = 32.0

  private let pixels: PixelBuffer
  /// Of the part of the picture that it shows.
  private let area: Frame
  private let box: Frame
  /// For each level, what it becomes with full contrast: 0…1.
  private let levels: [Float]

  /// - Parameter picture: in color.
  /// - Returns: nil where nothing of it lies in the picture.
  init?(of picture: PixelBuffer, around box: Frame) {
    func inside(_ place: Double, _ side: Int) -> Int { min(max(Int(place), 0), side) }
    let (left, top) = (
      inside(box.midX - Self.side * box.height, picture.width), inside(box.y - Self.above * box.height, picture.height)
    )
    let part = PixelRect(
      x: left, y: top,
      width: inside((box.midX + Self.side * box.height).rounded(.up), picture.width) - left,
      height: inside((box.y + Self.below * box.height).rounded(.up), picture.height) - top)
    guard part.width > 0, part.height > 0 else { return nil }
    let cropped = picture.cropped(to: part)
    let scale = Self.faceHeight / box.height
    let size = PixelSize(
      width: max(Int((Double(part.width) * scale).rounded()), 1),
      height: max(Int((Double(part.height) * scale).rounded()), 1))
    pixels =
      scale < 1 && size.width <= part.width && size.height <= part.height
      ? cropped.resampled(
        horizontal: 0..<Double(part.width), vertical: 0..<Double(part.height), to: size, filter: .average) : cropped
    area = Frame(x: Double(part.x), y: Double(part.y), width: Double(part.width), height: Double(part.height))
    self.box = box
    levels = Self.levels(of: pixels)
  }

  /// The color there: luma, and two differences of colors, each about 0…1; nil outside of the picture, or of the patch.
  func color(_ x: Double, _ y: Double) -> SIMD3<Float>? {
    guard abs(x) <= Self.side, y >= -Self.above else { return nil }
    let (across, down) = (box.midX + x * box.height - area.x, box.y + y * box.height - area.y)
    guard across >= 0, across < area.width, down >= 0, down < area.height else { return nil }
    let (column, columnPart) = tap(across / area.width, pixels.width)
    let (row, rowPart) = tap(down / area.height, pixels.height)
    let (right, low) = (min(column + 1, pixels.width - 1), min(row + 1, pixels.height - 1))
    let upper = rgb(column, row) * (1 - columnPart) + rgb(right, row) * columnPart
    let lower = rgb(column, low) * (1 - columnPart) + rgb(right, low) * columnPart
    let color = upper * (1 - rowPart) + lower * rowPart
    // Opponent colors: hair and background differ in them where they are equally bright.
    return SIMD3(
      (color.x + color.y + color.z) / 3, 0.5 + 0.75 * (color.x - color.z),
      0.5 + 1.5 * (color.y - (color.x + color.z) / 2))
  }

  /// The pixel whose middle is before that place, and how far behind it that is.
  private func tap(_ place: Double, _ count: Int) -> (Int, Float) {
    let place = min(max(place * Double(count) - 0.5, 0), Double(count - 1))
    return (Int(place), Float(place - place.rounded(.down)))
  }

  private func rgb(_ x: Int, _ y: Int) -> SIMD3<Float> {
    let start = (y * pixels.width + x) * 3
    return SIMD3(
      levels[Int(pixels.bytes[start])], levels[Int(pixels.bytes[start + 1])], levels[Int(pixels.bytes[start + 2])])
  }

  /// The darkest hundredth is black, the brightest white.
  private static func levels(of pixels: PixelBuffer) -> [Float] {
    var counts = [Int](repeating: 0, count: 256)
    for byte in pixels.bytes { counts[Int(byte)] += 1 }
    let hundredth = pixels.bytes.count / 100
    var (low, high, sum) = (0, 255, 0)
    while low < 255, sum + counts[low] <= hundredth {
      sum += counts[low]
      low += 1
    }
    sum = 0
    while high > 0, sum + counts[high] <= hundredth {
      sum += counts[high]
      high -= 1
    }
    // Of less than a twelfth of the range most would be noise.
    let range = Float(max(high - low, 20))
    return (0...255).map { min(max(Float($0 - low) / range, 0), 1) }
  }
}
