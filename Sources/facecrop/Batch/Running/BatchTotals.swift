/// How many inputs have which status, and why.
struct BatchTotals: Sendable {
  /// All inputs of the run.
  var inputs: Int
  /// How many inputs have each status, those of an earlier run too.
  private(set) var counts: [Outcome.Status: Int] = [:]
  /// How many inputs failed or were skipped, by the reason's kind.
  private(set) var reasons: [Outcome.Status: [String: Int]] = [:]
  /// Done by an earlier run.
  private(set) var doneBefore = 0
  /// Failed in an earlier run, and not tried again.
  private(set) var failedBefore = 0
  /// Files that there are of them, and how many of those have fewer pixels than were asked for.
  private(set) var outputs = 0
  private(set) var smaller = 0
  /// Files of others, or changed by others, in outputs' places.
  private(set) var kept = 0
  /// Outputs of images without a face.
  private(set) var outputsWithoutFace = 0
  let started = ContinuousClock.now

  init(inputs: Int) {
    self.inputs = inputs
  }

  mutating func note(_ outcome: Outcome, wasDoneBefore: Bool) {
    let status = outcome.status
    counts[status, default: 0] += 1
    if let reason = outcome.reason, status == .failed || status == .skipped {
      reasons[status, default: [:]][reason.kind, default: 0] += 1
    }
    if wasDoneBefore { doneBefore += 1 }
    if wasDoneBefore && status == .failed { failedBefore += 1 }
    let images = (outcome.outputs ?? []).filter { $0.sidecar != true }
    outputs += images.count
    smaller += outcome.outputs?.count { $0.smaller == true } ?? 0
    kept += outcome.outputs?.count { $0.kept == true } ?? 0
    if status == .noFace { outputsWithoutFace += images.count }
  }

  subscript(status: Outcome.Status) -> Int { counts[status] ?? 0 }

  var done: Int { counts.values.reduce(0, +) }
  var seconds: Double { (ContinuousClock.now - started) / .seconds(1) }
  /// Inputs a second; 0 until there is one.
  var rate: Double { seconds > 0 ? Double(done - doneBefore) / seconds : 0 }
  /// Seconds; nil until there is a rate.
  var remaining: Double? { rate > 0 ? Double(inputs - done) / rate : nil }
}

extension Outcome.Status {
  /// The status in words for people.
  var title: String { self == .noFace ? "no face" : rawValue }
}
