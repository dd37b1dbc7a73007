import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird

/// The rules for every request of the playground and the review: who may ask, by which host name, and what browsers may
/// do with the response. Image URLs have rules of their own: their signatures.
struct PlaygroundGuard: RouterMiddleware {
  let settings: Settings
  /// The token that opens the pages.
  let token: String
  /// Wrong tokens of each client.
  private let guesses = TokenBuckets(rate: 1, burst: 5)
  /// Wrong tokens of all clients together.
  private let allGuesses = TokenBuckets(rate: 20, burst: 100)

  /// The name of the cookie. Browsers send the cookies of a host to all of its ports.
  private var cookie: String { "facecrop_\(settings.port)" }
  /// Paths that a browser may load before it has the token. They have no secrets.
  private static let open: Set = ["/playground/playground.css", "/playground/icon.svg", "/playground/sign-in"]

  func handle(
    _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      if let page = try check(request, context) { response = page } else { response = try await next(request, context) }
    } catch let error as ServiceError {
      let needsToken = error == .unauthorized || error == .tooManyRequests
      response = needsToken && isPage(request) ? Self.signIn(error.status) : error.response
    }
    for field in Self.headers where response.headers[field.name] == nil { response.headers[field.name] = field.value }
    return response
  }

  /// Returns the redirect to a page whose URL has the token; nil if the request is to be answered.
  private func check(_ request: Request, _ context: CallContext) throws(ServiceError) -> Response? {
    let host = request.head.authority ?? ""
    guard isOwn(host) else {
      throw .forbidden("the page is not served by this host name (see the setting playground-hosts)")
    }
    if request.method != .get, request.method != .head { try Self.checkOrigin(request, host) }
    if isPage(request), let text = request.uri.queryParameters["token"], try isToken(String(text), context) {
      // The address bar and the history then show no token.
      return Response(status: .seeOther, headers: [.location: request.uri.path, .setCookie: setCookie(request)])
    }
    if !Self.open.contains(request.uri.path), try !hasToken(request, context) { throw .unauthorized }
    return nil
  }

  private func isPage(_ request: Request) -> Bool { ["/", "/review"].contains(request.uri.path) }

  // MARK: Host and origin

  /// Returns whether a Host header names this machine or a configured host, so that a foreign name that was rebound to
  /// this address reaches nothing.
  private func isOwn(_ authority: String) -> Bool {
    let host = Self.host(of: authority)
    if HostName.isLoopback(host) || host == settings.host.lowercased() { return true }
    return settings.playgroundHosts.contains { $0.lowercased() == host || $0.lowercased() == authority.lowercased() }
  }

  /// Returns the host of `name:port` or `[address]:port`.
  private static func host(of authority: String) -> String {
    let text = authority.lowercased()
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return String(text[...end]) }
    return String(text.prefix { $0 != ":" })
  }

  /// Refuses requests that another site's page makes. Browsers state the site or the origin in every POST request.
  private static func checkOrigin(_ request: Request, _ host: String) throws(ServiceError) {
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    let origin = request.headers[.origin]?.lowercased()
    let isSameSite = site.map { $0 == "same-origin" } ?? (origin != nil)
    let isSameOrigin = origin.map { ["http://", "https://"].map { $0 + host.lowercased() }.contains($0) } ?? true
    guard isSameSite, isSameOrigin else {
      throw .forbidden("the request does not come from a page of this server")
    }
  }

  // MARK: The token

  /// Returns whether a request has the token, or a cookie that proves it.
  private func hasToken(_ request: Request, _ context: CallContext) throws(ServiceError) -> Bool {
    var proofs: [(text: String, wanted: String)] = []
    if let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer ") {
      proofs.append((String(header.dropFirst("bearer ".count)), token))
    }
    // Another program on this host may have set a cookie of the same name.
    let session = Self.session(for: token)
    for pair in request.headers[values: .cookie].flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
      if parts.count == 2, parts[0] == cookie { proofs.append((parts[1], session)) }
    }
    return proofs.isEmpty ? false : try isRight(proofs, context)
  }

  /// Returns whether a text is the token; wrong ones are limited. Throws ``ServiceError/tooManyRequests``.
  func isToken(_ text: String, _ context: CallContext) throws(ServiceError) -> Bool {
    try isRight([(text, token)], context)
  }

  /// Charges a wrong guess only, so that nobody can lock out those who have the token.
  private func isRight(
    _ proofs: [(text: String, wanted: String)], _ context: CallContext
  ) throws(ServiceError) -> Bool {
    if proofs.contains(where: { Self.areEqual($0.text, $0.wanted) }) { return true }
    try guesses.take(for: context.client)
    try allGuesses.take(for: "")
    return false
  }

  /// Compares in constant time, whatever the lengths.
  private static func areEqual(_ text: String, _ other: String) -> Bool {
    let key = SymmetricKey(size: .bits256)
    let code = HMAC<SHA256>.authenticationCode(for: Data(other.utf8), using: key)
    return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(text.utf8), using: key)
  }

  /// The cookie's value. It proves the token, but does not tell it.
  private static func session(for token: String) -> String {
    Signature.own(of: "playground session", key: token)
  }

  /// The cookie for a client that knows the token. Scripts cannot read it, and other sites' pages do not send it.
  func setCookie(_ request: Request) -> String {
    let proto = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] }
    let secure = settings.trustForwardedFor && proto == "https" ? "; Secure" : ""
    let value = Self.session(for: token)
    return "\(cookie)=\(value); Path=/; Max-Age=43200; HttpOnly; SameSite=Strict\(secure)"
  }

  // MARK: The response

  private static let headers: HTTPFields = {
    let rules = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
      "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]
    var headers: HTTPFields = [.xContentTypeOptions: "nosniff", .cacheControl: "no-store"]
    for (name, value) in [
      ("Content-Security-Policy", rules.joined(separator: "; ")), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("X-Frame-Options", "DENY"),
    ] {
      headers[HTTPField.Name(name)!] = value
    }
    return headers
  }()

  private static func signIn(_ status: HTTPResponse.Status) -> Response {
    var response = Response.file(PackageResources.sign_in_html, "text/html", status: status)
    response.headers[.wwwAuthenticate] = "Bearer"
    // A page without any referrer sends its form with the origin "null".
    response.headers[HTTPField.Name("Referrer-Policy")!] = "same-origin"
    return response
  }
}
