/// A set of rules for photos in identity documents.
public enum PhotoStandard: String, Hashable, Sendable, CaseIterable {
  /// A photo of 35 × 45 mm, by ICAO Doc 9303, part 3, and ISO/IEC 19794-5:2011.
  case passport
}

extension PhotoStandard {
  /// The limits for the place of a head in its frame. `check` measures by them, and frames aim at them.
  struct Placement {
    /// The head from chin to skull, as a fraction of the frame's height.
    var headHeight: ClosedRange<Double>
    /// The eyes above the lower edge, as a fraction of the frame's height.
    var eyeLine: ClosedRange<Double>
    /// The middle of the eyes from the left, as a fraction of the frame's width.
    var center: ClosedRange<Double>
    /// The least room around head and hair, as a fraction of the frame's height or width.
    var room: Double
  }

  var placement: Placement {
    switch self {
    case .passport: Placement(headHeight: 0.7...0.8, eyeLine: 0.5...0.7, center: 0.45...0.55, room: 0.005)
    }
  }
}
