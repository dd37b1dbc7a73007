internal import Glibc
package import SystemPackage

/// How long the other end of a pipe, or a device, is waited for.
package struct ReadingTime {
  private let limit: Duration
  private let isOfSilence: Bool
  private let job: Job?
  private var start = ContinuousClock.now

  /// - Parameters:
  ///   - limit: from now on.
  ///   - isOfSilence: whether it begins anew with all that is read.
  package init(_ limit: Duration, isOfSilence: Bool = false) {
    self.init(limit, isOfSilence: isOfSilence, job: nil)
  }

  /// - Parameter job: ends the waiting too.
  init(_ limit: Duration, isOfSilence: Bool = false, job: Job?) {
    self.limit = limit
    self.isOfSilence = isOfSilence
    self.job = job
  }

  /// The next bytes of a file; 0 at its end.
  ///
  /// - Throws: ``FaceCropError/overLimit(_:actual:allowed:)`` when none came in time, ``FaceCropError/cancelled``, or the system's
  ///   word.
  package mutating func read(_ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      try wait(for: descriptor)
      do {
        return try unsafe descriptor.read(into: buffer)
      } catch Errno.resourceTemporarilyUnavailable {
        // Another one who reads the same pipe was faster.
      }
    }
  }

  /// A read of a pipe cannot be ended; so none begins before there is something, or the end.
  private mutating func wait(for descriptor: FileDescriptor) throws(FaceCropError) {
    while true {
      try job?.check()
      let spent = ContinuousClock.now - start
      guard spent < limit else {
        throw .overLimit(.time, actual: spent.milliseconds, allowed: limit.milliseconds)
      }
      var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      // In steps where a cancellation is to be seen.
      let step = job == nil ? Int(CInt.max) : 100
      let count = unsafe poll(&request, 1, CInt(min((limit - spent).milliseconds, step)))
      if count == 0 || (count < 0 && errno == EINTR) { continue }
      if isOfSilence { start = .now }
      return
    }
  }
}

extension FileDescriptor {
  /// Opens a file of any kind for reading; never waits for a pipe's other end.
  package static func openAtOnce(_ path: FilePath) throws -> FileDescriptor {
    try open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
  }

  /// Everything to the end of the file.
  ///
  /// - Parameters:
  ///   - maximum: bytes; more is an error.
  ///   - time: for all of it.
  ///   - start: so many bytes tell what it is; a pipe may give a few at a time.
  ///   - goesOn: asked once, when these are there; if it says no, that is all that is returned.
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
        // Nobody knows how many more there are.
        throw FaceCropError.overLimit(.fileBytes, actual: maximum + 1, allowed: maximum)
      }
      if !isAsked && bytes.count >= start {
        isAsked = true
        if !goesOn(bytes) { return bytes }
      }
    }
  }
}
