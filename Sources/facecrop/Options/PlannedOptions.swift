import FaceCrop

/// The options whose effect is already in a plan.
struct PlannedOptions: Sendable {
  var face: FaceOptions
  var framing: FramingOptions
  var hasTemplate = false
  var hasAspect = false
  var hasFill = false

  private static let rules: [OptionRule<PlannedOptions>] = [
    OptionRule("--faces") { $0.face.faces != nil },
    OptionRule("--person") { $0.face.person != nil },
    OptionRule("--order") { $0.face.order != .left },
    OptionRule("--min-face") { $0.face.minFace != nil },
    OptionRule("--no-face") { $0.face.noFace != nil },
    OptionRule("--upright") { $0.face.upright != .off },
    OptionRule("--animation best") { $0.face.animation == .best },
    OptionRule("--preset") { $0.framing.preset != nil },
    OptionRule("--face-ratio") { $0.framing.faceRatio != nil },
    OptionRule("--padding") { $0.framing.padding != nil },
    OptionRule("--align") { $0.framing.align },
    OptionRule("--template") { $0.hasTemplate },
    OptionRule("--aspect") { $0.hasAspect },
    OptionRule("--fill") { $0.hasFill },
  ]

  /// Returns the remedy for ignored options as the end of a message. A preset is often that of the plans, and then
  /// nothing is wrong.
  static func remedy(for words: String) -> String {
    words == "--preset" ? "" : " (leave out --plan-in to use \(words.contains(" and ") ? "them" : "it"))"
  }

  /// The names of the given options; nil for none.
  ///
  /// - Parameter others: Names that are left out.
  func given(but others: Set<String> = []) -> String? {
    let words = Self.rules.filter { $0.isGiven(self) && !others.contains($0.words) }.map(\.words)
    guard let last = words.last else { return nil }
    return words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " and " + last
  }
}
