import SystemPackage

/// The reason why a file other than the image, such as an output or a plan, could not be used.
struct FileError: Error {
  var file: String
  /// A clause that stands by itself and follows the file's name and a colon.
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
    var wrapped = FileError(file, "write failed: \(error)")
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
