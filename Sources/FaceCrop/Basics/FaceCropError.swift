public import FoundationEssentials

/// The reason why a crop failed, named by who is at fault.
///
/// `description` is a clause for people, which stands by itself and may follow a file's name and a colon. `kind` is a word for
/// programs.
public enum FaceCropError: Error, Hashable, Sendable {
  // The input.
  /// The file could not be read; the reason is the system's.
  case unreadable(String)
  /// The bytes are no picture of a kind that facecrop reads, or one of its kinds that it does not decode.
  case unsupported(String)
  /// The picture breaks its format's rules.
  case corrupt(String)
  /// The data ended early: `intactRows` of `rows` rows, as stored, can be read. In a progressive file, where the data
  /// ended after a first scan, `coarse` says that all rows can be had with less detail.
  case truncated(intactRows: Int, rows: Int, coarse: Bool)

  // The caller.
  /// The picture is larger than a limit allows.
  case overLimit(Limits.Kind, actual: Int, allowed: Int)
  /// The request makes no sense, for the reason given.
  case invalidRequest(String)
  /// The plan was made for a picture of another size.
  case planMismatch(plan: PixelSize, picture: PixelSize)
  /// No face, and the request says that this is a failure.
  case noFace
  /// An output would be smaller than the request allows.
  case tooSmall(PixelSize, allowedSide: Int)
  /// A file would be larger than was allowed, at the lowest quality too.
  case tooLarge(bytes: Int, allowed: Int)

  // The installation.
  /// A detector's data is in none of the places searched.
  case modelMissing(name: String, searched: [String])
  /// A detector's data cannot be used.
  case modelUnusable(path: String, reason: String)
  /// The detector failed.
  case detectorFailed(String)
  /// A library that is loaded when it is needed cannot be; the text says which, why, and what to install.
  case libraryMissing(String)
  /// The system had no memory left.
  case outOfMemory

  /// The task was cancelled.
  case cancelled
}

extension FaceCropError {
  /// A word that stays the same over versions: `unreadable`, `unsupported`, `corrupt`, `truncated`, `limit`, `invalid`,
  /// `plan-mismatch`, `no-face`, `too-small`, `too-large`, `model`, `detector`, `library`, `memory` or `cancelled`.
  public var kind: String {
    switch self {
    case .unreadable: "unreadable"
    case .unsupported: "unsupported"
    case .corrupt: "corrupt"
    case .truncated: "truncated"
    case .overLimit: "limit"
    case .invalidRequest: "invalid"
    case .planMismatch: "plan-mismatch"
    case .noFace: "no-face"
    case .tooSmall: "too-small"
    case .tooLarge: "too-large"
    case .modelMissing, .modelUnusable: "model"
    case .detectorFailed: "detector"
    case .libraryMissing: "library"
    case .outOfMemory: "memory"
    case .cancelled: "cancelled"
    }
  }
}

extension FaceCropError {
  /// The status with which a server may answer (RFC 9110; 499 is nginx's, for a client that has gone).
  public var httpStatus: Int {
    switch self {
    case .unsupported: 415
    case .overLimit(.fileBytes, _, _): 413
    case .overLimit(.time, _, _): 504
    case .corrupt, .truncated, .overLimit, .noFace, .tooSmall, .tooLarge: 422
    case .invalidRequest, .planMismatch: 400
    case .outOfMemory: 503
    case .cancelled: 499
    case .unreadable, .modelMissing, .modelUnusable, .detectorFailed, .libraryMissing: 500
    }
  }
}

extension String {
  /// A clause that stands by itself as a sentence.
  var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

extension FaceCropError: LocalizedError {
  /// The ``description`` as a sentence.
  public var errorDescription: String? { description.asSentence }
}

extension FaceCropError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let reason):
      "the file cannot be read: \(reason)"
    case .unsupported(let what):
      "the image is not supported: \(what)"
    case .corrupt(let what):
      "the image is damaged: \(what)"
    case .truncated(let intactRows, let rows, coarse: false):
      "the image is truncated: \(intactRows) of \(rows) rows can be read"
    case .truncated(let intactRows, let rows, coarse: true):
      "the image is truncated: \(intactRows) of \(rows) rows can be read in full, the others with less detail"
    case .overLimit(let limit, let actual, let allowed):
      limit.sentence(actual: actual, allowed: allowed)
    case .invalidRequest(let what):
      "invalid request: \(what)"
    case .planMismatch(let plan, let picture):
      "the plan is for an image of \(plan.width)×\(plan.height), but this one is \(picture.width)×\(picture.height)"
    case .noFace:
      "no face was found"
    case .tooSmall(let size, let allowedSide):
      "the output would be \(size.width)×\(size.height), smaller than the requested minimum of \(allowedSide) pixels"
    case .tooLarge(let bytes, let allowed):
      "the output needs at least \(bytes) bytes, more than the allowed \(allowed) (request a smaller size, or another format)"
    case .modelMissing(let name, let searched):
      "the detector's data \(name) was not found in \(searched.joined(separator: ", "))"
        + " (set the environment variable FACECROP_MODELS to its folder)"
    case .modelUnusable(let path, let reason):
      "the detector's data \(path) cannot be used: \(reason)"
    case .detectorFailed(let reason):
      "the face detector failed: \(reason)"
    case .libraryMissing(let what):
      "a library is missing: \(what)"
    case .outOfMemory:
      "the system is out of memory"
    case .cancelled:
      "the request was cancelled"
    }
  }
}
