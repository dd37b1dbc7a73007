import FaceCrop

/// The counts of inputs by status and reason.
struct BatchTotals: Sendable {
  var inputs: Int
  /// The inputs by status, those of an earlier run included.
  private(set) var counts: [Outcome.Status: Int] = [:]
  /// The failed and skipped inputs by the reason's kind.
  private(set) var reasons: [Outcome.Status: [String: Int]] = [:]
  /// The inputs completed by an earlier run.
  private(set) var doneBefore = 0
  /// The inputs that failed in an earlier run, and were not retried.
  private(set) var failedBefore = 0
  /// The existing outputs, and those with fewer pixels than requested.
  private(set) var outputs = 0
  private(set) var smaller = 0
  /// The foreign or changed files with an output's name that were kept, and those that this run replaced.
  private(set) var kept = 0
  private(set) var replaced = 0
  /// The unchanged images of an earlier run that are made again, because this version has other rules.
  var ofOtherRevision = 0
  /// The outputs that hide faces, and were kept.
  private(set) var keptHidden = 0
  /// The outputs of earlier runs that were changed by hand, and that this run does not write.
  var leftChanged = 0
  /// The outputs of earlier runs whose images failed in this run.
  var keptOfFailed = 0
  /// The inputs whose outputs were made, and in which no face was hidden although that was asked for.
  private(set) var notHidden = 0
  private(set) var outputsWithoutFace = 0
  /// The inputs with a warning, by its kind.
  private(set) var warnings: [String: Int] = [:]
  /// The images that `--series` frames, and those of them that have no room for its head size and eye line.
  private(set) var inSeries = 0
  private(set) var withoutRoom = 0
  private let started = ContinuousClock.now
  /// The start of the work on the first input, after listing and planning.
  private(set) var began: ContinuousClock.Instant?

  /// The title of inputs whose outputs were made.
  var madeTitle = "cropped"

  var hasBegun: Bool { began != nil }

  mutating func begin(inputs: Int) { (self.inputs, began) = (inputs, .now) }

  func title(of status: Outcome.Status) -> String {
    switch status {
    case .cropped: madeTitle
    case .noFace: "no face"
    case .failed, .skipped: status.rawValue
    }
  }

  /// Notes an outcome. `isFramed` is whether `--series` framed the input.
  mutating func note(_ outcome: Outcome, wasDoneBefore: Bool, isFramed: Bool = false) {
    let status = outcome.status
    counts[status, default: 0] += 1
    if isFramed, status == .cropped {
      inSeries += 1
      if outcome.warningKinds?.contains("frame") == true { withoutRoom += 1 }
    }
    if let reason = outcome.reason, status == .failed || status == .skipped {
      reasons[status, default: [:]][reason.kind, default: 0] += 1
    }
    if wasDoneBefore { doneBefore += 1 }
    if wasDoneBefore && status == .failed { failedBefore += 1 }
    let images = (outcome.outputs ?? []).filter { $0.sidecar != true && $0.left != true }
    outputs += images.count
    smaller += outcome.outputs?.count { $0.smaller == true } ?? 0
    for output in outcome.outputs ?? [] where output.kept == true {
      if output.left == true {
        leftChanged += 1
      } else if output.hidesFaces == true {
        keptHidden += 1
      } else {
        kept += 1
      }
    }
    if !wasDoneBefore { replaced += outcome.outputs?.count { $0.replaced == true } ?? 0 }
    if status == .cropped, outcome.warningKinds?.contains(BlurShortfall.standardKind) == true,
      !images.contains(where: { $0.hidesFaces == true })
    {
      notHidden += 1
    }
    for kind in Set(outcome.warningKinds ?? []) { warnings[kind, default: 0] += 1 }
    if status == .noFace { outputsWithoutFace += images.count }
  }

  subscript(status: Outcome.Status) -> Int { counts[status] ?? 0 }

  var done: Int { counts.values.reduce(0, +) }
  var seconds: Double { (ContinuousClock.now - started) / .seconds(1) }
  /// The inputs per second, without the time for listing; 0 until there is one.
  var rate: Double { began.map { Double(done - doneBefore) / max((.now - $0) / .seconds(1), 1e-9) } ?? 0 }
  /// The remaining seconds; nil until there is a rate.
  var remaining: Double? { rate > 0 ? Double(inputs - done) / rate : nil }
}
