internal import Glibc
package import SystemPackage

/// A timeout for reading from a pipe or device.
package struct ReadingTime {
  private let limit: Duration
  private let isOfSilence: Bool
  private let job: Job?
  private var start = ContinuousClock.now

  /// Creates a timeout.
  ///
  /// - Parameters:
  ///   - limit: The time from now on.
  ///   - isOfSilence: Whether each read restarts it. Default false.
  package init(_ limit: Duration, isOfSilence: Bool = false) {
    self.init(limit, isOfSilence: isOfSilence, job: nil)
  }

  /// Starts the time. Cancellation of `job` ends the waiting.
  init(_ limit: Duration, isOfSilence: Bool = false, job: Job?) {
    self.limit = limit
    self.isOfSilence = isOfSilence
    self.job = job
  }

  /// Reads the next bytes of a file, and returns their count; 0 at its end.
  ///
  /// - Throws: ``FaceCropError/overLimit(_:actual:allowed:)`` after the timeout, ``FaceCropError/cancelled``, or the
  ///   system's error.
  package mutating func read(_ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      try wait(for: descriptor)
      do {
        return try unsafe descriptor.read(into: buffer)
      } catch Errno.resourceTemporarilyUnavailable {
        // Another reader of the same pipe was faster.
      }
    }
  }

  /// Waits for bytes or the end, because a blocking read of a pipe cannot be cancelled.
  private mutating func wait(for descriptor: FileDescriptor) throws(FaceCropError) {
    while true {
      try job?.check()
      let spent = ContinuousClock.now - start
      guard spent < limit else {
        throw .overLimit(.time, actual: spent.milliseconds, allowed: limit.milliseconds)
      }
      var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      // Short steps let a cancellation take effect.
      let step = job == nil ? Int(CInt.max) : 100
      let count = unsafe poll(&request, 1, CInt(min((limit - spent).milliseconds, step)))
      if count == 0 || (count < 0 && errno == EINTR) { continue }
      if isOfSilence { start = .now }
      return
    }
  }
}

extension FileDescriptor {
  /// Opens a file of any kind for reading, without waiting for the other end of a pipe.
  package static func openAtOnce(_ path: FilePath) throws -> FileDescriptor {
    try open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
  }

  /// Reads the file to its end.
  ///
  /// - Parameters:
  ///   - maximum: The upper bound in bytes; more is an error.
  ///   - time: The timeout for the whole file.
  ///   - start: The number of bytes that identify the format; a pipe may deliver few at a time.
  ///   - goesOn: Called once with these bytes; returns whether to continue.
  package func readToEnd(
    atMost maximum: Int, within time: ReadingTime = ReadingTime(Limits().time),
    after start: Int = .max, goesOn: ([UInt8]) -> Bool = { _ in true }
  ) throws -> [UInt8] {
    let block = 1 << 16
    var time = time
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: block)
    var isAsked = false
    while true {
      let count = try unsafe chunk.withUnsafeMutableBytes { unsafe try time.read(self, into: $0) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= maximum else {
        // The true size is unknown.
        throw FaceCropError.overLimit(.fileBytes, actual: maximum + 1, allowed: maximum)
      }
      if !isAsked && bytes.count >= start {
        isAsked = true
        if !goesOn(bytes) { return bytes }
      }
    }
  }
}
