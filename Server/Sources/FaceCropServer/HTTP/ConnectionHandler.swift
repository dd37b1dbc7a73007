import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// What Hummingbird leaves to its users about a connection: whoever works for a client is told when it hangs up; one that
/// does not take its answer is closed; and so is one whose answer says `Connection: close`, once there was time to read it.
/// ``Connections`` knows which of them wait for a request.
///
/// A client that only ends its own sending, and still waits, is taken for one that hung up: the two look the same.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Closed at once, with the rest of a body unread, the system would take the answer back as well (RFC 9112, 9.6).
  private static let lingering = TimeAmount.seconds(2)

  private let answerTimeout: TimeAmount
  private let connections: Connections
  private let state = Mutex(State())

  private struct State {
    var isHungUp = false
    var onHangUp: (@Sendable () -> Void)?
    var isLastAnswer = false
    var timeout: Scheduled<Void>?
    /// The client's address, while its connection counts.
    var client: String?
    /// Requests that were received and not yet answered.
    var requests = 0
    /// Among the connections that wait for a request.
    var place: Int?
  }

  init(answerTimeout: TimeAmount, connections: Connections) {
    self.answerTimeout = answerTimeout
    self.connections = connections
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

  /// Sets what is called, once, when the client hangs up; at once if it has.
  func onHangUp(_ action: (@Sendable () -> Void)?) {
    let isLate = state.withLock { state in
      state.onHangUp = action
      return state.isHungUp
    }
    if isLate { action?() }
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
