import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

/// The process that unpacks a profile or decodes a frame belongs to the work that waits for it.
@Suite(.serialized) struct JXLChildTests {
  /// A file whose header keeps a process busy for a sixth of a second, one file at a time.
  private static let file = HostileJXL.profile(of: 4_300_000)

  /// A job that reads the header.
  private final class HeaderReader: Sendable {
    let cancellation = Mutex<Cancellation?>(nil)
    private let end = Atomic(false)

    var isDone: Bool { end.load(ordering: .relaxed) }
    var timeElsewhere: Duration { cancellation.withLock { $0?.elsewhere } ?? .zero }

    func start() -> Task<Void, any Error> {
      // It takes long to make without optimization.
      let file = JXLChildTests.file
      return Task {
        defer { end.store(true, ordering: .relaxed) }
        try await Job.run(limits: Limits(), progress: nil) { (job) throws(FaceCropError) in
          self.cancellation.withLock { $0 = job.cancellation }
          try unsafe file.span.withBuffer { (buffer) throws(FaceCropError) in
            let bytes = unsafe ImageBytes(buffer, isFileMapping: false)
            _ = try unsafe JXLDecoder(reading: bytes, job: job).header()
          }
        }
      }
    }
  }

  /// Returns whether a signal stops a process that this one has started.
  private static func hasStoppedProcess() -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.contains { name in
      // Foundation would trust the size of such a file, which is 0.
      guard Int(name) != nil, let file = try? FileDescriptor.open(FilePath("/proc/\(name)/stat"), .readOnly) else {
        return false
      }
      defer { try? file.close() }
      let text = String(decoding: (try? file.readToEnd(atMost: 4_096)) ?? [], as: UTF8.self)
      // The name of the program, in parentheses, can contain anything.
      let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
      return fields.count > 2 && fields[1] == "T" && fields[2] == "\(getpid())"
    }
  }

  @Test func itsTimeIsTimeOfTheWork() async throws {
    let reader = HeaderReader()
    try await reader.start().value
    #expect(reader.timeElsewhere > .milliseconds(1))
  }

  @Test(.endsIfItHangs) func aPauseStopsIt() async throws {
    var isStopped = false
    // A pause can come too late, or while another test unpacks a profile.
    for _ in 0..<5 where !isStopped {
      let reader = HeaderReader()
      let task = reader.start()
      while reader.timeElsewhere < .milliseconds(1), !reader.isDone { try await Task.sleep(for: .milliseconds(1)) }
      reader.cancellation.withLock { $0 }?.pause()
      for _ in 0..<1_000 where !isStopped && !reader.isDone {
        try await Task.sleep(for: .milliseconds(10))
        isStopped = Self.hasStoppedProcess()
      }
      reader.cancellation.withLock { $0 }?.resume()
      try await task.value
    }
    #expect(isStopped)
  }

  /// Without a cancellation, the process would end after its own time.
  @Test(.endsIfItHangs) func aCancellationEndsIt() async throws {
    var whole = Duration.seconds(600)
    // A wait for the process of another test counts, too.
    for _ in 0..<3 {
      let reader = HeaderReader()
      try await reader.start().value
      whole = min(whole, reader.timeElsewhere)
    }
    var isEnded = false
    // A busy machine delays the end.
    for _ in 0..<5 where !isEnded {
      let reader = HeaderReader()
      let task = reader.start()
      while reader.timeElsewhere < .milliseconds(1), !reader.isDone { try await Task.sleep(for: .milliseconds(1)) }
      let start = ContinuousClock.now
      reader.cancellation.withLock { $0 }?.cancel()
      _ = await task.result
      isEnded = ContinuousClock.now - start < whole / 2
    }
    #expect(isEnded)
  }

  @Test(.endsIfItHangs) func aWaitForAnotherIsTimeOfTheWork() async throws {
    // Another test may have set it.
    while JXLDecoder.isUnpacking.exchange(true, ordering: .acquiring) { try await Task.sleep(for: .milliseconds(2)) }
    let reader = HeaderReader()
    let task = reader.start()
    for _ in 0..<1_000 where reader.timeElsewhere < .milliseconds(20) { try await Task.sleep(for: .milliseconds(10)) }
    let (time, isDone) = (reader.timeElsewhere, reader.isDone)
    JXLDecoder.isUnpacking.store(false, ordering: .releasing)
    try await task.value
    #expect(time >= .milliseconds(20) && !isDone)
  }
}
