import FaceCrop
import Glibc
import HTTPTypes
import Hummingbird
import SystemPackage

/// The reason why a response has no image.
struct ServiceError: Error, Equatable {
  let status: HTTPResponse.Status
  /// A word for programs.
  let kind: String
  /// A clause for people.
  private(set) var message: String
  /// The details that only go to the log; nil if the client gets all of them.
  private(set) var reason: String?
  /// The methods that the URL supports; nil if the method is not the fault.
  private var allowed: String?
  /// The library's error about the image; nil for another reason.
  private var cause: FaceCropError?

  private init(
    _ status: HTTPResponse.Status, _ kind: String, _ message: String, reason: String? = nil, allowed: String? = nil,
    cause: FaceCropError? = nil
  ) {
    (self.status, self.kind, self.message) = (status, kind, message)
    (self.reason, self.allowed, self.cause) = (reason, allowed, cause)
  }

  static func invalidQuery(_ message: String) -> Self { Self(.badRequest, "invalid", message) }

  /// The signature is missing or wrong, or the source is not allowed.
  static func forbidden(_ message: String) -> Self { Self(.forbidden, "forbidden", message) }

  /// The token of the playground or the review is missing or wrong.
  static let unauthorized = Self(
    .unauthorized, "token",
    "the page needs its token (sign in on it, or send Authorization: Bearer TOKEN; the server prints a URL with it)")

  static let notFound = Self(.notFound, "not-found", "the image was not found")

  /// A file of the folder that is not served. Clients get the response of ``notFound``; only the log has the reason.
  static func notServed(_ reason: String) -> Self {
    Self(notFound.status, notFound.kind, notFound.message, reason: reason)
  }

  /// The URL does not support the method, but these.
  static func method(allowed: String) -> Self {
    Self(.methodNotAllowed, "method", "the method is not allowed here (use \(allowed))", allowed: allowed)
  }

  /// The server has no such URL, but these paths.
  static func unknownURL(_ paths: String) -> Self {
    Self(.notFound, notFound.kind, "the server has no such URL (write one of \(paths))")
  }

  /// The image has no face that the request names.
  static func noSuchFace(_ message: String) -> Self {
    Self(.unprocessableContent, FaceCropError.noFace.kind, message)
  }

  /// The image's host failed or did not respond.
  static func origin(_ reason: String) -> Self {
    Self(.badGateway, "origin", "the image could not be fetched: \(reason)")
  }

  static let tooManyRequests = Self(.tooManyRequests, "rate", "the client has made too many requests (retry later)")
  static let tooManyOfKey = Self(.tooManyRequests, "rate", "too many requests were signed with this key (retry later)")

  /// A fault of the server itself, whose details only go to the log.
  static func internalFault(_ reason: String) -> Self {
    Self(.internalServerError, "internal", "an internal error occurred (see the server's log)", reason: reason)
  }

  /// The server has no file descriptors or memory at the moment. The details only go to the log.
  static func exhausted(_ reason: String) -> Self {
    Self(
      .serviceUnavailable, busy.kind, "the server has no resources for the request now (retry later)", reason: reason)
  }

  static func bodyTooLarge(limit: Int) -> Self {
    Self(.contentTooLarge, "too-large", "the body exceeds the limit of \(limit) bytes (see the setting max-body)")
  }

  /// The image file is larger than the memory for all image files, so a retry cannot succeed.
  static func overBodyMemory(limit: Int) -> Self {
    Self(
      .contentTooLarge, "too-large",
      "the image file exceeds the \(limit) bytes for all image files (see the setting body-memory)")
  }

  static let bodyTimeout = Self(.requestTimeout, "body-timeout", "the body arrived too slowly")

  /// The server has no room for another request.
  static let busy = Self(.tooManyRequests, "overloaded", "too many requests are waiting (retry later)")

  /// The server cannot serve, or is about to end. The reason, which may have the path of a folder, only goes to the log.
  static func notReady(_ reason: String) -> Self {
    Self(.serviceUnavailable, "not-ready", "the server serves no images now (see its log)", reason: reason)
  }

  /// The client hung up, so nobody reads the response.
  static let hungUp = Self(
    HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request"), "cancelled",
    "the client closed the connection")

  static func image(_ error: ImageRequestError) -> Self {
    let setting = error.setting.map { " (see the setting \($0))" } ?? ""
    let cause: FaceCropError? = if case .image(let cause) = error { cause } else { nil }
    return Self(error.status, error.servedKind, "\(error)\(setting)", cause: cause)
  }

  /// Returns the error about an uploaded image, with a remedy if its type, that of `curl -d`, shows a probable cause.
  func about(bodyOfType contentType: String?) -> ServiceError {
    let formType = "application/x-www-form-urlencoded"
    guard contentType?.lowercased().hasPrefix(formType) == true else { return self }
    switch cause {
    case .unsupported, .corrupt, .truncated:
      var error = self
      error.message +=
        " (the body is of the type \(formType): with curl, write --data-binary instead of -d, which removes bytes)"
      return error
    default: return self
    }
  }

  /// Creates the error of a system call that failed. A lack of descriptors or memory passes, so the client may retry.
  init(_ action: String, _ code: CInt) {
    let reason = "\(action): \(Errno(rawValue: code))"
    self = [EMFILE, ENFILE, ENOMEM].contains(code) ? .exhausted(reason) : .internalFault(reason)
  }

  /// The delay in `Retry-After` of 429 and 503, in seconds.
  static let retrySeconds = 1

  var response: Response {
    var response = Response(error: kind, message: message, status: status)
    if status == .tooManyRequests || status == .serviceUnavailable {
      response.headers[.retryAfter] = "\(Self.retrySeconds)"
    }
    response.headers[.allow] = allowed
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}

extension Response {
  /// Creates `{"error": kind, "message": …}`.
  init(error kind: String, message: String, status: HTTPResponse.Status) {
    let json = "{\"error\": \"\(DisplayText.jsonString(kind))\", \"message\": \"\(DisplayText.jsonString(message))\"}\n"
    self = .json(Array(json.utf8), status: status)
  }
}

extension ImageRequestError {
  /// The name of the setting whose limit the image exceeds.
  fileprivate var setting: String? {
    switch self {
    case .image(.overLimit(.pixels, _, _)), .image(.overLimit(.animationPixels, _, _)): "max-pixels"
    case .image(.overLimit(.fileBytes, _, _)): "max-body"
    case .overBudget: "memory"
    default: nil
    }
  }

  /// A word for programs.
  fileprivate var servedKind: String {
    switch self {
    case .overloaded: ServiceError.busy.kind
    case .deadlineExceeded, .image(.overLimit(.time, _, _)): "deadline"
    case .image(let error): error.kind
    case .overBudget: "limit"
    default: "internal"
    }
  }

  /// The status of a response (RFC 9110).
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .image(let error): error.status
    case .notFound: .notFound
    case .accessDenied, .networkAccessNotAllowed: .forbidden
    case .loadingFailed: .badGateway
    case .overloaded: .tooManyRequests
    case .overBudget: .unprocessableContent
    case .deadlineExceeded: .gatewayTimeout
    case .wouldBlock: .internalServerError
    }
  }
}

extension FaceCropError {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .unsupported: .unsupportedMediaType
    case .overLimit(.fileBytes, _, _): .contentTooLarge
    case .overLimit(.time, _, _): .gatewayTimeout
    case .corrupt, .truncated, .overLimit, .noFace, .tooSmall, .formatLimit, .tooLarge, .unsureCutout:
      .unprocessableContent
    case .invalidRequest, .planMismatch: .badRequest
    case .outOfMemory: .serviceUnavailable
    case .cancelled: ServiceError.hungUp.status
    case .unreadable, .modelMissing, .modelUnusable, .detectorFailed, .libraryMissing: .internalServerError
    }
  }
}

extension Settings {
  /// The server's URLs, for clients that ask for another one.
  var urls: String {
    let pages = (playground ? ["/"] : []) + (review.isEmpty ? [] : ["/review"])
    let own = [
      "/crop/PRESET/SIZE.FORMAT?src=IMAGE", "/meta/PRESET/SIZE?src=IMAGE", "/blur?src=IMAGE", "/meta/blur?src=IMAGE",
    ]
    let others = [
      thumborKeys.isEmpty ? nil : "/SIGNATURE/SIZE/IMAGE", self.unsafe ? "/unsafe/SIZE/IMAGE" : nil,
      imgproxyKeys.isEmpty ? nil : "/SIGNATURE/OPTIONS/plain/IMAGE",
    ]
    return (pages + own + others.compactMap(\.self) + ["/health", "/health/ready", "/metrics"])
      .joined(separator: ", ")
  }
}
