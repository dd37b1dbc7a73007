import Hummingbird
import NIOCore
import Synchronization

struct CallContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  let report = RequestReport()
  let trace = RequestTrace()
  /// The handler of the request's connection; nil in tests without one.
  var connection: ConnectionHandler?
  /// The client's name in limits.
  var client = ""

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Runs `body` in a task that is cancelled when the client hangs up.
  func untilHangUp<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    let task = Task { try await body() }
    connection?.onHangUp { task.cancel() }
    defer { connection?.onHangUp(nil) }
    do {
      return try await withTaskCancellationHandler(operation: { try await task.value }, onCancel: { task.cancel() })
    } catch {
      throw error as? ServiceError ?? .internalFault("\(error)")
    }
  }
}

/// Facts about a request for the log.
final class RequestReport: Sendable {
  private let state = Mutex(State())

  struct State {
    /// Bytes of the body; nil until it is fully read.
    var bodyBytes: Int?
    var faces: Int?
    var isCached = false
    var signer: Signature.Signer?
    /// The image's name in the request.
    var image: String?
  }

  var values: State { state.withLock { $0 } }

  func note<Value: Sendable>(_ fact: WritableKeyPath<State, Value>, _ value: Value) {
    state.withLock { $0[keyPath: fact] = value }
  }
}
