import Glibc
import Synchronization

/// SIGINT and SIGTERM ask a run to end when the pictures that it works on are done; a second one ends it at once, as does
/// the first where there is nothing to finish.
final class StopRequest: Sendable {
  private struct State {
    var finishesPictures = false
    var isRequested = false
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

  /// From here on there are pictures to finish.
  ///
  /// - Parameter action: called once, when the request comes.
  func finishPictures(_ action: @escaping @Sendable () -> Void = {}) {
    state.withLock {
      $0.finishesPictures = true
      $0.action = action
    }
  }

  private func handle() {
    let action = state.withLock { state in
      if state.isRequested || !state.finishesPictures { _exit(Interruption.exitStatus) }
      state.isRequested = true
      return state.action
    }
    action?()
  }
}
