import SystemPackage

/// Why a file that is not the picture, an output or a plan, could not be used.
struct FileError: Error {
  var file: String
  /// Continues a sentence that begins with the file.
  var message: String
  var kind = "output"
  var isBrokenPipe = false

  init(_ file: String, _ message: String, kind: String = "output") {
    self.file = file
    self.message = message
    self.kind = kind
  }

  static func writing(_ file: String, _ error: any Error) -> FileError {
    var wrapped = FileError(file, "cannot be written: \(error)")
    wrapped.isBrokenPipe = error as? Errno == .brokenPipe
    return wrapped
  }

  /// Runs `body`, whose errors keep `file` from being written.
  static func wrap<Result>(_ file: String, _ body: () throws -> Result) throws(FileError) -> Result {
    do {
      return try body()
    } catch {
      throw writing(file, error)
    }
  }
}
