import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

/// A handler that cancels the work for a client that hangs up, and closes a client that does not receive its response.
/// After `Connection: close` it closes with a delay. ``Connections`` tracks the idle ones.
///
/// A client that only closes its sending side looks the same as one that hung up, and is treated so.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The delay before closing. With an unread body, closing at once would also discard the response (RFC 9112, 9.6).
  private static let lingering = TimeAmount.seconds(2)

  private let answerTimeout: TimeAmount
  private let connections: Connections
  private let state = Mutex(State())

  private struct State {
    var isHungUp = false
    var onHangUp: (@Sendable () -> Void)?
    /// The action when a body stops arriving; nil unless one is being received.
    var onStall: (@Sendable () -> Void)?
    var isLastAnswer = false
    var timeout: Scheduled<Void>?
    /// The client's address while its connection counts.
    var client: String?
    /// Requests received but not yet answered.
    var requests = 0
    /// The number of this connection among the idle ones.
    var place: Int?
  }

  init(answerTimeout: TimeAmount, connections: Connections) {
    self.answerTimeout = answerTimeout
    self.connections = connections
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    // Before the codec, behind which requests have no version.
    guard let codec = try? pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self) else { return }
    try? pipeline.addHandler(LastRequestHandler(), position: .before(codec.handler))
  }

  func channelActive(context: ChannelHandlerContext) {
    let client = context.remoteAddress?.ipAddress ?? "unknown"
    let isWelcome = connections.enter(client)
    if isWelcome {
      state.withLock { $0.client = client }
      wait(on: context.channel)
    }
    context.fireChannelActive()
    if !isWelcome { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head = unwrapInboundIn(data) {
      state.withLock { $0.requests += 1 }
      stopWaiting()
    }
    context.fireChannelRead(data)
  }

  private func wait(on channel: any Channel) {
    let place = connections.wait(channel)
    state.withLock { $0.place = place }
  }

  private func stopWaiting() {
    let place = state.withLock { state in
      defer { state.place = nil }
      return state.place
    }
    if let place { connections.use(place) }
  }

  /// Sets the action to call once when the client hangs up; calls it at once if it already has.
  func onHangUp(_ action: (@Sendable () -> Void)?) {
    let isLate = state.withLock { state in
      state.onHangUp = action
      return state.isHungUp
    }
    if isLate { action?() }
  }

  /// Sets the action to call once when the body that is being received stops for as long as the idle timeout. Until it
  /// is called or replaced by nil, the idle timeout does not close the connection.
  func onStall(_ action: (@Sendable () -> Void)?) {
    state.withLock { $0.onStall = action }
  }

  /// While a body is received, only the idle timeout of the handler behind this one closes the whole connection. The
  /// client is then still there, and gets a response.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    let action = state.withLock { state -> (@Sendable () -> Void)? in
      guard mode == .all, !state.isHungUp else { return nil }
      defer { state.onStall = nil }
      return state.onStall
    }
    guard let action else { return context.close(mode: mode, promise: promise) }
    action()
    promise?.succeed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { hangUp() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    stopWaiting()
    let client = state.withLock { state in
      defer { state.client = nil }
      return state.client
    }
    if let client { connections.leave(client) }
    hangUp()
    context.fireChannelInactive()
  }

  private func hangUp() {
    let action = state.withLock { state in
      state.isHungUp = true
      defer { state.onHangUp = nil }
      return state.onHangUp
    }
    action?()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind != .informational:
      let timeout = close(context, after: answerTimeout)
      state.withLock {
        $0.isLastAnswer = head.headerFields[.connection] == "close"
        $0.timeout = timeout
      }
      context.write(data, promise: promise)
    case .end:
      let isWritten = promise ?? context.eventLoop.makePromise()
      let channel = context.channel
      isWritten.futureResult.whenComplete { [self] _ in answered(on: channel) }
      context.write(data, promise: isWritten)
    default:
      context.write(data, promise: promise)
    }
  }

  private func answered(on channel: any Channel) {
    let (isLast, timeout, requests) = state.withLock { state in
      state.requests -= 1
      return (state.isLastAnswer, state.timeout, state.requests)
    }
    timeout?.cancel()
    if !isLast, requests == 0, channel.isActive { wait(on: channel) }
    if isLast { channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) } }
  }

  private func close(_ context: ChannelHandlerContext, after time: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
