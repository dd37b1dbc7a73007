/// How far a request has come.
///
/// Reports come in order, from the thread that works; within a phase the fraction never goes back, and with each phase it begins
/// anew: ``OverallProgress`` makes one fraction of all of them. The last report of a successful request is `.encode` or, for requests
/// that do not encode, their last phase, complete.
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

  /// The part of this phase that is done, 0…1; 0 while the total is not known.
  public var fraction: Double {
    guard let total else { return 0 }
    return total == 0 ? 1 : Double(completed) / Double(total)
  }
}
