/// The long work of a queue, which gave up its slot. Some of it runs at once, and the rest is paused.
///
/// The work with the fewest turns runs first, so that a photo does not wait for work that takes far longer. After every
/// third turn the oldest work runs first, so that none is paused until its deadline.
struct LongWork {
  private struct Entry {
    let work: Cancellation
    var turns = 1
  }

  /// The work in order of arrival.
  private var entries: [Entry] = []
  /// The turns that all work has used.
  private var turns = 0

  var count: Int { entries.count }

  mutating func append(_ work: Cancellation) { entries.append(Entry(work: work)) }

  /// Counts a turn. Returns false for work that is not long.
  mutating func endTurn(of work: Cancellation) -> Bool {
    guard let index = entries.firstIndex(where: { $0.work === work }) else { return false }
    entries[index].turns += 1
    turns += 1
    return true
  }

  /// Removes work that ended. Returns false for work that is not long.
  mutating func remove(_ work: Cancellation) -> Bool {
    guard let index = entries.firstIndex(where: { $0.work === work }) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Lets this number run, and pauses the rest.
  mutating func run(atMost most: Int) {
    guard !entries.isEmpty else { return }
    let oldest = turns.isMultiple(of: 3) ? 0 : -1
    func rank(_ index: Int) -> (Int, Int) { (index == oldest ? 0 : entries[index].turns, index) }
    for (position, index) in entries.indices.sorted(by: { rank($0) < rank($1) }).enumerated() {
      let work = entries[index].work
      let isPaused = position >= most
      guard isPaused != work.isPaused else { continue }
      if isPaused { work.pause() } else { work.resume() }
    }
  }
}
