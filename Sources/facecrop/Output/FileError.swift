import SystemPackage

/// Why a file that is not the picture, an output or a plan, could not be used.
struct FileError: Error {
  var file: String
  /// Continues a sentence that begins with the file.
  var message: String
  var kind = "output"
  /// What the system said, if it was asked.
  var cause: Errno?

  init(_ file: String, _ message: String, kind: String = "output") {
    self.file = file
    self.message = message
    self.kind = kind
  }

  static func writing(_ file: String, _ error: any Error) -> FileError {
    var wrapped = FileError(file, "cannot be written: \(error)")
    wrapped.cause = error as? Errno
    return wrapped
  }

  var isBrokenPipe: Bool { cause == .brokenPipe }
  /// Whether it is the disk or the share of it that the user may fill, and not the file, that is at fault.
  var isFullDisk: Bool { cause == .noSpace || cause == .diskQuotaExceeded }

  /// Runs `body`, whose errors keep `file` from being written.
  static func wrap<Result>(_ file: String, _ body: () throws -> Result) throws(FileError) -> Result {
    do {
      return try body()
    } catch {
      throw writing(file, error)
    }
  }
}
