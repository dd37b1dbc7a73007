import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct ImageSourceTests {
  private func error(_ source: ImageSource, limits: Limits = Limits()) async -> FaceCropError? {
    do throws(FaceCropError) {
      _ = try await FaceCropper(detector: StubDetector(), limits: limits).plan(for: source)
      return nil
    } catch {
      return error
    }
  }

  @Test func fileAndBytesAreTheSame() async throws {
    let cropper = FaceCropper()
    let fromFile = try await cropper.crop(.file(FilePath(fixturePath("astronaut.jpg"))))
    let fromBytes = try await cropper.crop(.bytes(fixtureBytes("astronaut.jpg")))
    #expect(fromFile.plan == fromBytes.plan)
    #expect(fromFile.crops == fromBytes.crops)
  }

  @Test func unreadableFilesHaveAReason() async {
    #expect(await error(.file("/nowhere/at/all.jpg")) == .unreadable("No such file or directory"))
    let folder = await error(.file("/"))
    #expect(folder?.kind == "unreadable" && folder.map { "\($0)".contains("folder") } == true)
    #expect(await error(.file("/dev/null"))?.kind == "corrupt")
    // Endless and no image: refused after the first block.
    #expect(await error(.file("/dev/zero"))?.kind == "unsupported")
    #expect(await error(.file("/proc/self/status"))?.kind == "unsupported")
  }

  @Test func largeFilesAreRefused() async throws {
    let count = try fixtureBytes("astronaut.jpg").count
    var limits = Limits()
    limits.fileBytes = count
    #expect(await error(.file(FilePath(fixturePath("astronaut.jpg"))), limits: limits) == nil)
    limits.fileBytes = count - 1
    let tooLarge = FaceCropError.overLimit(.fileBytes, actual: count, allowed: count - 1)
    #expect(await error(.file(FilePath(fixturePath("astronaut.jpg"))), limits: limits) == tooLarge)
    #expect(try await error(.bytes(fixtureBytes("astronaut.jpg")), limits: limits) == tooLarge)
  }

  // MARK: Pipes

  /// A pipe without a writer, or with a silent one, ends a call at its timeout.
  @Test(.endsIfItHangs, arguments: [false, true]) func aPipeIsNotWaitedForWithoutEnd(hasWriter: Bool)
    async throws
  {
    try await TemporaryFolder.with { folder in
      let path = FilePath(folder / "pipe")
      guard unsafe mkfifo(path.string, 0o600) == 0 else { throw Errno(rawValue: errno) }
      var limits = Limits()
      limits.time = .milliseconds(300)
      // Also for reading, so that opening does not need the other end.
      let writer = hasWriter ? try FileDescriptor.open(path, .readWrite) : nil
      defer { try? writer?.close() }
      for held in [false, true] {
        let error: FaceCropError?
        if held {
          error = #expect(throws: FaceCropError.self) { _ = try ImageSource.file(path).held(limits: limits) }
        } else {
          error = await self.error(.file(path), limits: limits)
        }
        guard case .overLimit(.time, let actual, 300)? = error else {
          Issue.record("\(error.map { "\($0)" } ?? "no error")")
          continue
        }
        #expect(actual >= 300)
      }
    }
  }

  @Test func aWaitForAPipeIsCancelled() async throws {
    try await TemporaryFolder.with { folder in
      let path = FilePath(folder / "pipe")
      guard unsafe mkfifo(path.string, 0o600) == 0 else { throw Errno(rawValue: errno) }
      var limits = Limits()
      limits.time = .seconds(1_000)
      let cropper = FaceCropper(detector: StubDetector(), limits: limits)
      let task = Task { try await cropper.plan(for: .file(path)) }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      await #expect(throws: FaceCropError.cancelled) { try await task.value }
    }
  }

  @Test func inputsAreNeverWrittenTo() async throws {
    let before = try fixtureBytes("astronaut.jpg")
    _ = try await FaceCropper().crop(.file(FilePath(fixturePath("astronaut.jpg"))))
    #expect(try fixtureBytes("astronaut.jpg") == before)
  }
}
