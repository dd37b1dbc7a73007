internal import Crypto

/// The SHA-256 hash of some bytes.
struct ContentHash: Hashable, Sendable {
  let bytes: [UInt8]

  init(of content: [UInt8]) {
    self.init(of: content.span)
  }

  init(of content: Span<UInt8>) {
    var hash = SHA256()
    unsafe content.withUnsafeBufferPointer { unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    bytes = Array(hash.finalize())
  }

  var hexadecimal: String { Hexadecimal.text(bytes) }
}
