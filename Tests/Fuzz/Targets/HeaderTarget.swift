@testable import FaceCrop

/// A file of any format, of which only what comes before the queue is read, with the limits of a service.
///
/// What is promised: work that grows with the bytes and no faster; errors that blame the file; figures that are some.
enum HeaderTarget {
  /// Entries that are visited whatever the bytes: tiles, which may all be one item, and what a walk counts at once.
  private static let constantSteps = 70_000

  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let input = FuzzInput(bytes) else { return }
    let job = Observer().job(limits: Limits())
    var info: ImageInfo?
    do throws(FaceCropError) {
      info = try ImageInfo(reading: input.file.span, isFileMapping: false, job: job)
    } catch {
      switch error {
      case .unsupported, .corrupt: break
      case .overLimit(_, let actual, let allowed):
        try Finding.unless(actual > allowed, "a limit of \(allowed) for \(actual)")
      default: throw Finding("an error that does not blame the file: it \(error)")
      }
    }
    if let info {
      try Finding.unless(info.memory > 0 && info.cost >= 0 && info.cost.isFinite, "it is said to cost \(info)")
    }
    let steps = job.cancellation.steps
    try Finding.unless(
      steps <= 8 * input.file.count + constantSteps, "\(steps) steps for \(input.file.count) bytes")
  }
}
