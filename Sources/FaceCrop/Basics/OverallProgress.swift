internal import Synchronization

/// A fraction, 0…1, that combines the progress of several calls, for example for a progress bar.
///
/// ```swift
/// let overall = OverallProgress(phases: [.overview, .detect, .render, .encode])
/// let result = try await cropper.crop(source) { bar.show(overall.fraction(after: $0)) }
/// let jpeg = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85)) { bar.show(overall.fraction(after: $0)) }
/// ```
///
/// It never decreases. Use one object for each image. For a single call, ``CropProgress/fraction`` is the same.
public final class OverallProgress: Sendable {
  private struct State {
    var outputs: Int
    var encoded = 0
    /// The completed fraction of the current output, 0…1.
    var encoding = 0.0
    /// The completed fraction of each phase, 0…1.
    var done: [CropProgress.Phase: Double] = [:]
    var fraction = 0.0
  }

  /// The typical weights of the phases for web images. Detection takes most.
  private static let parts: [CropProgress.Phase: Double] = [
    .fetch: 0.5, .overview: 0.2, .detect: 0.5, .render: 0.2, .encode: 0.1,
  ]

  private let parts: [CropProgress.Phase: Double]
  private let state: Mutex<State>

  /// Creates a combined progress.
  ///
  /// - Parameters:
  ///   - phases: The phases of all calls. Default those of ``FaceCropper/crop(_:request:progress:)``.
  ///   - outputs: The number of outputs to encode, 1 or more. Default 1. ``expect(outputs:)`` sets it later.
  public init(phases: Set<CropProgress.Phase> = [.overview, .detect, .render], outputs: Int = 1) {
    let sum = phases.reduce(0) { $0 + (Self.parts[$1] ?? 0) }
    parts = Self.parts.filter { phases.contains($0.key) }.mapValues { $0 / sum }
    state = Mutex(State(outputs: max(outputs, 1)))
  }

  /// Sets the number of outputs to encode, once a plan exists.
  public func expect(outputs: Int) {
    state.withLock { $0.outputs = max(outputs, 1) }
  }

  /// Returns the completed fraction of all calls after a report, 0…1.
  public func fraction(after report: CropProgress) -> Double {
    state.withLock { state in
      if report.phase == .encode {
        // A smaller fraction belongs to the next output.
        if report.phaseFraction < state.encoding { state.encoded += 1 }
        state.encoding = report.phaseFraction
        state.done[.encode] = min((Double(state.encoded) + report.phaseFraction) / Double(state.outputs), 1)
      } else {
        state.done[report.phase] = report.phaseFraction
      }
      // Earlier phases are complete even without a report. Only rendering and encoding alternate.
      for phase in CropProgress.Phase.allCases.prefix(while: { $0 != report.phase && $0 != .render }) {
        state.done[phase] = 1
      }
      let sum = parts.reduce(0) { $0 + $1.value * (state.done[$1.key] ?? 0) }
      // The sum of all parts can miss 1 by a rounding error.
      let isDone = parts.keys.allSatisfy { (state.done[$0] ?? 0) >= 1 }
      state.fraction = max(state.fraction, isDone ? 1 : min(sum, 1))
      return state.fraction
    }
  }
}
