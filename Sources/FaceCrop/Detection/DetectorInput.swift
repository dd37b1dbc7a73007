/// The overview that a detector needs.
public struct DetectorInput: Hashable, Sendable {
  /// The pixel format. Gray is cheaper to decode. Alpha is never passed; RGB replaces it.
  public var format: PixelBuffer.Format
  /// The sufficient length of the longer side in pixels, 1…640.
  ///
  /// Detectors get images with a longer side of 640 pixels, or all pixels of smaller images. If a format's own scale or
  /// a whole factor is cheaper, they get fewer pixels, but at least this number. An embedded thumbnail that replaces
  /// the image has at least 320.
  public var sufficientSide: Int

  /// Creates a description of the overview.
  ///
  /// - Parameters:
  ///   - format: The pixel format.
  ///   - sufficientSide: The sufficient length of the longer side, 1…640 pixels. Higher values cost time.
  public init(format: PixelBuffer.Format, sufficientSide: Int) {
    self.format = format
    self.sufficientSide = sufficientSide
  }
}
