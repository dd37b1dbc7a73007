/// The overview that a detector needs.
public struct DetectorInput: Hashable, Sendable {
  /// The pixel format. Gray is cheaper to decode. Alpha is never passed; RGB replaces it.
  public var format: PixelBuffer.Format
  /// The sufficient length of the longer side in pixels, 1…640. Values outside of this range count as its nearest end.
  ///
  /// Detectors get images with a longer side of 640 pixels, or all pixels of smaller images. If a format's own scale or
  /// a whole factor is cheaper, they get fewer pixels, but at least this number. An embedded thumbnail that replaces
  /// the image has at least 320.
  public var sufficientSide: Int

  /// Whether the detector needs the pixels of libjpeg and OpenCV, at the size nearest to 640 that libjpeg scales to.
  private(set) var isExact = false

  /// The input of the cascades.
  static let exact = {
    var input = DetectorInput(format: .gray, sufficientSide: Overview.side)
    input.isExact = true
    return input
  }()

  /// The sufficient side within its range.
  var smallestSide: Int { min(max(sufficientSide, 1), Overview.side) }

  /// Creates a description of the overview. Higher values of the side cost time.
  public init(format: PixelBuffer.Format, sufficientSide: Int) {
    self.format = format
    self.sufficientSide = sufficientSide
  }
}
