import FaceCrop
import Synchronization
import SystemPackage

extension CropRequest {
  /// Sets the framing to that of a series. The space above hair does not change it.
  mutating func frame(as series: SeriesFraming) {
    guard case .framing(var framing, let padding, let edge) = composition.layout else { return }
    (framing.faceRatio, framing.eyeLine, framing.headroom) = (series.faceRatio, series.eyeLine, 0)
    composition.layout = .framing(framing, padding: padding, edge: edge)
  }
}

extension BatchRun {
  /// Runs only the detection pass over the images, and returns the framing of their series; nil if the run was stopped.
  func chosenSeries() async -> SeriesFraming? {
    let sum = Mutex(SeriesMeasures(request.composition.layout))
    var first = self
    // A person has placed the frames of plans, and a pipe can be read only once.
    first.plan.items.removeAll { $0.plan != nil || $0.isSpare || FileStatus($0.input.path)?.isRegular != true }
    await first.look { _, plan in sum.withLock { $0.add(plan) } }
    guard !stop.isRequested, let framing = sum.withLock({ $0.framing }) else { return nil }
    return SeriesFraming(faceRatio: framing.faceRatio, eyeLine: framing.eyeLine, frame: frame)
  }

  /// Runs only the detection pass over the images, and calls `measure` with the plan of each.
  func look(_ measure: @escaping @Sendable (BatchPlan.Item, CropPlan) -> Void) async {
    var first = self
    (first.isDryRun, first.resumption.entries, first.rejects, first.thumbnails) = (true, [:], nil, nil)
    first.measure = measure
    progress.names.store(0, ordering: .relaxed)
    await first()
  }
}
