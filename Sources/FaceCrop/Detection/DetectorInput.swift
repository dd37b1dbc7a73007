/// Which small picture a detector wants.
public struct DetectorInput: Hashable, Sendable {
  /// The format of its pixels. Gray costs less to decode; alpha is never given, RGB is instead.
  public var format: PixelBuffer.Format
  /// How many pixels on the longer side are enough, 1…640.
  ///
  /// Pictures are given with 640 pixels, or all that there are if these are fewer. Where fewer are cheaper, by a format's own
  /// scales or by a whole factor, they are given with those, but not with fewer than this. An
  /// embedded thumbnail that may stand in for the picture has at least 320.
  public var sufficientSide: Int

  /// - Parameters:
  ///   - format: Of the pixels.
  ///   - sufficientSide: Pixels on the longer side that are enough, 1…640; with 640 a picture takes longer.
  public init(format: PixelBuffer.Format, sufficientSide: Int) {
    self.format = format
    self.sufficientSide = sufficientSide
  }
}
