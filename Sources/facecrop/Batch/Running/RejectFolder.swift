import SystemPackage

/// The folder for inputs that were not cropped, as hard links if possible, else as copies.
struct RejectFolder: Sendable {
  let folder: OutputFolder

  /// Adds an input. Returns the problem as a clause about the input; nil for none.
  func take(_ input: FilePath, place: FilePath, gate: WriteGate) -> String? {
    guard let status = FileStatus(input) else { return "the input was not added to the rejected inputs: it is missing" }
    guard status.isRegular else { return nil }
    if FileStatus(folder.path.pushing(place))?.isSameFile(as: status) == true { return nil }
    do {
      if try folder.link(input, as: place) { return nil }
      if let existing = try folder.status(of: place) {
        // An identical copy of an earlier run suffices.
        guard existing.isRegular, existing.bytes == status.bytes,
          try Self.haveSameBytes(input, folder.path.pushing(place))
        else {
          return
            "the input was not added to the rejected inputs: '\(folder.path.pushing(place))' is another file (remove it)"
        }
        return nil
      }
      try Self.copy(input, to: folder.file(place, gate: gate))
      return nil
    } catch {
      return "the input was not added to the rejected inputs: \(error)"
    }
  }

  /// Copies a file in blocks, since an input above a limit can be larger than memory.
  private static func copy(_ input: FilePath, to file: consuming OutputFile) throws {
    let from = try FileDescriptor.openAtOnce(input)
    try from.closeAfter {
      while true {
        let block = try from.bytes(upTo: 1 << 20)
        if block.isEmpty { return }
        try file.write(block)
      }
    }
    try file.commit([])
  }

  private static func haveSameBytes(_ one: FilePath, _ other: FilePath) throws -> Bool {
    let first = try FileDescriptor.openAtOnce(one)
    return try first.closeAfter {
      let second = try FileDescriptor.openAtOnce(other)
      return try second.closeAfter {
        while true {
          let block = try first.bytes(upTo: 1 << 20)
          guard try block == second.bytes(upTo: 1 << 20) else { return false }
          if block.isEmpty { return true }
        }
      }
    }
  }
}
