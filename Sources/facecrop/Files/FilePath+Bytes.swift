import Glibc
import SystemPackage

/// Linux file names are bytes, and a string would change invalid UTF-8.
extension FilePath {
  init(bytes: some Sequence<UInt8>) {
    unsafe self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
  }

  var bytes: [UInt8] {
    unsafe withPlatformString { start in
      unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }
  }

  /// Whether ``string`` preserves all bytes.
  var isText: Bool { String(validating: self) != nil }

  /// The folder of the path; the current one if none is named.
  var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
