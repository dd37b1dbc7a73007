internal import Synchronization

/// A step of a ``CropSequence``: the plan, then each crop, then the warnings.
public enum CropStep<Crop: Sendable>: Sendable {
  /// The first step: the plan, and the method of the detection pass. The method is nil if a plan was given.
  case planned(CropPlan, detectionPath: DecodePath?)
  /// A crop at one size, in the order of the plan's crops and of the request's sizes.
  case crop(Crop)
  /// The last step: every warning, in a fixed order.
  case finished(warnings: [CropWarning])
}

/// The crops of an image, one by one. Each region is decoded on demand, so that only one crop is in memory at a time.
///
/// ```swift
/// for try await step in cropper.crops(of: .file("team.jpg"), request: request) {
///   guard case .crop(let crop) = step else { continue }
///   try await store(cropper.encode(crop, as: .jpeg(quality: 85)))
/// }
/// ```
///
/// The sequence ends after ``CropStep/finished(warnings:)`` or by throwing a ``FaceCropError``. Every iterator repeats
/// the work on a thread of its own. The thread waits between steps, and ``Limits/time`` excludes the waiting. The work
/// ends if you drop the iterator or cancel its task.
public struct CropSequence<Crop: Sendable>: AsyncSequence, Sendable {
  typealias Work = @Sendable (Handoff<CropStep<Crop>>) async throws(FaceCropError) -> [CropStep<Crop>]

  /// The work. It hands over each step, and returns the last ones, which no longer need the thread.
  let work: Work

  /// Creates an iterator. The work starts with the first step.
  public func makeAsyncIterator() -> Iterator { Iterator(run: Run(work)) }

  /// One pass over the crops.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let run: Run

    /// Returns the next step; nil at the end.
    ///
    /// - Throws: Any ``FaceCropError``.
    public mutating func next() async throws(FaceCropError) -> CropStep<Crop>? { try await run.next() }

    /// Returns the next step to an actor; nil at the end.
    ///
    /// - Throws: Any ``FaceCropError``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(FaceCropError) -> CropStep<Crop>? {
      try await run.next()
    }
  }

  /// The running work, which ends with this object.
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
