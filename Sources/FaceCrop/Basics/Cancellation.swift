internal import CBasics

/// A flag that ends decoding and encoding soon after it is cancelled, or pauses it, from any thread.
///
/// Sendable because the shim's flag is atomic.
@safe final class Cancellation: @unchecked Sendable {
  /// The flag that the loops of the codecs' shims read. It lives as long as this object.
  let flag: OpaquePointer

  init() {
    // A flag takes a few bytes. Without them, Swift itself ends the process at its next allocation.
    guard let made = unsafe fc_cancellation_create() else { fatalError("no memory for a flag") }
    unsafe flag = made
  }

  deinit {
    unsafe fc_cancellation_destroy(flag)
  }

  func cancel() {
    unsafe fc_cancellation_cancel(flag)
  }

  /// Pauses the work at its next check, until it is resumed or cancelled.
  func pause() {
    unsafe fc_cancellation_pause(flag)
  }

  func resume() {
    unsafe fc_cancellation_resume(flag)
  }

  var isPaused: Bool { unsafe fc_cancellation_is_paused(flag) }

  /// Waits while the work is paused, and throws if it is cancelled.
  func check() throws(FaceCropError) {
    if unsafe fc_cancellation_is_cancelled(flag) { throw .cancelled }
  }

  /// Counts visited entries of a file's tables, of any number, and throws if the flag is cancelled.
  func step(_ count: Int = 1) throws(FaceCropError) {
    if unsafe fc_cancellation_step(flag, count) { throw .cancelled }
  }

  /// Counts time that the work spent in another process, or in a wait for one.
  func add(elsewhere time: Duration) {
    unsafe fc_cancellation_add_elsewhere(flag, UInt64(time / .nanoseconds(1)))
  }

  /// The counted time in other processes.
  var elsewhere: Duration { .nanoseconds(Int64(clamping: unsafe fc_cancellation_elsewhere(flag))) }

  /// The number of counted entries.
  var steps: Int { unsafe fc_cancellation_steps(flag) }
}
