import Dispatch
import Foundation
import TestSupport
import Testing

/// The fuzzer's targets, run on their seeds and their corpus.
@Suite struct ReplayTests {
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "corpus")

  @Test(arguments: FuzzTarget.allCases) func promisesAreKeptForSeeds(target: FuzzTarget) throws {
    for (number, seed) in try target.seeds().enumerated() {
      #expect(throws: Never.self, "seed \(number)") { try target.run(seed) }
    }
  }

  @Test(arguments: FuzzTarget.allCases) func promisesAreKeptForTheCorpus(target: FuzzTarget) throws {
    try TemporaryFolder.with { folder in
      try Self.unpack(Self.corpus.appendingPathComponent("\(target.rawValue).tar.xz").path, into: folder)
      let files = try folder.names()
      #expect(!files.isEmpty)
      for file in files {
        let input = try folder.bytes(file)
        #expect(throws: Never.self, "\(target.rawValue)/\(file)") { try target.run(input) }
      }
    }
  }

  private static func unpack(_ archive: String, into folder: TemporaryFolder) throws {
    let ended = DispatchSemaphore(value: 0)
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/usr/bin/tar")
    tar.arguments = ["--extract", "--file", archive, "--directory", folder.path]
    tar.terminationHandler = { _ in ended.signal() }
    try tar.run()
    ended.wait()
    guard tar.terminationStatus == 0 else { throw FixtureError("tar cannot unpack \(archive)") }
  }
}
