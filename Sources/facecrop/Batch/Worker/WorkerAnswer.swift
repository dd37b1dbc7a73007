import FoundationEssentials
import SystemPackage

/// A line on a worker's standard output: a request and its result.
struct WorkerAnswer {
  /// The request's identifier; null if unknown.
  private let id: RequestID
  /// The members about the request: its `input`, or its `line` (from 1) if it is unreadable. `retryable` tells whether a
  /// failed request may succeed later or elsewhere. `peakMemory` is that of the process during the request, in bytes.
  private let subject: JSONObject
  private let outcome: Outcome

  var status: Outcome.Status { outcome.status }

  init(_ request: WorkerRequest, _ outcome: Outcome, peakMemory: Int?) {
    id = request.id
    subject = [
      "id": Self.place, "input": request.input.string, "inputBase64": request.input.base64,
      "retryable": outcome.status == .failed ? outcome.isRetryable : nil, "peakMemory": peakMemory,
    ]
    self.outcome = outcome
  }

  /// Creates the answer to a request that no process answered.
  init(_ line: RequestLines.Line, _ obstacle: Outcome.Obstacle) {
    let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line.bytes))
    var members: [String: JSONValue] = [:]
    if case .object(let object)? = value { members = object }
    func text(_ name: String) -> String? {
      if case .string(let text)? = members[name] { text } else { nil }
    }
    id = members.isEmpty ? .null : RequestID(of: line.bytes)
    subject = [
      "id": Self.place, "line": members.isEmpty ? line.number : nil, "input": text("input"),
      "inputBase64": text("inputBase64"), "retryable": obstacle.isRetryable,
    ]
    outcome = Outcome(obstacle)
  }

  init(_ fault: WorkerRequest.ParseError, line: Int) {
    id = fault.id ?? .null
    subject = ["id": Self.place, "line": line, "retryable": false]
    outcome = Outcome(.failed("request", fault.message))
  }

  /// The place of the request's identifier: a random text that no request contains.
  private static let place = "\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"

  /// The line with its end. It has the members of both, and the reason and the warnings as data.
  var line: String {
    let warnings = outcome.warningFaults.map(\.data)
    let faults: JSONObject = ["fault": outcome.reason?.data, "warningFaults": warnings.isEmpty ? nil : warnings]
    return JSONLines.safeLine(subject.with(membersOf: faults.with(membersOf: outcome)))
      .replacing("\"\(Self.place)\"", with: id.json, maxReplacements: 1)
  }
}
