import FoundationEssentials
import SystemPackage

/// A line on a worker's standard output: a request and its result.
struct WorkerAnswer {
  private struct Subject: Encodable {
    /// A placeholder for the request's identifier.
    var id = WorkerAnswer.place
    /// The line of standard input, from 1, if it is no readable request.
    var line: Int?
    var input: String?
    var inputBase64: String?
    /// Whether a failed request may succeed later or elsewhere.
    var retryable: Bool?
    /// The peak memory of the process during the request, in bytes.
    var peakMemory: Int?
  }

  /// The request's identifier; null if unknown.
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

  /// Creates the answer to a request that no process answered.
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

  init(_ fault: WorkerRequest.ParseError, line: Int) {
    id = fault.id ?? .null
    subject = Subject(line: line, retryable: false)
    outcome = Outcome(.failed("request", fault.message))
  }
}

extension WorkerAnswer {
  /// A random text that no request contains.
  fileprivate static let place = "\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"

  /// The line with its end.
  var line: String { JSONLines.safeLine(self).replacing("\"\(Self.place)\"", with: id.json, maxReplacements: 1) }
}

/// The JSON form is one object with the members of both.
extension WorkerAnswer: Encodable {
  func encode(to encoder: any Encoder) throws {
    try subject.encode(to: encoder)
    try outcome.encode(to: encoder)
  }
}
