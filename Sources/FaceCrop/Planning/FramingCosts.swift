/// The costs of a frame: each fault's amount times its weight. `GUIDE.md` has the table.
///
/// Lengths are fractions of the frame's height, or of its width if horizontal. The weights were tuned on 124 heads
/// measured by eye, to cut no chin and as little hair as possible, in this order.
enum FramingCosts {
  /// The chin below the lower edge.
  static let cutChin = 30.0
  /// Less space than ``chinRoom`` below the chin.
  static let littleChinRoom = 2.5
  /// Hair or hat above the upper edge.
  static let cutCrown = 12.0
  /// Possible hair or hat above the upper edge.
  static let cutMaybe = 1.0
  /// Less space than the framing's headroom above hair or hat.
  static let littleHeadroom = 3.0
  /// The distance of the eyes from their line beyond ``freeEyes``, and the whole distance.
  static let (eyesOff, eyesALittleOff) = (1.0, 0.05)
  /// The eyes below their line by more than ``mostLowEyes``, so that no hat pushes the face out of its place.
  static let lowEyes = 30.0
  /// The distance of the head from the center beyond ``freeMiddle``.
  static let offCenter = 6.0
  /// Heads beyond the sides, in a frame with several.
  static let cutSide = 6.0
  /// Half of another person's face of the same size in the frame; a whole one costs half of that.
  static let halfNeighbor = 0.8
  /// A frame larger or smaller than requested, for each factor of e.
  static let (largeFrame, smallFrame) = (1.4, 1.4)
  /// A head above the largest face ratio, in fractions of the frame's height.
  static let largeHead = 8.0

  /// A rule of a standard that is missed, in fractions of the frame beyond the limit and ``ruleMargin``.
  static let missedRule = 25.0
  /// The same for the rule about the head's height, which people look at first.
  static let missedHeight = 60.0

  static let chinRoom = 0.02
  static let freeEyes = 0.02
  static let mostLowEyes = 0.14
  static let freeMiddle = 0.02
  /// The possible error of the chin, in heights of the face box.
  static let chinError = 0.03
  /// The margin inside a standard's limits, as a fraction of the frame, because `check` measures the finished photo anew.
  static let ruleMargin = 0.015
  /// The same for the head's height and for the room around hair, whose measurements are less exact.
  static let (heightMargin, roomMargin) = (0.05, 0.03)
}
