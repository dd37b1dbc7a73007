/// Some options, and whether the user gave one of them. `OptionFactsTests` sees that none is forgotten.
struct OptionRule<Options>: Sendable {
  /// As messages name them.
  let words: String
  let isGiven: @Sendable (Options) -> Bool

  init(_ words: String, isGiven: @escaping @Sendable (Options) -> Bool) {
    self.words = words
    self.isGiven = isGiven
  }
}
