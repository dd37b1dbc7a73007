import HTTPTypes
import Hummingbird
import NIOCore

/// The reader of small bodies that a page of this server sends.
struct PageBody: Sendable {
  let live: LiveSettings
  let bodies: BodyMemory

  /// Reads a body of JSON. Forms of other sites cannot have its content type.
  func json(_ request: Request, _ context: CallContext, limit: Int) async throws(ServiceError) -> [UInt8] {
    let type = request.headers[.contentType]?.lowercased().prefix { $0 != ";" && $0 != " " }
    guard type == "application/json" else { throw .invalidQuery("Content-Type must be application/json") }
    return try await read(request, context, limit: limit)
  }

  func read(_ request: Request, _ context: CallContext, limit: Int) async throws(ServiceError) -> [UInt8] {
    let reader = BodyReader(limit: limit, timeout: live.value.bodyTimeout)
    try reader.check(request.headers)
    return try await context.untilHangUp { [bodies] () async throws(ServiceError) in
      let lease = BodyMemory.Lease(of: bodies, for: context.client)
      defer { lease.end() }
      return try await reader.read(request, lease, context)
    }
  }
}

extension Response {
  static func file(_ bytes: [UInt8], _ mediaType: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(bytes, "\(mediaType); charset=utf-8", status)
  }

  static func script(_ text: String) -> Response { .file(Array("\"use strict\";\n\(text)".utf8), "text/javascript") }

  static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(bytes, "application/json", status)
  }

  static func json(_ object: JSONObject) -> Response { .json(object.bytes) }

  private init(_ bytes: [UInt8], _ type: String, _ status: HTTPResponse.Status) {
    let body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    self.init(status: status, headers: [.contentType: type], body: body)
  }
}

extension JSONObject {
  /// The object without an end of line.
  var bytes: [UInt8] { Array(JSONLines.safeLine(self).utf8.dropLast()) }
}

/// The routes of this server's own pages.
struct PageRoutes {
  /// The group behind the guard of the pages.
  let guarded: RouterGroup<CallContext>
  /// The group for responses that need no guard.
  let open: RouterGroup<CallContext>

  typealias Handler = @Sendable (Request, CallContext) async throws -> Response

  /// Adds a path for `GET` and `HEAD`.
  func get(_ path: RouterPath, use handler: @escaping Handler) {
    guarded.get(path, use: handler)
    open.refuseMethods(but: [.get, .head], at: path)
  }

  /// Adds a path for `POST`.
  func post(_ path: RouterPath, use handler: @escaping Handler) {
    guarded.post(path, use: handler)
    open.refuseMethods(but: [.post], at: path)
  }
}

extension RouterGroup<CallContext> {
  /// Responds 405 to methods that a path does not support, and lists those that it does (RFC 9110, 15.5.6).
  func refuseMethods(but allowed: [HTTPRequest.Method], at path: RouterPath) {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    for method in HTTPRequest.Method.parsed where !allowed.contains(method) {
      on(path, method: method) { _, _ -> Response in throw ServiceError.method(allowed: names) }
    }
  }
}

extension HTTPRequest.Method {
  /// All methods that the HTTP parser accepts. It refuses others, such as `FOO`, with 400, and calls M-SEARCH so.
  fileprivate static let parsed = """
    ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK MSEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY \
    OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK \
    UNLOCK UNSUBSCRIBE
    """.split(separator: " ").compactMap { HTTPRequest.Method(String($0)) }
}
