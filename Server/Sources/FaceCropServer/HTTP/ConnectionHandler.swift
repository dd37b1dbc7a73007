import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// What Hummingbird leaves to its users about a connection: whoever works for a client is told when it hangs up; one that
/// does not take its answer is closed; and so is one whose answer says `Connection: close`, once there was time to read it.
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
  private let state = Mutex(State())

  private struct State {
    var isHungUp = false
    var onHangUp: (@Sendable () -> Void)?
    var isLastAnswer = false
    var timeout: Scheduled<Void>?
  }

  init(answerTimeout: TimeAmount) {
    self.answerTimeout = answerTimeout
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
    let (isLast, timeout) = state.withLock { ($0.isLastAnswer, $0.timeout) }
    timeout?.cancel()
    if isLast { channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) } }
  }

  private func close(_ context: ChannelHandlerContext, after time: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
