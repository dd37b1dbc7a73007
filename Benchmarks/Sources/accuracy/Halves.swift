/// A random split of images that is equal for the same names and seed on every machine.
struct Halves {
  let first: Set<String>
  let second: Set<String>

  init(of files: [String], seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let shuffled = files.sorted().map { (lot: generator.next(), file: $0) }.sorted { $0.lot < $1.lot }.map(\.file)
    first = Set(shuffled.prefix(shuffled.count / 2))
    second = Set(shuffled.dropFirst(shuffled.count / 2))
  }
}

/// A generator with a seed, which Swift's own lacks. Its shuffling is also stable.
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
