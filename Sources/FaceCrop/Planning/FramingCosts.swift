/// What a frame costs: for each thing that can be wrong, how much of it there is times its weight. `GUIDE.md` has the table.
///
/// Lengths are fractions of the frame's height, or of its width where they go across. The weights were chosen on 124 heads that were
/// read by eye, so that no chin is cut and as little hair as can be, in this order.
enum FramingCosts {
  /// Chin below the lower edge.
  static let cutChin = 30.0
  /// Less than ``chinRoom`` below the chin.
  static let littleChinRoom = 2.5
  /// Hair or hat above the upper edge.
  static let cutCrown = 12.0
  /// What may be hair or hat above the upper edge.
  static let cutMaybe = 1.0
  /// Less than the framing's headroom above hair or hat.
  static let littleHeadroom = 3.0
  /// The eyes farther from their line than ``freeEyes``, and any distance from it.
  static let (eyesOff, eyesALittleOff) = (1.0, 0.05)
  /// The head farther off the middle than ``freeMiddle``.
  static let offCenter = 6.0
  /// Heads beyond the sides, of several.
  static let cutSide = 6.0
  /// Half of another's face in the frame, as large as the face; a whole one costs half of that.
  static let halfNeighbor = 0.8
  /// A frame larger, and one smaller than the framing asks for: for each factor of e.
  static let (largeFrame, smallFrame) = (1.4, 1.4)
  /// A head above the largest face ratio, in fractions of the frame's height.
  static let largeHead = 8.0

  /// A rule of a standard that is missed, in fractions of the frame beyond the limit and ``ruleMargin``.
  static let missedRule = 25.0
  /// The same for the rule about the head's height, which people look at first.
  static let missedHeight = 60.0

  static let chinRoom = 0.02
  static let freeEyes = 0.02
  static let freeMiddle = 0.02
  /// By how much a chin may be lower than it seems, in heights of the face box.
  static let chinError = 0.03
  /// How far inside the limits of a standard a place should be, because the finished photo is measured anew.
  static let ruleMargin = 0.015
  /// The same for the head's height and for the room around hair, which are measured less exactly.
  static let (heightMargin, roomMargin) = (0.03, 0.03)
}
