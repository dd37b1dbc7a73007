import SystemPackage

/// The folder for inputs that were not cropped, as hard links if possible, else as copies.
struct RejectFolder: Sendable {
  let folder: OutputFolder

  /// Adds an input, whose bytes are nil if unreadable. Returns the problem as a clause about the input; nil for none.
  func take(_ input: FilePath, place: FilePath, bytes: [UInt8]?, gate: WriteGate) -> String? {
    guard let status = FileStatus(input) else { return "the input was not added to the rejected inputs: it is missing" }
    guard status.isRegular else { return nil }
    if FileStatus(folder.path.pushing(place))?.isSameFile(as: status) == true { return nil }
    do {
      if try folder.link(input, as: place) { return nil }
      let bytes = try bytes ?? Input.readToEnd(of: input, atMost: .max)
      if try folder.status(of: place) != nil {
        // An identical copy of an earlier run suffices.
        guard try Input.readToEnd(of: folder.path.pushing(place), atMost: .max) == bytes else {
          return
            "the input was not added to the rejected inputs: '\(folder.path.pushing(place))' is another file (remove it)"
        }
        return nil
      }
      try folder.file(place, gate: gate).commit(bytes)
      return nil
    } catch let error as FileError {
      return "the input was not added to the rejected inputs: \(error.file): \(error.message)"
    } catch {
      return "the input was not added to the rejected inputs: \(error)"
    }
  }
}
