internal import Synchronization

/// A flag of one codec, which its loops look at while they decode and encode. It may be set from any thread.
protocol CodecFlag: AnyObject, Sendable {
  init() throws(FaceCropError)
  func set()
}

/// Ends decoding and encoding soon after it is cancelled, from any thread.
final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    var flags: [any CodecFlag] = []
  }

  private let state = Mutex(State())

  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      for flag in state.flags { flag.set() }
    }
  }

  func check() throws(FaceCropError) {
    if state.withLock({ $0.isCancelled }) { throw .cancelled }
  }

  /// The flag of a codec, always the same one, which is set when this is cancelled; lives as long as this.
  func flag<Flag: CodecFlag>(_ type: Flag.Type) throws(FaceCropError) -> Flag {
    if let flag = state.withLock({ state in state.flags.lazy.compactMap { $0 as? Flag }.first }) { return flag }
    let made = try Flag()
    state.withLock { state in
      state.flags.append(made)
      if state.isCancelled { made.set() }
    }
    return made
  }
}
