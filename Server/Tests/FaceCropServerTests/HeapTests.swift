import Testing

@testable import FaceCropServer

@Suite struct HeapTests {
  /// Pages between used blocks stay with the process until the heap is trimmed.
  @Test func freePagesGoBackToTheSystem() throws {
    var blocks = (0..<1_000).map { _ in [UInt8](repeating: 1, count: 64 << 10) }
    for place in blocks.indices where place % 10 != 0 { blocks[place] = [] }
    let before = try #require(residentMemory())
    trimHeap()
    let after = try #require(residentMemory())
    #expect(blocks.count { !$0.isEmpty } == 100)
    // Out of 56 MiB; other tests allocate meanwhile.
    #expect(before - after > 30 << 20)
  }
}
