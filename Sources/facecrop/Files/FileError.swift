import FaceCrop
import SystemPackage

/// The reason why a file other than the image, such as an output or a plan, was unusable. A command that throws it ends
/// with its description and the exit status 1.
struct FileError: Error, CustomStringConvertible {
  var file: String
  /// A clause that can follow the file's name and a colon.
  var message: String
  var kind = "output"
  /// The system's error, if there is one.
  var cause: Errno?
  var description: String { "\(file): \(message)" }

  init(_ file: String, _ message: String, kind: String = "output") {
    self.file = file
    self.message = message
    self.kind = kind
  }

  static func writing(_ file: String, _ error: any Error) -> FileError {
    let cause = error as? Errno
    let remedy = cause.flatMap(remedy).map { " (\($0))" } ?? ""
    var wrapped = FileError(file, "write failed: \(error)\(remedy)")
    wrapped.cause = cause
    return wrapped
  }

  /// Returns the error of reading `file`. Those of the library and of a file keep their words. `bound` is what has an
  /// upper bound of bytes, and the remedy for a longer one.
  static func reading(
    _ file: String, _ error: any Error, kind: String, bound: (title: String, remedy: String)? = nil
  ) -> FileError {
    if let bound, case FaceCropError.overLimit(.fileBytes, _, let allowed) = error {
      return FileError(file, "\(bound.title) has at most \(allowed >> 20) MiB (\(bound.remedy))", kind: kind)
    }
    if let error = error as? FileError { return error }
    if let error = error as? FaceCropError { return FileError(file, error.sentence, kind: kind) }
    let remedy = error as? Errno == .noSuchFileOrDirectory ? " (check the name)" : ""
    return FileError(file, "the file cannot be read: \(error)\(remedy)", kind: kind)
  }

  /// Returns a clause that says what to do about a system's error; nil where nothing certain helps.
  private static func remedy(_ error: Errno) -> String? {
    switch error {
    case .noSuchFileOrDirectory: "create its folder, or choose another"
    case .permissionDenied, .notPermitted, .readOnlyFileSystem: "choose a folder that you may write to"
    case .noSpace, .diskQuotaExceeded: "free space, or choose another disk"
    case .fileNameTooLong: "choose a shorter name"
    case .notDirectory: "choose another folder"
    default: nil
    }
  }

  /// Whether the same command may succeed later.
  var mayPass: Bool { cause != nil }
  var isBrokenPipe: Bool { cause == .brokenPipe }
  /// Whether the cause is a full disk or quota, not the file.
  var isFullDisk: Bool { cause == .noSpace || cause == .diskQuotaExceeded }

  /// Runs `body`, and converts its errors to those of writing `file`. Those of a file keep their words.
  static func wrap<Result: ~Copyable>(_ file: String, _ body: () throws -> Result) throws(FileError) -> Result {
    do {
      return try body()
    } catch {
      throw error as? FileError ?? writing(file, error)
    }
  }
}
