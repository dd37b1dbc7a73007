import FaceCrop
import Glibc
import HTTPTypes
import Hummingbird
import SystemPackage

/// The reason why a response has no image.
enum ServiceError: Error, Equatable {
  case invalidQuery(String)
  /// The signature is missing or wrong, or the source is not allowed.
  case forbidden(String)
  /// The token of the playground or the review is missing or wrong.
  case unauthorized
  case notFound
  /// A file of the folder that is not served, with the reason. The client gets the response of ``notFound``; the reason
  /// only goes to the log.
  case notServed(String)
  /// The URL does not support the method, but these.
  case method(allowed: String)
  /// The server has no such URL, but these paths.
  case unknownURL(String)
  /// The image has no face that the request names, with the reason.
  case noSuchFace(String)
  /// The image's host failed or did not respond.
  case origin(String)
  /// The client has made too many requests.
  case tooManyRequests
  /// Too many requests were signed with the request's key.
  case tooManyOfKey
  /// A fault of the server itself, whose details only go to the log.
  case internalFault(String)
  /// The server has no file descriptors or memory at the moment. The details only go to the log.
  case exhausted(String)
  case bodyTooLarge(limit: Int)
  /// The image file is larger than the memory for all image files, so a retry cannot succeed.
  case overBodyMemory(limit: Int)
  /// The body took too long to arrive.
  case bodyTimeout
  /// The server has no room for another request.
  case busy
  /// The server cannot serve, or is about to end. The reason, which may have the path of a folder, only goes to the log.
  case notReady(String)
  /// The client hung up, so nobody reads the response.
  case hungUp
  case image(ImageRequestError)
  /// A body that is no image, with the type that `curl -d` sends. That option removes bytes.
  case formImage(FaceCropError)

  var status: HTTPResponse.Status {
    switch self {
    case .invalidQuery: .badRequest
    case .forbidden: .forbidden
    case .unauthorized: .unauthorized
    case .notFound, .notServed, .unknownURL: .notFound
    case .method: .methodNotAllowed
    case .noSuchFace: .unprocessableContent
    case .origin: .badGateway
    case .tooManyRequests, .tooManyOfKey: .tooManyRequests
    case .internalFault: .internalServerError
    case .exhausted: .serviceUnavailable
    case .bodyTooLarge, .overBodyMemory: .contentTooLarge
    case .bodyTimeout: .requestTimeout
    case .busy: .tooManyRequests
    case .notReady: .serviceUnavailable
    case .hungUp: HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")
    case .image(let error): error.status
    case .formImage(let error): error.status
    }
  }

  /// A word for programs.
  var kind: String {
    switch self {
    case .invalidQuery: "invalid"
    case .forbidden: "forbidden"
    case .unauthorized: "token"
    case .notFound, .notServed, .unknownURL: "not-found"
    case .method: "method"
    case .noSuchFace: FaceCropError.noFace.kind
    case .origin: "origin"
    case .tooManyRequests, .tooManyOfKey: "rate"
    case .internalFault: "internal"
    case .bodyTooLarge, .overBodyMemory: "too-large"
    case .bodyTimeout: "body-timeout"
    case .busy, .exhausted, .image(.overloaded): "overloaded"
    case .notReady: "not-ready"
    case .hungUp: "cancelled"
    case .image(.deadlineExceeded), .image(.image(.overLimit(.time, _, _))): "deadline"
    case .image(.image(let error)), .formImage(let error): error.kind
    case .image(.overBudget): "limit"
    case .image: "internal"
    }
  }

  /// A clause for people.
  var message: String {
    switch self {
    case .invalidQuery(let message), .forbidden(let message), .noSuchFace(let message): message
    case .unauthorized:
      "the page needs its token (sign in on it, or send Authorization: Bearer TOKEN; the server prints a URL with it)"
    case .notFound, .notServed: "the image was not found"
    case .method(let allowed): "the method is not allowed here (use \(allowed))"
    case .unknownURL(let paths): "the server has no such URL (write one of \(paths))"
    case .origin(let message): "the image could not be fetched: \(message)"
    case .tooManyRequests: "the client has made too many requests (retry later)"
    case .tooManyOfKey: "too many requests were signed with this key (retry later)"
    case .internalFault: "an internal error occurred (see the server's log)"
    case .exhausted: "the server has no resources for the request now (retry later)"
    case .bodyTooLarge(let limit): "the body exceeds the limit of \(limit) bytes (see the setting max-body)"
    case .overBodyMemory(let limit):
      "the image file exceeds the \(limit) bytes for all image files (see the setting body-memory)"
    case .bodyTimeout: "the body arrived too slowly"
    case .busy: "too many requests are waiting (retry later)"
    case .notReady: "the server serves no images now (see its log)"
    case .hungUp: "the client closed the connection"
    case .image(let error): "\(error)\(error.setting.map { " (see the setting \($0))" } ?? "")"
    case .formImage(let error):
      "\(ImageRequestError.image(error)) (the body is of the type \(Self.formType): with curl, write --data-binary"
        + " instead of -d, which removes bytes)"
    }
  }

  /// The details that only go to the log; nil if the client gets all of them.
  var reason: String? {
    switch self {
    case .notServed(let reason), .internalFault(let reason), .exhausted(let reason), .notReady(let reason): reason
    default: nil
    }
  }

  private static let formType = "application/x-www-form-urlencoded"

  /// Returns the error about an uploaded image, with a remedy if its type shows a probable cause.
  func about(bodyOfType contentType: String?) -> ServiceError {
    guard case .image(.image(let error)) = self, contentType?.lowercased().hasPrefix(Self.formType) == true else {
      return self
    }
    switch error {
    case .unsupported, .corrupt, .truncated: return .formImage(error)
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
    if case .method(let allowed) = self { response.headers[.allow] = allowed }
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}

extension Response {
  /// Creates `{"error": kind, "message": …}`.
  init(error kind: String, message: String, status: HTTPResponse.Status) {
    let json = "{\"error\": \"\(DisplayText.jsonString(kind))\", \"message\": \"\(DisplayText.jsonString(message))\"}\n"
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
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
  /// The status of a response.
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .unsupported: .unsupportedMediaType
    case .overLimit(.fileBytes, _, _): .contentTooLarge
    case .overLimit(.time, _, _): .gatewayTimeout
    case .corrupt, .truncated, .overLimit, .noFace, .tooSmall, .tooLarge, .unsureCutout: .unprocessableContent
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
    let thumbors = [thumborKeys.isEmpty ? nil : "/SIGNATURE/SIZE/IMAGE", self.unsafe ? "/unsafe/SIZE/IMAGE" : nil]
    return (pages + own + thumbors.compactMap(\.self) + ["/health", "/health/ready", "/metrics"])
      .joined(separator: ", ")
  }
}
