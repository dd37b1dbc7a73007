@testable import FaceCrop

/// A target that reads a file of any format up to its admission to the queue, with the limits of a service.
///
/// Promises: the work is proportional to the bytes, errors blame the file, and figures are valid.
enum HeaderTarget {
  /// Steps that do not depend on the bytes: tiles, which may all be one item, and bulk counts of a walk.
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
