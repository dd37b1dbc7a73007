/// Some options, and whether the user gave one of them. `OptionFactsTests` checks that the lists are complete.
struct OptionRule<Options>: Sendable {
  let words: String
  let isGiven: @Sendable (Options) -> Bool

  init(_ words: String, isGiven: @escaping @Sendable (Options) -> Bool) {
    self.words = words
    self.isGiven = isGiven
  }
}
