internal import Synchronization

/// What a ``CropSequence`` gives: the plan, each of its crops, and at the end the warnings.
public enum CropStep<Crop: Sendable>: Sendable {
  /// The first step: which regions will be made, and how the look reached its pixels; that is nil when a plan was given and
  /// nothing was looked at.
  case planned(CropPlan, lookPath: DecodePath?)
  /// A crop at one size, in the order of the plan's crops and of the request's sizes.
  case crop(Crop)
  /// The last step: every warning, in a fixed order.
  case finished(warnings: [CropWarning])
}

/// Crops one after the other: the next region is decoded when it is asked for, so that the crops of a plan are never in memory
/// together, however many they are.
///
/// ```swift
/// for try await step in cropper.crops(of: .file("team.jpg"), request: request) {
///   guard case .crop(let crop) = step else { continue }
///   try await store(cropper.encode(crop, as: .jpeg(quality: 85)))
/// }
/// ```
///
/// The sequence ends after ``CropStep/finished(warnings:)`` or by throwing a ``FaceCropError``. Every iterator does the work anew,
/// on a thread of its own, which waits while nothing is asked for; ``Limits/time`` does not run meanwhile. When the iterator is
/// dropped, or its task is cancelled, the work ends.
public struct CropSequence<Crop: Sendable>: AsyncSequence, Sendable {
  typealias Work = @Sendable (Handoff<CropStep<Crop>>) async throws(FaceCropError) -> [CropStep<Crop>]

  /// Does the whole work, hands over each step, and returns those that need no more work.
  let work: Work

  /// Nothing is done before the first step is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(run: Run(work)) }

  /// One pass over the crops.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let run: Run

    /// The next step; nil at the end.
    ///
    /// - Throws: Any ``FaceCropError``.
    public mutating func next() async throws(FaceCropError) -> CropStep<Crop>? { try await run.next() }

    /// The next step, asked for from an actor; nil at the end.
    ///
    /// - Throws: Any ``FaceCropError``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(FaceCropError) -> CropStep<Crop>? {
      try await run.next()
    }
  }

  /// The work, which ends with this object.
  fileprivate final class Run: Sendable {
    private let work: Work
    private let handoff = Handoff<CropStep<Crop>>()
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ work: @escaping Work) {
      self.work = work
    }

    deinit {
      task.withLock { $0 }?.cancel()
      handoff.abandon()
    }

    func next() async throws(FaceCropError) -> CropStep<Crop>? {
      let task = started()
      let step = await withTaskCancellationHandler {
        await handoff.next()
      } onCancel: {
        task.cancel()
      }
      return try step.get()
    }

    private func started() -> Task<Void, Never> {
      task.withLock { task in
        if let task { return task }
        let started = Task { [work, handoff] in
          do throws(FaceCropError) {
            handoff.end(.success(try await work(handoff)))
          } catch {
            handoff.end(.failure(error))
          }
        }
        task = started
        return started
      }
    }
  }
}
