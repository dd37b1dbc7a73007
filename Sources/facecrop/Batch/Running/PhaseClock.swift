import FaceCrop
import Synchronization

/// A clock for the phases of an image.
final class PhaseClock: Sendable {
  private let state = Mutex((last: ContinuousClock.now, spent: Outcome.Milliseconds()))

  /// Adds the time since the previous report to its phase. Detection starts when the overview is complete.
  func note(_ progress: CropProgress) {
    switch progress.phase {
    // The command fetches no images.
    case .fetch: break
    case .overview: add(to: \.look)
    case .detect: add(to: progress.completed == 0 ? \.look : \.detect)
    case .render: add(to: \.render)
    case .encode: add(to: \.encode)
    }
  }

  /// Adds the time since the previous call to a phase.
  func add(to phase: any WritableKeyPath<Outcome.Milliseconds, Double> & Sendable) {
    state.withLock { state in
      let now = ContinuousClock.now
      state.spent[keyPath: phase] += (now - state.last) / .milliseconds(1)
      state.last = now
    }
  }

  /// The time of each phase, rounded to a tenth of a millisecond.
  var milliseconds: Outcome.Milliseconds {
    func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    let spent = state.withLock { $0.spent }
    return Outcome.Milliseconds(
      look: rounded(spent.look), detect: rounded(spent.detect), render: rounded(spent.render),
      encode: rounded(spent.encode), write: rounded(spent.write))
  }
}
