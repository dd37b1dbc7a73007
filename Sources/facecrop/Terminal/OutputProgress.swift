import FaceCrop

/// The progress of an image as a whole. Its outputs are rendered and encoded in turn.
struct OutputProgress: Sendable {
  private let reporter: Reporter
  private let sizes: Int
  private let overall = OverallProgress(phases: [.overview, .detect, .render, .encode])

  /// Creates a progress for this number of sizes of each crop.
  init(_ reporter: Reporter, sizes: Int) {
    self.reporter = reporter
    self.sizes = sizes
  }

  func begin(_ plan: CropPlan) {
    overall.expect(outputs: plan.crops.count * sizes)
  }

  func report(_ progress: CropProgress) {
    reporter.report(progress, overall: overall.fraction(after: progress))
  }
}
