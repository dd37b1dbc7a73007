/// The progress of a call.
///
/// The working thread sends reports in order. ``fraction`` covers the whole call, and never decreases.
/// ``phaseFraction`` restarts with each phase. ``OverallProgress`` combines several calls, such as a crop and its
/// encoding, into one fraction. The last report of a successful call completes its last phase.
public struct CropProgress: Hashable, Sendable {
  /// A step of the pipeline, in order.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Fetching the file, in bytes. It occurs only in requests for a remote asset, with an ``AssetLoader``. Other
    /// requests begin with ``overview``.
    case fetch
    /// Decoding the overview for the detection pass, in rows.
    case overview = "look"
    /// Detecting faces, in one step.
    case detect
    /// Decoding the crop regions, in rows.
    case render
    /// Encoding the outputs, in rows.
    case encode
  }

  /// The current phase.
  public let phase: Phase
  /// The bytes, rows, or steps completed in this phase, 0…`total`.
  public let completed: Int
  /// The bytes, rows, or steps of this phase; nil while a file of unknown size is fetched.
  public let total: Int?

  /// The completed fraction of the whole call, 0…1.
  public let fraction: Double

  /// The completed fraction of this phase, 0…1; 0 while `total` is nil.
  public var phaseFraction: Double { Self.part(completed, of: total) }

  /// Creates a report. `fraction` is that of the whole call; nil uses that of the phase.
  public init(phase: Phase, completed: Int, total: Int?, fraction: Double? = nil) {
    (self.phase, self.completed, self.total) = (phase, completed, total)
    self.fraction = fraction ?? Self.part(completed, of: total)
  }

  /// Returns the report with the fraction of a larger call.
  func with(fraction: Double) -> CropProgress {
    CropProgress(phase: phase, completed: completed, total: total, fraction: fraction)
  }

  private static func part(_ completed: Int, of total: Int?) -> Double {
    guard let total else { return 0 }
    return total == 0 ? 1 : Double(completed) / Double(total)
  }
}
