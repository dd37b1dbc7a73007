import Testing

@testable import FaceCropServer

@Suite struct HeapTests {
  /// Pages between blocks in use are the process's until it is told.
  @Test func freePagesGoBackToTheSystem() throws {
    var blocks = (0..<1_000).map { _ in [UInt8](repeating: 1, count: 64 << 10) }
    for place in blocks.indices where place % 10 != 0 { blocks[place] = [] }
    let before = try #require(residentMemory())
    trimHeap()
    let after = try #require(residentMemory())
    #expect(blocks.count { !$0.isEmpty } == 100)
    // Of 56 MiB; other tests take some in the meantime.
    #expect(before - after > 30 << 20)
  }
}
