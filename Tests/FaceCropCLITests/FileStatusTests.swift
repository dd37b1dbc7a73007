import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

@Suite struct FileStatusTests {
  /// Setting the mask would expose other threads' files meanwhile.
  @Test func theMaskIsReadWithoutBeingSet() async throws {
    func real() throws -> String {
      let status = String(decoding: try Input.readToEnd(of: "/proc/self/status"), as: UTF8.self)
      return status.split(separator: "\n").first { $0.hasPrefix("Umask:") }.map(String.init) ?? ""
    }
    let before = try real()
    #expect(before.hasSuffix(String(FileStatus.umask, radix: 8)))
    let isDone = Flag()
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        // Runs as long as the other reads: a mask that is set exists for less than a microsecond.
        while !isDone.value.load(ordering: .relaxed) { _ = FileStatus.umask }
        return true
      }
      group.addTask {
        defer { isDone.value.store(true, ordering: .relaxed) }
        for _ in 0..<4_000 where (try? real()) != before { return false }
        return true
      }
      for await isSteady in group { #expect(isSteady) }
    }
  }

  /// If another process replaces an output, the next file can get its number (inode).
  @Test func anotherFileOfTheSameNumberIsNoOutput() throws {
    try TemporaryFolder.with { folder in
      let (first, second) = (FilePath(folder / "first"), FilePath(folder / "second"))
      let gate = WriteGate(input: nil)
      try OutputFile(first, gate: gate).commit([1, 2, 3])
      let moved = unsafe rename(first.string, second.string)
      #expect(moved == 0)
      #expect(throws: FileError.self) { _ = try OutputFile(second, gate: gate) }
      // The same number, and the content of another file.
      let file = try FileDescriptor.open(second, .writeOnly, options: .truncate)
      try file.closeAfter { _ = try file.writeAll([UInt8](repeating: 7, count: 5)) }
      try OutputFile(second, gate: gate).commit([4])
      #expect(try folder.bytes("second") == [4])
    }
  }

  @Test func masksAreOctal() {
    #expect(FileStatus.umask(in: Array("Name:\tx\nUmask:\t0027\nState:\tR\n".utf8)) == 0o027)
    for text in ["", "Umask:\n", "Umask:\t9\n", "umask: 0022"] {
      #expect(FileStatus.umask(in: Array(text.utf8)) == nil)
    }
  }
}

private final class Flag: Sendable {
  let value = Atomic(false)
}
