import FaceCrop
import SystemPackage

/// One line on a worker's standard output.
struct WorkerAnswer: Encodable {
  /// The request's; null if it cannot be known.
  var id: JSONValue
  /// Of standard input, counted from 1, where the request has no id that could be read.
  var line: Int?
  var input: String?
  var inputBase64: String?
  var status: Outcome.Status
  var reason: Outcome.Reason?
  /// Whether the same request may pass at another time or place.
  var retryable: Bool?
  var detector: String?
  /// In pixels, as displayed.
  var width: Int?
  var height: Int?
  var faces: [Face]?
  var regions: [NormalizedRect]?
  var outputs: [Outcome.Output]?
  var milliseconds: Outcome.Milliseconds?
  var warnings: [String]?

  init(_ request: WorkerRequest, _ outcome: Outcome) {
    id = request.id
    input = request.input.string
    inputBase64 = request.input.base64
    status = outcome.status
    reason = outcome.reason
    retryable = outcome.status == .failed ? outcome.isRetryable : nil
    detector = outcome.detector
    width = outcome.size?.width
    height = outcome.size?.height
    faces = outcome.faces
    regions = outcome.regions
    outputs = outcome.outputs.isEmpty ? nil : outcome.outputs
    milliseconds = outcome.milliseconds
    warnings = outcome.warnings.isEmpty ? nil : outcome.warnings
  }

  init(_ fault: WorkerRequest.Fault, line: Int) {
    id = fault.id ?? .null
    self.line = line
    status = .failed
    reason = Outcome.Reason(kind: "request", message: fault.message)
    retryable = false
  }
}
