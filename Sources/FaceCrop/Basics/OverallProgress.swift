internal import Synchronization

/// One fraction of the progress of several calls, 0…1, of which the phases are parts: for a bar.
///
/// ```swift
/// let overall = OverallProgress(phases: [.look, .detect, .render, .encode])
/// let result = try await cropper.crop(source) { bar.show(overall.fraction(after: $0)) }
/// let jpeg = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85)) { bar.show(overall.fraction(after: $0)) }
/// ```
///
/// It never goes back. One object is for one picture. Of one call alone, ``CropProgress/fraction`` says the same.
public final class OverallProgress: Sendable {
  private struct State {
    var outputs: Int
    var encoded = 0
    /// What is done of the output that is being encoded, 0…1.
    var encoding = 0.0
    /// What is done of each phase, 0…1.
    var done: [CropProgress.Phase: Double] = [:]
    var fraction = 0.0
  }

  /// What a phase usually takes of a picture from the web: detection takes most.
  private static let parts: [CropProgress.Phase: Double] = [
    .fetch: 0.5, .look: 0.2, .detect: 0.5, .render: 0.2, .encode: 0.1,
  ]

  private let parts: [CropProgress.Phase: Double]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - phases: Those that there will be. Default those of ``FaceCropper/crop(_:request:progress:)``.
  ///   - outputs: How many are encoded; ``expect(outputs:)`` says it later.
  public init(phases: Set<CropProgress.Phase> = [.look, .detect, .render], outputs: Int = 1) {
    let sum = phases.reduce(0) { $0 + (Self.parts[$1] ?? 0) }
    parts = Self.parts.filter { phases.contains($0.key) }.mapValues { $0 / sum }
    state = Mutex(State(outputs: max(outputs, 1)))
  }

  /// Says how many outputs will be encoded, once there is a plan.
  public func expect(outputs: Int) {
    state.withLock { $0.outputs = max(outputs, 1) }
  }

  /// What is done of the job after a report, 0…1.
  public func fraction(after report: CropProgress) -> Double {
    state.withLock { state in
      if report.phase == .encode {
        // The next output's begins anew.
        if report.phaseFraction < state.encoding { state.encoded += 1 }
        state.encoding = report.phaseFraction
        state.done[.encode] = min((Double(state.encoded) + report.phaseFraction) / Double(state.outputs), 1)
      } else {
        state.done[report.phase] = report.phaseFraction
      }
      // What comes before is done, whoever reported it; only outputs are rendered and encoded in turn.
      for phase in CropProgress.Phase.allCases.prefix(while: { $0 != report.phase && $0 != .render }) {
        state.done[phase] = 1
      }
      let sum = parts.reduce(0) { $0 + $1.value * (state.done[$1.key] ?? 0) }
      state.fraction = max(state.fraction, min(sum, 1))
      return state.fraction
    }
  }
}
