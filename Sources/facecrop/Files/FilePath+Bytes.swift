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

  /// Returns the path from a folder to this one. Both are absolute.
  func relative(to folder: FilePath) -> FilePath {
    let (from, to) = (Array(folder.components), Array(components))
    let common = zip(from, to).prefix { $0 == $1 }.count
    let up = FilePath(root: nil, Array(repeating: FilePath.Component(".."), count: from.count - common))
    return up.pushing(FilePath(root: nil, to[common...]))
  }

  var withoutExtension: FilePath {
    var path = self
    path.extension = nil
    return path
  }

  /// The folder of the path; the current one if none is named.
  var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
