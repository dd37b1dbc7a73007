import FoundationEssentials
import TestSupport
import Testing

/// The fuzzer's targets, run on their seeds and their corpus.
@Suite struct ReplayTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "corpus")

  @Test(arguments: FuzzTarget.allCases) func promisesAreKeptForSeeds(target: FuzzTarget) throws {
    for (number, seed) in try target.seeds().enumerated() {
      #expect(throws: Never.self, "seed \(number)") { try target.run(seed) }
    }
  }

  @Test(arguments: FuzzTarget.allCases) func promisesAreKeptForTheCorpus(target: FuzzTarget) throws {
    try TemporaryFolder.with { folder in
      try Archive.unpack(Self.corpus.appending(path: "\(target.rawValue).tar.xz").path, into: folder)
      let files = try folder.names()
      #expect(!files.isEmpty)
      for file in files {
        let input = try folder.bytes(file)
        #expect(throws: Never.self, "\(target.rawValue)/\(file)") { try target.run(input) }
      }
    }
  }
}
