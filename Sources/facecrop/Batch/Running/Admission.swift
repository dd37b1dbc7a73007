/// The memory that images share.
protocol PictureMemory: Sendable {
  /// The whole memory in bytes.
  var budget: Int { get }

  /// Waits until this number of bytes, up to the budget, is free, and takes them.
  func acquire(_ bytes: Int) async

  func release(_ bytes: Int) async
}

/// An admission queue that keeps the sum of the images' memory within a budget, first come, first served.
actor Admission: PictureMemory {
  let budget: Int
  private var used = 0
  private var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []

  init(budget: Int) {
    self.budget = budget
  }

  var waitingCount: Int { waiting.count }

  func acquire(_ bytes: Int) async {
    precondition(bytes <= budget, "it would wait for ever")
    guard !waiting.isEmpty || used + bytes > budget else {
      used += bytes
      return
    }
    await withCheckedContinuation { waiting.append((bytes, $0)) }
  }

  func release(_ bytes: Int) {
    used -= bytes
    while let first = waiting.first, used + first.bytes <= budget {
      used += first.bytes
      waiting.removeFirst()
      first.continuation.resume()
    }
  }
}
