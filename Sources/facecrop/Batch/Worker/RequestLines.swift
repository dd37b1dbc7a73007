import Dispatch
import Synchronization
import SystemPackage

/// The lines of an open file or pipe, without blank ones. Waiting for a line can be ended.
final class RequestLines: Sendable {
  struct Line: Sendable {
    var number: Int
    var bytes: [UInt8]
    /// Whether the line was skipped because it is too long.
    var isTooLong = false
  }

  /// The upper bound of a request in bytes.
  static let longest = 1 << 20

  private struct Source {
    var reader: LineReader
    var count = 0

    mutating func next() -> Line? {
      while let line = try? reader.next() {
        count += 1
        let isBlank = line.bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
        if line.isTooLong || !isBlank {
          return Line(number: count, bytes: line.bytes, isTooLong: line.isTooLong)
        }
      }
      return nil
    }
  }

  private struct State {
    var waiting: [Int: CheckedContinuation<Line?, Never>] = [:]
    var asked = 0
    var isEnded = false
  }

  private let source: Mutex<Source>
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "facecrop.requests")

  init(_ descriptor: FileDescriptor, longest: Int = longest) {
    source = Mutex(Source(reader: LineReader(descriptor, longest: longest)))
  }

  /// Returns the next line; nil at the end, or after ``end()``.
  func next() async -> Line? {
    await withCheckedContinuation { continuation in
      let ticket = state.withLock { state -> Int? in
        guard !state.isEnded else { return nil }
        state.asked += 1
        state.waiting[state.asked] = continuation
        return state.asked
      }
      guard let ticket else { return continuation.resume(returning: nil) }
      queue.async { [self] in
        // A caller that already got nil must not consume a line.
        guard state.withLock({ $0.waiting[ticket] != nil }) else { return }
        let line = source.withLock { $0.next() }
        state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: line)
      }
    }
  }

  /// Ends the reading for all waiting callers.
  func end() {
    let waiting = state.withLock { state in
      state.isEnded = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(returning: nil) }
  }
}
