import Synchronization
import Testing

@testable import FaceCropCLI

/// What is let in together never exceeds the budget, and all comes in at last.
@Suite struct AdmissionTests {
  private final class Load: Sendable {
    private let state = Mutex((now: 0, most: 0, total: 0))

    func add(_ bytes: Int) {
      state.withLock { state in
        state.now += bytes
        state.most = max(state.most, state.now)
        if bytes > 0 { state.total += 1 }
      }
    }

    var most: Int { state.withLock { $0.most } }
    var total: Int { state.withLock { $0.total } }
  }

  @Test func budgetIsKept() async {
    let admission = Admission(budget: 100)
    let load = Load()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<300 {
        let bytes = [1, 30, 70, 100, 55][index % 5]
        group.addTask {
          await admission.acquire(bytes)
          load.add(bytes)
          await Task.yield()
          load.add(-bytes)
          await admission.release(bytes)
        }
      }
    }
    #expect(load.total == 300)
    #expect(load.most <= 100)
    // All was given back.
    await admission.acquire(100)
  }
}
