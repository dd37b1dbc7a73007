/// How a head is placed in its picture.
///
/// All measures follow from the face box, which runs from hairline to chin. Hair is above it, so that a box alone cuts
/// heads off: ``headroom`` is kept whatever the other measures say.
public struct Framing: Hashable, Sendable {
  /// Height of the face box as a fraction of the picture's height, above 0, at most 1.
  public var faceRatio: Double
  /// How far below the picture's upper edge the eyes are, as a fraction of its height, 0…1.
  public var eyeLine: Double
  /// Least space above the face box, for hair, in fractions of the box's height, 0 or more.
  public var headroom: Double
  /// Width to height.
  public var aspect: AspectRatio

  /// Ratios as the properties of the same names.
  public init(faceRatio: Double, eyeLine: Double, headroom: Double, aspect: AspectRatio = .square) {
    self.faceRatio = faceRatio
    self.eyeLine = eyeLine
    self.headroom = headroom
    self.aspect = aspect
  }

  /// The head and a little of the shoulders, square.
  public static let avatar = Framing(faceRatio: 0.46, eyeLine: 0.44, headroom: 0.35)
  /// Head and shoulders, 4:5.
  public static let portrait = Framing(
    faceRatio: 0.32, eyeLine: 0.38, headroom: 0.4, aspect: AspectRatio(width: 4, height: 5))
  /// A passport's 35 × 45 mm: the head, from crown to chin, is three quarters of the height (ICAO Doc 9303, part 3, has 70
  /// to 80 %), and the eyes are between 50 and 70 % above the lower edge (ISO/IEC 19794-5). A head is a quarter higher than
  /// its face box.
  public static let passport = Framing(
    faceRatio: 0.57, eyeLine: 0.45, headroom: 0.32, aspect: AspectRatio(width: 35, height: 45))
  /// Little more than the face, square.
  public static let tight = Framing(faceRatio: 0.72, eyeLine: 0.44, headroom: 0.15)

  var isValid: Bool {
    let ratio = aspect.width / aspect.height
    return faceRatio > 0 && faceRatio <= 1 && (0...1).contains(eyeLine) && headroom >= 0 && headroom.isFinite
      && aspect.width > 0 && aspect.height > 0 && ratio.isFinite && ratio > 0
  }

  /// Where the eyes are in a face box without landmarks, as a fraction of its height: the middle of the head, which is a
  /// quarter higher than the box.
  static let eyesInBox = 0.4
}

extension Framing {
  /// The frame around a face, wherever it reaches.
  ///
  /// - Parameters:
  ///   - face: the box of the face, or of several.
  ///   - eyes: how far down the eyes are.
  ///   - padding: added on each side, in fractions of the face box.
  func frame(around face: Frame, eyes: Double, padding: Padding) -> Frame {
    let ratio = aspect.width / aspect.height
    var height = max(face.height / faceRatio, face.height * (1 + headroom))
    // Several faces side by side are wider than one.
    height = max(height, face.width / ratio)
    let inner = Frame(
      x: face.midX - height * ratio / 2, y: top(of: height, around: face, eyes: eyes), width: height * ratio,
      height: height)

    let padded = Frame(
      x: inner.x - padding.left * face.width, y: inner.y - padding.top * face.height,
      width: inner.width + (padding.left + padding.right) * face.width,
      height: inner.height + (padding.top + padding.bottom) * face.height)
    // Padding that is not of the aspect: the shorter side grows about its middle.
    let outer = max(padded.height, padded.width / ratio)
    return Frame(
      x: padded.midX - outer * ratio / 2, y: padded.y - (outer - padded.height) / 2, width: outer * ratio, height: outer
    )
  }

  /// The upper edge of the frame where it is made smaller: it is placed anew, so that what was above the eyes shrinks with it.
  ///
  /// - Parameter height: nil if the frame keeps its own.
  func top(of wanted: Frame, shrunkTo height: Double?, around face: Frame, eyes: Double) -> Double {
    height.map { top(of: $0, around: face, eyes: eyes) } ?? wanted.y
  }

  /// The upper edge of a frame of that height: eyes on their line, room for hair, and the whole face inside.
  func top(of height: Double, around face: Frame, eyes: Double) -> Double {
    let onLine = min(eyes - eyeLine * height, face.y - headroom * face.height)
    return min(max(onLine, face.maxY - height), face.y)
  }
}
