public import FoundationEssentials

/// The reason why a crop failed. The cases are grouped by origin: input, caller, installation.
///
/// `description` is a clause in English that can follow a file name and a colon. `kind` is an identifier for programs.
public enum FaceCropError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
  // The input.
  /// The file could not be read, with the system's reason.
  case unreadable(String)
  /// The format is unknown, or a variant that facecrop does not decode.
  case unsupported(String)
  /// The image violates its format.
  case corrupt(String)
  /// The data ended early, and only `intactRows` of `rows` rows, as stored, can be read. `coarse` means that all rows
  /// of a progressive image can be read with less detail.
  case truncated(intactRows: Int, rows: Int, coarse: Bool)

  // The caller.
  /// The image exceeds a limit.
  case overLimit(Limits.Kind, actual: Int, allowed: Int)
  /// The request is invalid, with the reason.
  case invalidRequest(InvalidRequest)
  /// The plan belongs to an image of another size.
  case planMismatch(plan: PixelSize, image: PixelSize)
  /// No face was found, and the request requires one.
  case noFace
  /// An output would be smaller than the request allows.
  case tooSmall(PixelSize, allowedSide: Int)
  /// An output has more pixels on a side than its format can have.
  case formatLimit(PixelSize, format: String, allowedSide: Int)
  /// The file exceeds the allowed size even at the lowest quality.
  case tooLarge(bytes: Int, allowed: Int)
  /// The people may not be cut out of their background exactly, and the request requires it; see
  /// ``Background/failsIfUnsure``.
  case unsureCutout(confidence: Double)

  // The installation.
  /// A detector's model file was not found in any of the searched folders.
  case modelMissing(name: String, searched: [String])
  /// A detector's model file is unusable.
  case modelUnusable(path: String, reason: String)
  /// The detector failed.
  case detectorFailed(String)
  /// A library that is loaded on demand is missing. The text gives its name, the reason, and the package to install.
  case libraryMissing(String)
  /// The system is out of memory.
  case outOfMemory

  /// The task was cancelled.
  case cancelled

  /// An identifier that is stable across versions: `unreadable`, `unsupported`, `corrupt`, `truncated`, `limit`,
  /// `invalid`, `plan-mismatch`, `no-face`, `too-small`, `format-limit`, `too-large`, `cutout`, `model`, `detector`,
  /// `library`, `memory` or `cancelled`.
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
    case .formatLimit: "format-limit"
    case .tooLarge: "too-large"
    case .unsureCutout: "cutout"
    case .modelMissing, .modelUnusable: "model"
    case .detectorFailed: "detector"
    case .libraryMissing: "library"
    case .outOfMemory: "memory"
    case .cancelled: "cancelled"
    }
  }

  /// The ``description`` as a sentence.
  public var errorDescription: String? { description.asSentence }

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
    case .invalidRequest(let reason):
      "invalid request: \(reason)"
    case .planMismatch(let plan, let picture):
      "the plan is for an image of \(plan.width)×\(plan.height), but this one is \(picture.width)×\(picture.height)"
    case .noFace:
      "no face was found"
    case .tooSmall(let size, let allowedSide):
      "the output would be \(size.width)×\(size.height), smaller than the requested minimum of \(allowedSide) pixels"
    case .formatLimit(let size, let format, let allowedSide):
      "the output would be \(size.width)×\(size.height), and \(format) has at most \(allowedSide) pixels a side (request a smaller size, or another format)"
    case .tooLarge(let bytes, let allowed):
      "the output needs at least \(bytes) bytes, more than the allowed \(allowed) (request a smaller size, or another format)"
    case .unsureCutout(let confidence):
      "the people may not be cut out exactly, with a confidence of \((confidence * 100).rounded() / 100) (use a photo with a plainer background, or accept the risk)"
    case .modelMissing(let name, let searched):
      "the detector's data \(name) was not found in \(searched.joined(separator: ", "))"
        + (searched.count == 1
          ? " (name the folder with the file)" : " (set the environment variable FACECROP_MODELS to its folder)")
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

extension String {
  /// A clause that stands by itself as a sentence.
  var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
