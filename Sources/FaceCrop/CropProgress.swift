/// How far a request has come.
///
/// Reports come in order, from the thread that works; the fraction never goes back. The last one of a successful request
/// is `.encode` or, for requests that do not encode, their last phase, complete.
public struct CropProgress: Hashable, Sendable {
  /// A step of the pipeline, in order.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
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
  /// Rows or steps done in this phase, 0…`total`.
  public let completed: Int
  /// Rows or steps of this phase.
  public let total: Int

  /// The part of this phase that is done, 0…1.
  public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}
