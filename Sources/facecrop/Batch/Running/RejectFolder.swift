import Glibc
import SystemPackage

/// The folder that gets the inputs that were not cropped: hard links where the file system allows, else copies.
struct RejectFolder: Sendable {
  let path: FilePath

  /// - Parameters:
  ///   - bytes: the input's; nil when they could not be read.
  /// - Returns: what went wrong, as a sentence about the input.
  func take(_ input: FilePath, place: FilePath, bytes: [UInt8]?) -> String? {
    guard let status = FileStatus(input), status.isRegular else { return nil }
    let target = path.pushing(place)
    if FileStatus(target)?.isSameFile(as: status) == true { return nil }
    do {
      try Folders.make(target.folder)
      if try link(input, to: target) { return nil }
      try OutputFile(target, notReplacing: input).commit(bytes ?? Input.readToEnd(of: input))
      return nil
    } catch let error as FileError {
      return "is not in the folder of rejected inputs: \(error.file) \(error.message)"
    } catch {
      return "is not in the folder of rejected inputs: \(error)"
    }
  }

  /// Links in the place of whatever has the name; false where the file system cannot.
  private func link(_ input: FilePath, to target: FilePath) throws -> Bool {
    let step = OutputFile.temporaryName(in: target.folder)
    let linked = unsafe input.withPlatformString { from in
      // A symbolic link is not what was looked at.
      unsafe step.withPlatformString { to in unsafe linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) }
    }
    guard linked == 0 else { return false }
    let renamed = unsafe step.withPlatformString { from in
      unsafe target.withPlatformString { to in unsafe rename(from, to) }
    }
    let error = Errno(rawValue: errno)
    // Two links to one file stay both.
    _ = unsafe step.withPlatformString { unsafe unlink($0) }
    if renamed != 0 { throw FileError.writing(target.string, error) }
    return true
  }
}
