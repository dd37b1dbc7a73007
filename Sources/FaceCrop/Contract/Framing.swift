/// The placement of a head in its output.
///
/// The rules consider the head, hair and hat included (``Head``), not the face box, which spans hairline to chin.
/// Planning searches the frame with the lowest cost. Cut hair, an off-center head, a wrong size, and other faults each
/// have a cost (`FramingCosts`).
public struct Framing: Hashable, Sendable {
  /// The height of a typical head's face box, as a fraction of the output's height, above 0 and up to 1. Heads that are
  /// taller or shorter than their box suggests fill as much of the output.
  public var faceRatio: Double
  /// The upper bound of the face ratio if the image has no room for more around the head, above 0. Default 1.4 times
  /// ``faceRatio``.
  public var largestFaceRatio: Double
  /// The distance of the eyes from the output's top, as a fraction of its height, 0…1.
  public var eyeLine: Double
  /// The space above hair and hat, as a fraction of the output's height, 0 or more and below 1.
  public var headroom: Double
  /// The aspect ratio of the output. Default a square.
  public var aspect: AspectRatio
  /// The standard whose rules the frame of one head aims at; nil for none. Only a whole chin takes precedence. Padding
  /// disables it.
  public var standard: PhotoStandard?
  /// The upper bound of the output's area outside the image under ``EdgePolicy/pad``, as a fraction, 0…1. A frame that
  /// exceeds it moves toward the place and size that it has under ``EdgePolicy/shift``. Default 1.
  public var largestPaddedShare = 1.0

  /// Creates a framing; by default for a square, without a standard.
  public init(
    faceRatio: Double, eyeLine: Double, headroom: Double, aspect: AspectRatio = .square,
    largestFaceRatio: Double? = nil,
    standard: PhotoStandard? = nil
  ) {
    self.faceRatio = faceRatio
    self.largestFaceRatio = largestFaceRatio ?? faceRatio * 1.4
    self.eyeLine = eyeLine
    self.headroom = headroom
    self.aspect = aspect
    self.standard = standard
  }

  /// The head and part of the shoulders, square.
  public static let avatar = Framing(faceRatio: 0.45, eyeLine: 0.46, headroom: 0.08, largestFaceRatio: 0.65)
  /// Head and shoulders, 4:5.
  public static let portrait = Framing(
    faceRatio: 0.32, eyeLine: 0.38, headroom: 0.08, aspect: AspectRatio(width: 4, height: 5), largestFaceRatio: 0.53)
  /// A passport photo of 35 × 45 mm. The head, from skull to chin, fills three quarters of the height (ICAO Doc 9303,
  /// part 3: 70 to 80 %). The eyes are 50 to 70 % above the lower edge (ISO/IEC 19794-5).
  public static let passport = Framing(
    faceRatio: 0.61, eyeLine: 0.48, headroom: 0.08, aspect: AspectRatio(width: 35, height: 45), largestFaceRatio: 0.65,
    standard: .passport)
  /// The face with a small margin, square.
  public static let tight = Framing(faceRatio: 0.72, eyeLine: 0.48, headroom: 0.02, largestFaceRatio: 0.82)

  var isValid: Bool {
    faceRatio > 0 && faceRatio <= 1 && largestFaceRatio > 0 && largestFaceRatio.isFinite
      && (0...1).contains(eyeLine) && headroom >= 0 && headroom < 1 && aspect.isValid
      && (0...1).contains(largestPaddedShare)
  }
}
