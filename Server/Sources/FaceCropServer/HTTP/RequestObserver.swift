import HTTPTypes
import Hummingbird
import Logging
import Tracing

/// A wrapper of every request: it turns errors into responses, and counts, times and logs the request.
struct RequestObserver: RouterMiddleware {
  let metrics: ServiceMetrics
  let exporter: OTLPExporter?
  let drain: Drain
  let live: LiveSettings
  let trustsForwardedFor: Bool

  func handle(
    _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    let (start, time) = (ContinuousClock.now, DefaultTracerClock.now)
    var context = context
    if let id = Self.requestID.flatMap({ request.headers[$0] }), Self.isPlain(id) {
      context.logger[metadataKey: "hb.request.id"] = "\(id)"
    }
    context.connection = try? await context.channel.pipeline.handler(type: ConnectionHandler.self).get()
    context.client = ClientName.of(context.address(of: request, trustsForwardedFor: trustsForwardedFor))
    metrics.begin()
    var (response, error, reason) = await answer(request, context, next)
    if request.method == .head {
      // It has the headers of GET, and no body (RFC 9110, 9.3.2).
      let length = response.headers[.contentLength]
      response.body = ResponseBody()
      response.headers[.contentLength] = length
    }
    let report = context.report.values
    if report.bodyBytes == nil, hasBody(request) || isRefused(request, context) {
      // The server does not wait for the rest of the body.
      response.headers[.connection] = "close"
    }
    // Sends the client's next request to another server instead of a connection that ends.
    if drain.isDraining || request.headers[.connection] == "close" { response.headers[.connection] = "close" }
    if let name = Self.requestID { response.headers[name] = context.id }
    let duration = ContinuousClock.now - start
    let route = context.endpointPath ?? "other"
    if let exporter, !Self.probes.contains(route) {
      context.trace.report(request, route: route, status: response.status.code, from: time, to: exporter)
    }
    metrics.end(route: route, status: response.status.code, duration: duration)

    var metadata: Logger.Metadata = [
      "method": "\(request.method)", "path": "\(ImageName.withoutSecrets(request.uri.path))",
      "status": .stringConvertible(response.status.code), "ms": .stringConvertible(Int(duration / .milliseconds(1))),
      "bytes_in": .stringConvertible(report.bodyBytes ?? 0),
      "bytes_out": .stringConvertible(response.body.contentLength ?? 0),
      "client": "\(context.address(of: request, trustsForwardedFor: trustsForwardedFor))",
    ]
    if let image = report.image { metadata["image"] = "\(ImageName.withoutSecrets(image))" }
    if let faces = report.faces { metadata["faces"] = .stringConvertible(faces) }
    if report.isCached { metadata["cached"] = .stringConvertible(true) }
    if let signer = report.signer { metadata["key"] = "\(signer)" }
    if let error { metadata["error"] = "\(error)" }
    if let reason { metadata["reason"] = "\(reason)" }
    let isProbe = Self.probes.contains(route)
    let level: Logger.Level =
      response.status == .internalServerError ? .error : isProbe && reason == nil ? .debug : .info
    context.logger.log(level: level, "request", metadata: metadata)
    return response
  }

  private static let requestID = HTTPField.Name("X-Request-Id")

  /// Returns whether a client's id is safe in logs and headers.
  private static func isPlain(_ id: String) -> Bool {
    (1...128).contains(id.utf8.count) && id.utf8.allSatisfy { $0.isPlain(or: "-_.:") }
  }

  private static let probes: Set = ["/health", "/health/ready", "/metrics"]

  /// Returns whether a path is one of the server's state, which has a response at any load.
  static func isProbe(_ path: String) -> Bool { probes.contains(String(path.prefix { $0 != "?" })) }

  private func answer(
    _ request: Request, _ context: CallContext, _ next: (Request, CallContext) async throws -> Response
  ) async -> (Response, error: String?, reason: String?) {
    let fault: ServiceError
    do {
      if isRefused(request, context) { throw ServiceError.busy }
      guard request.uri.string.hasPrefix("/") else {
        throw ServiceError.invalidQuery("the request must name a path, such as /health, without a host and without #")
      }
      return (try await next(request, context), nil, nil)
    } catch let error as ServiceError {
      fault = error
    } catch let error as any HTTPResponseError where error.status == .notFound {
      fault = .unknownURL(live.value.urls)
    } catch let error as any HTTPResponseError {
      let reason = error.status.reasonPhrase
      let kind = reason.lowercased().replacing(" ", with: "-")
      return (Response(error: kind, message: reason, status: error.status), kind, nil)
    } catch is CancellationError {
      fault = .hungUp
    } catch {
      fault = .internalFault("\(error)")
    }
    return (fault.response, fault.kind, fault.reason)
  }

  /// Returns whether too many connections are busy for the request.
  private func isRefused(_ request: Request, _ context: CallContext) -> Bool {
    context.connection?.isRefused == true && !Self.isProbe(request.uri.path)
  }

  private func hasBody(_ request: Request) -> Bool {
    request.headers[.transferEncoding] != nil || (request.headers[.contentLength] ?? "0") != "0"
  }
}
