/// The size of the overviews in which detectors search faces.
enum Overview {
  /// The longer side, in pixels, that suits the detectors. Larger overviews cost time, much smaller ones miss faces.
  static let side = 640
  /// The smallest longer side if decodes come at scales up to a factor of 2 apart: `side` / √2.
  static let smallest = 453

  /// Returns the whole factor that reduces an image to an overview. The longer side becomes at least ``side``, and less
  /// than twice that.
  static func factor(for size: PixelSize) -> Int { max(size.longSide / side, 1) }
}
