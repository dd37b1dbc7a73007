public import FoundationEssentials

/// Why a request failed.
public enum ImageRequestError: Error, Hashable, Sendable {
  /// The picture, or what was asked of it; ``FaceCropError/cancelled`` is the request's own cancellation.
  case picture(FaceCropError)
  /// There is no such file.
  case notFound(String)
  /// The system does not allow it to be read.
  case accessDenied(String)
  /// It is elsewhere, and the request does not allow to fetch it, or the manager has no loader.
  case networkAccessNotAllowed
  /// The loader's own.
  case loadingFailed(String)
  /// No more requests may wait than wait already; try again later.
  case overloaded(waiting: Int)
  /// It may take more memory than all requests together are allowed, in bytes.
  case overBudget(needed: Int, budget: Int)
  /// The request's own deadline.
  case deadlineExceeded
  /// A blocking request was made on a thread that others need: from a task, or from a progress closure or a detector.
  case wouldBlock

  static let cancelled = ImageRequestError.picture(.cancelled)

  /// The status with which a server may answer (RFC 9110; 499 is nginx's, for a client that has gone).
  public var httpStatus: Int {
    switch self {
    case .picture(let error): error.httpStatus
    case .notFound: 404
    case .accessDenied, .networkAccessNotAllowed: 403
    case .loadingFailed: 502
    case .overloaded: 429
    case .overBudget: 422
    case .deadlineExceeded: 504
    case .wouldBlock: 500
    }
  }
}

extension ImageRequestError: LocalizedError {
  /// The ``description`` as a sentence.
  public var errorDescription: String? { description.asSentence }
}

extension ImageRequestError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .picture(let error): "\(error)"
    case .notFound(let path): "the file does not exist: \(path)"
    case .accessDenied(let path): "the file may not be read: \(path) (check its permissions)"
    case .networkAccessNotAllowed:
      "the image is remote, and the request may not fetch it (allow network access and set a loader)"
    case .loadingFailed(let reason): "the image could not be fetched: \(reason)"
    case .overloaded(let waiting): "\(waiting) requests are already waiting (retry later)"
    case .overBudget(let needed, let budget):
      "the image may need \(needed >> 20) MiB of memory, more than the \(budget >> 20) MiB for all requests"
    case .deadlineExceeded: "the request exceeded its deadline"
    case .wouldBlock: "a blocking request was made on a thread that must not wait (make it asynchronous)"
    }
  }
}
