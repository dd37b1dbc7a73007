/// How large the pictures are in which faces are looked for.
enum Overview {
  /// Pixels of the longer side that suit the detectors: above it they lose time, far below it faces.
  static let side = 640
  /// The fewest that the decodes nearest to it have, as a ratio, where each next one is at most twice as large: side / √2.
  static let smallest = 453

  /// The whole factor by which a picture is made smaller for it: of what is left the longer side is at least ``side``, and less than
  /// twice that.
  static func factor(for size: PixelSize) -> Int { max(size.longSide / side, 1) }
}
