public import FoundationEssentials

/// The reason why a request failed.
public enum ImageRequestError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
  /// The crop failed. ``FaceCropError/cancelled`` means that the request was cancelled.
  case image(FaceCropError)
  /// The file does not exist.
  case notFound(String)
  /// The system denies access to the file.
  case accessDenied(String)
  /// The asset is remote, and the request does not allow fetching, or the manager has no loader.
  case networkAccessNotAllowed
  /// The loader failed, with its reason.
  case loadingFailed(String)
  /// Too many requests are waiting. Retry later.
  case overloaded(waiting: Int)
  /// The image may need more memory than the budget for all requests, in bytes.
  case overBudget(needed: Int, budget: Int)
  /// The request exceeded its deadline.
  case deadlineExceeded
  /// A blocking request was made from a task, a progress closure, or a detector, whose threads the work needs.
  case wouldBlock

  static let cancelled = ImageRequestError.image(.cancelled)

  /// Returns the result of `body`, and wraps its error as ``image(_:)``.
  static func typed<Value>(_ body: () throws(FaceCropError) -> Value) throws(ImageRequestError) -> Value {
    do {
      return try body()
    } catch {
      throw .image(error)
    }
  }

  /// An identifier that is stable across versions: ``FaceCropError/kind`` of ``image(_:)``, or else `not-found`,
  /// `access-denied`, `network`, `loading`, `overloaded`, `budget`, `deadline` or `would-block`.
  public var kind: String {
    switch self {
    case .image(let error): error.kind
    case .notFound: "not-found"
    case .accessDenied: "access-denied"
    case .networkAccessNotAllowed: "network"
    case .loadingFailed: "loading"
    case .overloaded: "overloaded"
    case .overBudget: "budget"
    case .deadlineExceeded: "deadline"
    case .wouldBlock: "would-block"
    }
  }

  /// The ``description`` as a sentence.
  public var errorDescription: String? { description.asSentence }

  public var description: String {
    switch self {
    case .image(let error): "\(error)"
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
