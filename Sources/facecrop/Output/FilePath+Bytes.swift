import Glibc
import SystemPackage

/// Linux's names are bytes; a string would change those that are no UTF-8.
extension FilePath {
  init(bytes: some Sequence<UInt8>) {
    unsafe self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
  }

  var bytes: [UInt8] {
    unsafe withPlatformString { start in
      unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }
  }

  /// Whether ``string`` has lost nothing.
  var isText: Bool { String(validating: self) != nil }

  /// Its folder; the current one where none is named.
  var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
