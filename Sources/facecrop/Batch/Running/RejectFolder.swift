import SystemPackage

/// The folder that gets the inputs that were not cropped: hard links where the file system allows, else copies.
struct RejectFolder: Sendable {
  let folder: OutputFolder

  /// - Parameters:
  ///   - bytes: the input's; nil when they could not be read.
  ///   - gate: knows the files that must stay.
  /// - Returns: what went wrong, as a clause about the input.
  func take(_ input: FilePath, place: FilePath, bytes: [UInt8]?, gate: WriteGate) -> String? {
    guard let status = FileStatus(input), status.isRegular else { return nil }
    if FileStatus(folder.path.pushing(place))?.isSameFile(as: status) == true { return nil }
    do {
      if try folder.link(input, as: place) { return nil }
      let bytes = try bytes ?? Input.readToEnd(of: input, atMost: .max)
      if try folder.status(of: place) != nil {
        // A copy of an earlier run's is as good as another.
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
