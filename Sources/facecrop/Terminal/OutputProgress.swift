import FaceCrop
import Synchronization

/// How far a picture has come as a whole. Its outputs are decoded and encoded in turn.
final class OutputProgress: Sendable {
  private struct State {
    var outputs = 1
    var finished = 0
    /// The part of the regions that is rendered, 0…1.
    var rendered = 0.0
  }

  /// The part of the whole that a phase usually takes; detection takes most.
  private static let parts = (look: 0.2, detect: 0.5, render: 0.2, encode: 0.1)

  private let reporter: Reporter
  private let sizes: Int
  private let state = Mutex(State())

  /// - Parameter sizes: of each crop.
  init(_ reporter: Reporter, sizes: Int) {
    self.reporter = reporter
    self.sizes = sizes
  }

  func begin(_ plan: CropPlan) {
    state.withLock { $0.outputs = max(plan.crops.count * sizes, 1) }
  }

  func report(_ progress: CropProgress) {
    reporter.report(progress, overall: overall(progress))
  }

  func finishOutput() {
    state.withLock { $0.finished += 1 }
  }

  /// 0…1; never goes back.
  private func overall(_ progress: CropProgress) -> Double {
    let parts = Self.parts
    switch progress.phase {
    // A command's pictures are here.
    case .fetch: return 0
    case .look: return parts.look * progress.fraction
    case .detect: return parts.look + parts.detect * progress.fraction
    case .render, .encode:
      return state.withLock { state in
        if progress.phase == .render { state.rendered = progress.fraction }
        let encoded = progress.phase == .encode ? progress.fraction : 0
        return parts.look + parts.detect + parts.render * state.rendered
          + parts.encode * (Double(state.finished) + encoded) / Double(state.outputs)
      }
    }
  }
}
