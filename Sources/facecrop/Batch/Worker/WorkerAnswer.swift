import FoundationEssentials
import SystemPackage

/// One line on a worker's standard output: a request, and what became of it.
struct WorkerAnswer {
  private struct Subject: Encodable {
    /// Stands where the request's is put.
    var id = WorkerAnswer.place
    /// The line of standard input, counted from 1, where there is no request that could be read.
    var line: Int?
    var input: String?
    var inputBase64: String?
    /// Whether the same request, where it failed, may pass at another time or place.
    var retryable: Bool?
    /// The most bytes that the process which worked on it held meanwhile.
    var peakMemory: Int?
  }

  /// The request's; null if it cannot be known.
  private let id: RequestID
  private let subject: Subject
  private let outcome: Outcome

  var status: Outcome.Status { outcome.status }

  init(_ request: WorkerRequest, _ outcome: Outcome, peakMemory: Int?) {
    id = request.id
    subject = Subject(
      input: request.input.string, inputBase64: request.input.base64,
      retryable: outcome.status == .failed ? outcome.isRetryable : nil,
      peakMemory: peakMemory)
    self.outcome = outcome
  }

  /// The answer to a request that no process has answered.
  init(_ line: RequestLines.Line, _ outcome: Outcome) {
    let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line.bytes))
    var members: [String: JSONValue] = [:]
    if case .object(let object)? = value { members = object }
    func text(_ name: String) -> String? {
      if case .string(let text)? = members[name] { text } else { nil }
    }
    id = members.isEmpty ? .null : RequestID(of: line.bytes)
    subject = Subject(
      line: members.isEmpty ? line.number : nil, input: text("input"),
      inputBase64: text("inputBase64"), retryable: outcome.isRetryable)
    self.outcome = outcome
  }

  init(_ fault: WorkerRequest.Fault, line: Int) {
    id = fault.id ?? .null
    subject = Subject(line: line, retryable: false)
    outcome = Outcome(.failed("request", fault.message))
  }
}

extension WorkerAnswer {
  /// What no request can have in it.
  fileprivate static let place = "\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"

  /// The answer's line, with its end.
  var line: String { JSONLines.safeLine(self).replacing("\"\(Self.place)\"", with: id.json, maxReplacements: 1) }
}

/// One object, with the members of both.
extension WorkerAnswer: Encodable {
  func encode(to encoder: any Encoder) throws {
    try subject.encode(to: encoder)
    try outcome.encode(to: encoder)
  }
}
