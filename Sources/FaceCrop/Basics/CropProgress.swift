/// How far a request has come.
///
/// Reports come in order, from the thread that works. ``fraction`` is that of the whole call, and never goes back; ``phaseFraction`` begins
/// anew with each phase. ``OverallProgress`` makes one fraction of several calls, such as a crop and its encoding. The last report of a
/// successful call is its last phase, complete.
public struct CropProgress: Hashable, Sendable {
  /// A step of the pipeline, in order.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Fetching the file. Counted in bytes. Only of requests for an asset that is elsewhere, by an ``AssetLoader``; the phases of
    /// all others begin with ``look``.
    case fetch
    /// Decoding the picture small. Counted in rows.
    case look
    /// Searching for faces. One step.
    case detect
    /// Decoding the regions. Counted in rows.
    case render
    /// Writing the outputs as files in memory. Counted in rows.
    case encode
  }

  /// What is being done.
  public let phase: Phase
  /// Bytes, rows or steps done in this phase, 0…`total`.
  public let completed: Int
  /// Bytes, rows or steps of this phase; nil while a file is fetched of which nobody says how large it is.
  public let total: Int?

  /// The part of the whole call that is done, 0…1.
  public let fraction: Double

  /// The part of this phase that is done, 0…1; 0 while the total is not known.
  public var phaseFraction: Double { Self.part(completed, of: total) }

  /// - Parameter fraction: Of the whole call; nil takes the phase for all of it.
  init(phase: Phase, completed: Int, total: Int?, fraction: Double? = nil) {
    (self.phase, self.completed, self.total) = (phase, completed, total)
    self.fraction = fraction ?? Self.part(completed, of: total)
  }

  /// The same as a part of a larger job.
  func with(fraction: Double) -> CropProgress {
    CropProgress(phase: phase, completed: completed, total: total, fraction: fraction)
  }

  private static func part(_ completed: Int, of total: Int?) -> Double {
    guard let total else { return 0 }
    return total == 0 ? 1 : Double(completed) / Double(total)
  }
}
