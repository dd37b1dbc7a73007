internal import CHash

/// The SHA-256 hash of some bytes.
package struct ContentHash: Hashable, Sendable {
  package let bytes: [UInt8]

  /// Creates the hash of the bytes that `fill` adds.
  package init(_ fill: (inout Filler) -> Void) {
    var filler = Filler()
    fill(&filler)
    var digest = [UInt8](repeating: 0, count: Int(FCHASH_DIGEST))
    unsafe fchash_finish(&filler.hash, &digest)
    bytes = digest
  }

  package init(of content: Span<UInt8>) {
    self.init { $0.add(content) }
  }

  package init(of content: [UInt8]) {
    self.init(of: content.span)
  }

  package init(of text: String) {
    self.init(of: Array(text.utf8))
  }

  package var hexadecimal: String { Hexadecimal.text(bytes) }

  /// A hash that is not finished.
  package struct Filler {
    fileprivate var hash = fchash_start()

    package mutating func add(_ content: Span<UInt8>) {
      unsafe content.withUnsafeBufferPointer { unsafe fchash_add(&hash, $0.baseAddress, $0.count) }
    }
  }
}
