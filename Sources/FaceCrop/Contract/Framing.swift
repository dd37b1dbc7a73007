/// How a head is placed in its picture.
///
/// What counts is the head, hair and hat included (``Head``), not the face box, which runs from hairline to chin. Of all frames the
/// one is taken that costs least: cut hair, a head off the middle or of another size, and all else that can be wrong, each has its
/// price (`FramingCosts`).
public struct Framing: Hashable, Sendable {
  /// Height of a common head's face box as a fraction of the picture's height, above 0, at most 1. A head that is higher or lower for
  /// its box than others gets as much of the picture as they do.
  public var faceRatio: Double
  /// What ``faceRatio`` becomes at most where the picture has no room for more around the head, above 0. Larger than it is asked for
  /// never counts for less.
  public var largestFaceRatio: Double
  /// How far below the picture's upper edge the eyes are, as a fraction of its height, 0…1.
  public var eyeLine: Double
  /// Space wanted above hair and hat, as a fraction of the picture's height, 0 or more, below 1.
  public var headroom: Double
  /// Width to height.
  public var aspect: AspectRatio
  /// The standard whose rules the frame of one head aims at, before all other wishes but a whole chin; nil for none. A padding ends it.
  public var standard: PhotoStandard?

  /// - Parameters:
  ///   - faceRatio: See the property of that name.
  ///   - eyeLine: The same.
  ///   - headroom: The same.
  ///   - aspect: Default a square.
  ///   - largestFaceRatio: Default 1.4 times the face ratio.
  ///   - standard: Default none.
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

  /// The head and a little of the shoulders, square.
  public static let avatar = Framing(faceRatio: 0.45, eyeLine: 0.46, headroom: 0.08, largestFaceRatio: 0.65)
  /// Head and shoulders, 4:5.
  public static let portrait = Framing(
    faceRatio: 0.32, eyeLine: 0.38, headroom: 0.08, aspect: AspectRatio(width: 4, height: 5), largestFaceRatio: 0.53)
  /// A passport's 35 × 45 mm: the head, from the skull's top to the chin, is three quarters of the height (ICAO Doc 9303, part 3,
  /// has 70 to 80 %), and the eyes are between 50 and 70 % above the lower edge (ISO/IEC 19794-5).
  public static let passport = Framing(
    faceRatio: 0.61, eyeLine: 0.48, headroom: 0.08, aspect: AspectRatio(width: 35, height: 45), largestFaceRatio: 0.65,
    standard: .passport)
  /// Little more than the face, square.
  public static let tight = Framing(faceRatio: 0.72, eyeLine: 0.48, headroom: 0.02, largestFaceRatio: 0.82)

  var isValid: Bool {
    faceRatio > 0 && faceRatio <= 1 && largestFaceRatio > 0 && largestFaceRatio.isFinite
      && (0...1).contains(eyeLine) && headroom >= 0 && headroom < 1 && aspect.isValid
  }
}
