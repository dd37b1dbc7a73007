import NIOCore
import NIOHTTP1

/// A handler that marks the last request of a connection with `Connection: close`, however the client asked for it: by
/// HTTP/1.0, or by `close` in any case or among other words. The types behind it know no version.
final class LastRequestHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 || !head.isKeepAlive else {
      context.fireChannelRead(data)
      return
    }
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
