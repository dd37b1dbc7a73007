/// The costs of a frame that misses the rules of a standard, with a margin (``FramingCosts/ruleMargin``).
///
/// All costs are piecewise linear. ``tops(for:height:)`` and ``lefts(for:width:)`` return all points where one begins.
struct PlacementRules {
  private let headHeight: ClosedRange<Double>
  /// The eyes below the upper edge, as a fraction of the frame's height.
  private let eyeLine: ClosedRange<Double>
  private let center: ClosedRange<Double>
  private let room: Double

  init(_ placement: PhotoStandard.Placement) {
    func inner(_ range: ClosedRange<Double>, _ margin: Double = FramingCosts.ruleMargin) -> ClosedRange<Double> {
      // A narrow range keeps its middle.
      let margin = min(margin, (range.upperBound - range.lowerBound) / 2)
      return range.lowerBound + margin...max(range.upperBound - margin, range.lowerBound + margin)
    }
    headHeight = inner(placement.headHeight, FramingCosts.heightMargin)
    eyeLine = inner(1 - placement.eyeLine.upperBound...1 - placement.eyeLine.lowerBound)
    center = inner(placement.center)
    room = placement.room + FramingCosts.roomMargin
  }

  func tops(for head: FramedHead, height: Double) -> [Double] {
    [
      head.eyes - eyeLine.lowerBound * height, head.eyes - eyeLine.upperBound * height,
      head.likelyCrown - room * height,
      head.box.maxY - (1 - room) * height,
    ]
  }

  func lefts(for head: FramedHead, width: Double) -> [Double] {
    [
      head.eyesAcross - center.lowerBound * width, head.eyesAcross - center.upperBound * width,
      head.left - room * width, head.right - (1 - room) * width,
    ]
  }

  func cost(of head: FramedHead, height: Double) -> Double {
    FramingCosts.missedHeight * Self.excess(head.height / height, headHeight)
  }

  func cost(of head: FramedHead, top y: Double, height: Double) -> Double {
    FramingCosts.missedRule
      * (Self.excess((head.eyes - y) / height, eyeLine)
        + max(room - (head.likelyCrown - y) / height, 0) + max(room - (y + height - head.box.maxY) / height, 0))
      // Cut hair is worse than a head of another height.
      + FramingCosts.missedHeight * max((y - head.crown) / height, 0)
  }

  func cost(of head: FramedHead, left x: Double, width: Double) -> Double {
    FramingCosts.missedRule
      * (Self.excess((head.eyesAcross - x) / width, center)
        + max(room - (head.left - x) / width, 0) + max(room - (x + width - head.right) / width, 0))
  }

  private static func excess(_ value: Double, _ range: ClosedRange<Double>) -> Double {
    max(range.lowerBound - value, value - range.upperBound, 0)
  }
}
