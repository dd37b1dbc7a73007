import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The rules for every request of the playground and the review: who may ask, by which host name, and what browsers may do with the
/// response. Image URLs have rules of their own: their signatures.
struct PlaygroundGuard: RouterMiddleware {
  private let settings: Settings
  /// Wrong tokens of each client.
  private let guesses = TokenBuckets(rate: 1, burst: 5)
  /// Wrong tokens of all clients together.
  private let allGuesses = TokenBuckets(rate: 20, burst: 100)

  static let cookie = "facecrop_playground"
  /// Paths that a browser may load before it has the token. They have no secrets.
  private static let open: Set = ["/playground/playground.css", "/playground/icon.svg", "/playground/sign-in"]

  init(_ settings: Settings) {
    self.settings = settings
  }

  func handle(
    _ request: Request, context: CallContext, next: (Request, CallContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try check(request, context)
      response = try await next(request, context)
    } catch let error as ServiceError {
      response = error == .unauthorized && ["/", "/review"].contains(request.uri.path) ? Self.signIn : error.response
    }
    for field in Self.headers where response.headers[field.name] == nil { response.headers[field.name] = field.value }
    return response
  }

  private func check(_ request: Request, _ context: CallContext) throws(ServiceError) {
    let host = request.head.authority ?? ""
    guard isOwn(host) else {
      throw .forbidden("the page is not served by this host name (see the setting playground-hosts)")
    }
    if settings.playgroundToken.isEmpty { try checkIsLocal(request, context) }
    if request.method != .get, request.method != .head { try Self.checkOrigin(request, host) }
    guard !settings.playgroundToken.isEmpty, !Self.open.contains(request.uri.path) else { return }
    guard try hasToken(request, context) else { throw .unauthorized }
  }

  // MARK: Host and origin

  /// Returns whether a Host header names this machine or a configured host, so that a foreign name that was rebound to
  /// this address reaches nothing.
  private func isOwn(_ authority: String) -> Bool {
    let (host, _) = Self.split(authority)
    if HostName.isLoopback(host) || host == settings.host.lowercased() { return true }
    return settings.playgroundHosts.contains { $0.lowercased() == host || $0.lowercased() == authority.lowercased() }
  }

  /// Splits `name:port` or `[address]:port`.
  private static func split(_ authority: String) -> (host: String, port: Substring?) {
    let text = authority.lowercased()
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return (String(text[...end]), nil) }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts.first ?? ""), parts.count > 1 ? parts[1] : nil)
  }

  /// Without a token, only clients on this machine may ask, and not for others: a proxy must not open the page.
  private func checkIsLocal(_ request: Request, _ context: CallContext) throws(ServiceError) {
    let isForwarded = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"].contains { name in
      HTTPField.Name(name).map { request.headers[$0] != nil } ?? false
    }
    guard !isForwarded, HostName.isLoopback(context.channel.remoteAddress?.ipAddress ?? "") else {
      throw .forbidden("without a token, the page is only for this machine (set playground-token)")
    }
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

  private func hasToken(_ request: Request, _ context: CallContext) throws(ServiceError) -> Bool {
    if let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer ") {
      return try isToken(String(header.dropFirst("bearer ".count)), request, context)
    }
    for field in request.headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
        guard parts.count == 2, parts[0] == Self.cookie else { continue }
        return try limited(request, context) { Self.areEqual(parts[1], Self.session(for: settings.playgroundToken)) }
      }
    }
    return false
  }

  /// Returns whether a text is the token; wrong ones are limited. Throws ``ServiceError/tooManyRequests``.
  func isToken(_ text: String, _ request: Request, _ context: CallContext) throws(ServiceError) -> Bool {
    try limited(request, context) { Self.areEqual(text, settings.playgroundToken) }
  }

  /// Charges a guess before it is looked at, and gives the charge back if it is right.
  private func limited(
    _ request: Request, _ context: CallContext, _ isRight: () -> Bool
  ) throws(ServiceError) -> Bool {
    let client = context.client(of: request, trustsForwardedFor: settings.trustForwardedFor)
    try guesses.take(for: client)
    try allGuesses.take(for: "")
    guard isRight() else { return false }
    guesses.refund(to: client)
    allGuesses.refund(to: "")
    return true
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
    let value = Self.session(for: settings.playgroundToken)
    return "\(Self.cookie)=\(value); Path=/; Max-Age=43200; HttpOnly; SameSite=Strict\(secure)"
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

  private static var signIn: Response {
    var headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .wwwAuthenticate: "Bearer"]
    // A page without any referrer sends its form with the origin "null".
    headers[HTTPField.Name("Referrer-Policy")!] = "same-origin"
    return Response(
      status: .unauthorized, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.sign_in_html)))
  }
}
