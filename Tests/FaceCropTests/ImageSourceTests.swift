import FoundationEssentials
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

  @Test func whatCannotBeReadSaysWhy() async {
    #expect(await error(.file("/nowhere/at/all.jpg")) == .unreadable("No such file or directory"))
    #expect(await error(.file("/")) == .unreadable("it is a folder"))
    #expect(await error(.file("/dev/null"))?.kind == "corrupt")
    // Endless, and no picture: given up after the first block.
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

  @Test func inputsAreNeverWrittenTo() async throws {
    let before = try fixtureBytes("astronaut.jpg")
    _ = try await FaceCropper().crop(.file(FilePath(fixturePath("astronaut.jpg"))))
    #expect(try fixtureBytes("astronaut.jpg") == before)
  }
}
