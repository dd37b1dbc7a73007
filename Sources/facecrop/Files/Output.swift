import SystemPackage

/// The outputs that the user names.
enum Output {
  static let standardName = "standard output"

  /// Returns the name of an output for people.
  static func shown(_ path: FilePath) -> String {
    path == FilePath(Input.standard) ? standardName : path.string
  }

  static func writeToStandard(_ bytes: [UInt8]) throws(FileError) {
    try FileError.wrap(standardName) { _ = try FileDescriptor.standardOutput.writeAll(bytes) }
  }
}

/// An output that is ready to be written, at once or in parts. It appears when it is committed.
final class OpenOutput {
  /// The file; nil for standard output.
  private var file: OutputFile?

  init(_ file: consuming OutputFile) { self.file = consume file }

  /// Opens an output that the user named. It may replace only the files of `replacing`.
  init(_ path: FilePath, _ gate: WriteGate, replacing: WriteGate.Replacing = .anything) throws(FileError) {
    if path != FilePath(Input.standard) { file = try OutputFile(path, gate: gate, replacing: replacing) }
  }

  func write(_ bytes: [UInt8]) throws(FileError) {
    if file == nil { try Output.writeToStandard(bytes) } else { try file!.write(bytes) }
  }

  /// Writes the last bytes, or all. `beginning` replaces the start of a file.
  func commit(_ bytes: [UInt8], beginning: [UInt8] = []) throws(FileError) {
    guard let file = file.take() else { return try Output.writeToStandard(bytes) }
    try file.commit(bytes, beginning: beginning)
  }
}

/// The names of a command's outputs: one, or one for each crop and size.
struct OutputNames {
  /// The path, or the sign of standard output.
  var path: FilePath
  var isNumbered: Bool
  /// The sizes of each crop's outputs. A single size is not part of the name.
  var sizes: [String]

  /// Returns the output by the number of its crop, and the index of the size, from 0.
  subscript(number: Int, size: Int) -> FilePath {
    guard path != FilePath(Input.standard) else { return path }
    var named = path
    if isNumbered { named = OutputName.numbered(named, number) }
    if sizes.count > 1 { named = OutputName.numbered(named, sizes[size]) }
    return named
  }
}
