import CHash
import Foundation
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct ContentHashTests {
  /// Examples of FIPS 180-4: no block, a part of one, a padding that needs a second one, and many.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func theStandardsExamplesHaveTheirDigests(_ text: String, _ count: Int, _ digest: String) {
    #expect(ContentHash(of: String(repeating: text, count: count)).hexadecimal == digest)
  }

  /// Lengths up to four blocks, whose padding fills a block, takes a part of one, or needs a second one.
  @Test func everyLengthHasTheDigestOfSha256sum() throws {
    let contents = (0...260).map { length in (0..<length).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ 11) } }
    try TemporaryFolder.with { folder in
      for (length, content) in contents.enumerated() { try folder.write(content, to: "\(length)") }
      let output = Pipe()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["sha256sum"] + contents.indices.map(String.init)
      process.currentDirectoryURL = URL(filePath: folder.path)
      process.standardOutput = output
      try process.run()
      let lines = try output.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
      let own = contents.enumerated().map { "\(ContentHash(of: $1).hexadecimal)  \($0)\n" }
      #expect(lines == own.joined())
    }
  }

  @Test func partsHaveTheDigestOfTheWhole() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = ContentHash(of: bytes)
    for length in [1, 55, 56, 63, 64, 65, 129, 999] {
      let parts = ContentHash { hash in
        for start in stride(from: 0, to: bytes.count, by: length) {
          hash.add(Array(bytes[start..<min(start + length, bytes.count)]).span)
        }
      }
      #expect(parts == whole, "parts of \(length) bytes")
    }
  }

  /// The instructions of the processor, and the loop for all others.
  @Test func everyImplementationGivesTheSameState() {
    let bytes = (0..<64 * 9).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ 3) }
    func state(_ index: Int) -> [UInt32]? {
      var state = (1...8).map { UInt32($0) &* 0x9E37_79B9 }
      return unsafe fchash_blocks(index, &state, bytes, 9) == 1 ? state : nil
    }
    let states = (0..<4).compactMap(state)
    #expect(!states.isEmpty && states.allSatisfy { $0 == states[0] })
  }
}
