import NIOCore
import NIOHTTP1

/// A handler for rules that need a request's version or all of its fields, which the types behind it do not have.
///
/// It marks the last request of a connection with `Connection: close`, however the client asked for it: by HTTP/1.0, or
/// by `close` in any case or among other words. HTTP/1.0 has no `100 Continue` (RFC 9110, 10.1.1). A request without a
/// host, or with two, is invalid (RFC 9112, 3.2). The types also drop the host of a target that is a whole URL, so it
/// gets a target that is no path.
final class LastRequestHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    let isOld = head.version == .http1_0
    guard (isOld ? 0...1 : 1...1).contains(head.headers["host"].count) else {
      return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    }
    if isOld { head.headers.remove(name: "Expect") }
    if isOld || !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    // A fragment is never sent, and would be another spelling of a signed URL.
    if !head.uri.hasPrefix("/") || head.uri.contains("#") { head.uri = "*" }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
