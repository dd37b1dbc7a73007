import ArgumentParser
import FaceCrop

extension Outcome {
  /// The reason why an image cannot be processed: any error, as data for records, reports, and the exit status.
  struct Obstacle: Error, Sendable {
    var status = Status.failed
    var reason: Fault
    /// The error about a file other than the input; nil for the input itself.
    var file: FileError?
    /// Whether the same image may succeed later.
    var isRetryable = false
    /// Whether the error is transient, caused by the machine instead of the image.
    var isTransient = false
    /// The limit that the image exceeds; nil for another reason.
    var limit: ExceededLimit?

    /// The exit status of a command that fails with it: 2 without a face or a sure cut-out, else 1.
    var exitStatus: CInt {
      switch reason.kind {
      case FaceCropError.noFace.kind, FaceCropError.unsureCutout(confidence: 0).kind: 2
      case Self.usage: ExitCode.validationFailure.rawValue
      default: 1
      }
    }

    private static let usage = "usage"

    static func failed(
      _ kind: String, _ problem: String, _ remedy: Remedy? = nil, isRetryable: Bool = false, isTransient: Bool = false
    ) -> Obstacle {
      Obstacle(reason: Fault(kind, problem, remedy), isRetryable: isRetryable, isTransient: isTransient)
    }

    static func noFace(_ fault: Fault) -> Obstacle { Obstacle(status: .noFace, reason: fault) }

    static func skipped(_ kind: String, _ problem: String) -> Obstacle {
      Obstacle(status: .skipped, reason: Fault(kind, problem))
    }
  }
}

extension Outcome.Obstacle {
  init(_ error: FaceCropError) {
    self.init(
      reason: Fault(error), isRetryable: error.mayPass, isTransient: error.isOfTheMachine, limit: ExceededLimit(error))
  }

  init(_ error: any Error) {
    switch error {
    case let obstacle as Self: self = obstacle
    case let error as FaceCropError: self.init(error)
    case let error as FileError:
      self.init(
        reason: Fault(error.kind, error.message), file: error, isRetryable: error.mayPass, isTransient: error.mayPass)
    case let error as ValidationError: self = .failed(Self.usage, error.message)
    default: self = .failed("internal", "\(error)")
    }
  }
}

extension FaceCropError {
  /// Whether the same image may succeed later.
  fileprivate var mayPass: Bool {
    switch self {
    case .outOfMemory, .overLimit(.time, _, _): true
    default: false
    }
  }

  /// Whether the error is caused by the machine.
  fileprivate var isOfTheMachine: Bool {
    switch self {
    case .modelMissing, .modelUnusable, .libraryMissing: true
    default: mayPass
    }
  }
}

/// A limit that an image exceeded. A run with a higher limit retries the image.
struct ExceededLimit: Codable, Hashable, Sendable {
  /// The limit's name; see `Limits.Kind`.
  var name: String
  /// The value of the limit in its unit.
  var allowed: Int

  /// Returns the limit of an error; nil for another error.
  init?(_ error: FaceCropError) {
    guard case .overLimit(let kind, _, let allowed) = error else { return nil }
    (name, self.allowed) = (kind.rawValue, allowed)
  }

  /// Returns whether other limits allow more.
  func isRaised(in limits: Limits) -> Bool { Limits.Kind(rawValue: name).map { limits.allowed($0) > allowed } ?? true }
}
