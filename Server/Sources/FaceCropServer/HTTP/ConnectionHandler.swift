import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

/// A handler that cancels the work for a client that hangs up, and closes a client that receives its response too
/// slowly. After `Connection: close` it closes with a delay. ``Connections`` tracks the idle ones.
///
/// A client that only closes its sending side looks the same as one that hung up, and is treated so.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  /// The delay before closing. With an unread body, closing at once would also discard the response (RFC 9112, 9.6).
  private static let lingering = TimeAmount.seconds(2)

  private let settings: Settings
  private let connections: Connections
  private let state = Mutex(State())

  private struct State {
    var isHungUp = false
    var onHangUp: (@Sendable () -> Void)?
    /// The action when a body stops arriving; nil unless one is being received.
    var onStall: (@Sendable () -> Void)?
    var isLastAnswer = false
    /// Whether the last part of a response waits for the client to receive it.
    var isEnding = false
    var timeout: Scheduled<Void>?
    /// The check of the least rate, while a body or a large response is on its way, and the bytes since the last one.
    var pace: RepeatedTask?
    var moved = 0
    var client = ""
    /// Requests received but not yet answered.
    var requests = 0
    /// The number of this connection among the idle ones; nil if it is busy.
    var place: Int?
    /// Whether too many connections were busy for a request.
    var isRefused = false
  }

  init(settings: Settings, connections: Connections) {
    self.settings = settings
    self.connections = connections
  }

  /// Whether requests have to be refused, because too many connections are busy.
  var isRefused: Bool { state.withLock { $0.isRefused } }

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    // Before the codec, behind which requests have no version.
    guard let codec = try? pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self) else { return }
    try? pipeline.addHandler(LastRequestHandler(), position: .before(codec.handler))
  }

  func channelActive(context: ChannelHandlerContext) {
    let client = ClientName.of(context.remoteAddress?.ipAddress ?? "unknown")
    let place = connections.enter(context.channel, of: client)
    state.withLock { ($0.client, $0.place) = (client, place) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      state.withLock { state in
        state.requests += 1
        guard let place = state.place else { return }
        if RequestObserver.isProbe(head.path ?? "") {
          state.place = connections.renew(place, of: state.client)
        } else if connections.work(place, of: state.client) {
          state.place = nil
        } else {
          state.isRefused = true
        }
      }
    case .body(let bytes): state.withLock { $0.moved += bytes.readableBytes }
    case .end: break
    }
    context.fireChannelRead(data)
  }

  /// Sets the action to call once when the client hangs up; calls it at once if it already has.
  func onHangUp(_ action: (@Sendable () -> Void)?) {
    let isLate = state.withLock { state in
      state.onHangUp = action
      return state.isHungUp
    }
    if isLate { action?() }
  }

  /// Sets the action to call once when the body that is being received stops for as long as the idle timeout, or is
  /// slower than the least rate. Until it is called or replaced by nil, the idle timeout does not close the connection.
  func onStall(on channel: any Channel, _ action: (@Sendable () -> Void)?) {
    state.withLock { $0.onStall = action }
    endWatch()
    if action != nil { watch(on: channel) { [weak self] in self?.stall() } }
  }

  /// Calls the action when a body stops arriving, if there is one.
  private func stall() { state.withLock { $0.onStall.take() }?() }

  /// The last part of a response is never cut off, and while a body is received, only the idle timeout of the handler
  /// behind this one closes the whole connection. The client is then still there, and gets a response.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    let isKept = state.withLock { state in
      guard mode == .all, !state.isHungUp else { return false }
      if state.isEnding { state.isLastAnswer = true }
      return state.isEnding || state.onStall != nil
    }
    guard isKept else { return context.close(mode: mode, promise: promise) }
    stall()
    promise?.succeed()
  }

  /// Ends the connection of a client that is too slow.
  private func cutOff(_ channel: any Channel) {
    hangUp()
    channel.close(promise: nil)
  }

  /// Checks the rate of a body or a response in each idle timeout from now on.
  private func watch(on channel: any Channel, _ ifSlow: @escaping @Sendable () -> Void) {
    let window = TimeAmount(settings.idleTimeout)
    let least = Int(settings.idleTimeout / .seconds(1) * Double(settings.leastRate))
    let pace = channel.eventLoop.scheduleRepeatedTask(initialDelay: window, delay: window) { [weak self] _ in
      let moved = self?.state.withLock { exchange(&$0.moved, with: 0) }
      if let moved, moved < least { ifSlow() }
    }
    state.withLock { ($0.pace, $0.moved) = (pace, 0) }
  }

  private func endWatch() { state.withLock { $0.pace.take() }?.cancel() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { hangUp() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    let (place, client) = state.withLock { ($0.place, $0.client) }
    connections.leave(place, of: client)
    endWatch()
    hangUp()
    context.fireChannelInactive()
  }

  private func hangUp() {
    let action = state.withLock { state in
      state.isHungUp = true
      return state.onHangUp.take()
    }
    action?()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let channel = context.channel
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind != .informational:
      let timeout = context.eventLoop.scheduleTask(in: TimeAmount(settings.answerTimeout)) { [self] in cutOff(channel) }
      state.withLock {
        $0.isLastAnswer = head.headerFields[.connection] == "close"
        $0.timeout = timeout
      }
      // Systems send a smaller one at once.
      if head.headerFields[.contentLength].flatMap({ Int($0) }) ?? 0 > ResponseBody.piece {
        watch(on: channel) { [weak self] in self?.cutOff(channel) }
      }
      context.write(data, promise: promise)
    case .body(let bytes) where state.withLock({ $0.pace != nil }):
      let isWritten = promise ?? context.eventLoop.makePromise()
      isWritten.futureResult.whenSuccess { [self] in state.withLock { $0.moved += bytes.readableBytes } }
      context.write(data, promise: isWritten)
    case .end:
      let isWritten = promise ?? context.eventLoop.makePromise()
      state.withLock { $0.isEnding = true }
      isWritten.futureResult.whenComplete { [self] _ in answered(on: channel) }
      context.write(data, promise: isWritten)
    default:
      context.write(data, promise: promise)
    }
  }

  private func answered(on channel: any Channel) {
    let (isLast, timeout) = state.withLock { state in
      state.requests -= 1
      state.isEnding = false
      if state.requests == 0, state.place == nil, channel.isActive {
        state.place = connections.wait(channel, of: state.client)
      }
      return (state.isLastAnswer, state.timeout)
    }
    timeout?.cancel()
    endWatch()
    guard isLast else { return }
    channel.close(mode: .output, promise: nil)
    channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
  }
}
