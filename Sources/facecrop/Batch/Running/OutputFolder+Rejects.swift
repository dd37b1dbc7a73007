import SystemPackage

/// A folder for inputs that were not cropped: hard links if possible, else copies.
extension OutputFolder {
  /// Adds an input. Returns the problem as a clause about the input; nil for none.
  func take(_ input: FilePath, place: FilePath, gate: WriteGate) -> String? {
    let problem = "the input was not added to the rejected inputs: "
    guard let status = FileStatus(input) else { return problem + "it is missing" }
    let own = path.pushing(place)
    guard status.isRegular, FileStatus(own)?.identity != status.identity else { return nil }
    do {
      if try link(input, as: place) { return nil }
      guard let existing = try self.status(of: place) else {
        try Self.copy(input, to: file(place, gate: gate))
        return nil
      }
      // An identical copy of an earlier run suffices.
      let isCopy = try existing.isRegular && existing.bytes == status.bytes && Self.haveSameBytes(input, own)
      return isCopy ? nil : problem + "'\(own)' is another file (remove it)"
    } catch {
      return problem + "\(error)"
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
