import FaceCrop

/// The memory that images share.
protocol PictureMemory: Sendable {
  /// The whole memory in bytes.
  var budget: Int { get }

  /// Waits until this number of bytes, up to the budget, is free, and takes them.
  func acquire(_ bytes: Int) async

  func release(_ bytes: Int) async
}

/// The memory of a run: the sum of the images' memory stays within the budget, first come, first served.
struct SharedMemory: PictureMemory {
  let budget: Int
  private let queue: AdmissionQueue

  init(budget: Int) {
    self.budget = budget
    queue = AdmissionQueue(budget: budget)
  }

  var waiting: Int { queue.waiting }

  func acquire(_ bytes: Int) async {
    precondition(bytes <= budget, "it would wait for ever")
    // The tasks of a run are never cancelled.
    do { try await queue.enter(AdmissionQueue.Demand(memory: bytes)) } catch { preconditionFailure("\(error)") }
  }

  func release(_ bytes: Int) { queue.leave(AdmissionQueue.Demand(memory: bytes)) }
}
