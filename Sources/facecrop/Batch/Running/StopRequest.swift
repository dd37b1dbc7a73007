import Glibc
import Synchronization

/// The handling of SIGINT and SIGTERM in a run. The first signal ends it after the running images, and a second one
/// immediately. Without running images the first one ends it immediately.
final class StopRequest: Sendable {
  private struct State {
    var isRequested = false
    /// What the first signal calls once there are images to finish; nil before.
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  private init() {}

  /// Watches for the signals while `body` runs.
  static func watch<Result>(_ body: (StopRequest) async throws -> Result) async rethrows -> Result {
    let request = StopRequest()
    return try await Signals.watch({ request.handle() }) { try await body(request) }
  }

  var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Declares that there are images to finish. The first signal calls `action` once.
  func finishPictures(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.action = action }
  }

  private func handle() {
    let action = state.withLock { state in
      if state.isRequested || state.action == nil { _exit(Interruption.exitStatus) }
      state.isRequested = true
      return state.action
    }
    action?()
  }
}
