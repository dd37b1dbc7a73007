/// The memory that pictures share.
protocol PictureMemory: Sendable {
  /// All of it, in bytes.
  var budget: Int { get }

  /// Waits until so many bytes are free, and takes them.
  ///
  /// - Parameter bytes: at most the budget.
  func acquire(_ bytes: Int) async

  func release(_ bytes: Int) async
}

/// Lets pictures in as long as the sum of what they may take stays within a budget. Who came first goes first.
actor Admission: PictureMemory {
  let budget: Int
  private var used = 0
  private var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []

  init(budget: Int) {
    self.budget = budget
  }

  /// Pictures that wait.
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
