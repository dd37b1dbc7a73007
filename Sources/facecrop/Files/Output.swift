import SystemPackage

/// The destination of an output, as the user named it.
enum Output {
  case standard
  case file(FilePath)

  init(_ path: FilePath) {
    self = path == FilePath(Input.standard) ? .standard : .file(path)
  }

  static let standardName = "standard output"

  /// Returns the name of an output for people.
  static func shown(_ path: FilePath) -> String {
    path == FilePath(Input.standard) ? standardName : path.string
  }

  /// Opens it for writing. It may replace only the files of `replacing`.
  func open(_ gate: WriteGate, replacing: WriteGate.Replacing = .anything) throws(FileError) -> OpenOutput {
    switch self {
    case .standard: .standard
    case .file(let path): .file(try OutputFile(path, gate: gate, replacing: replacing))
    }
  }

  static func writeToStandard(_ bytes: [UInt8]) throws(FileError) {
    try FileError.wrap(standardName) { _ = try FileDescriptor.standardOutput.writeAll(bytes) }
  }
}

/// An output that is written in parts, and appears when it is committed.
final class GrowingOutput {
  /// The file; nil for standard output.
  private var file: OutputFile?
  private let output: Output
  private let gate: WriteGate

  /// Opens an output. It may replace only the files of `replacing`.
  init(_ output: Output, _ gate: WriteGate, replacing: WriteGate.Replacing) throws(FileError) {
    (self.output, self.gate) = (output, gate)
    if case .file(let path) = output { file = try OutputFile(path, gate: gate, replacing: replacing) }
  }

  func write(_ bytes: [UInt8]) throws(FileError) {
    if file == nil { try Output.writeToStandard(bytes) } else { try file!.write(bytes) }
  }

  /// Writes the last bytes. `beginning` replaces the start of a file.
  func commit(_ bytes: [UInt8], beginning: [UInt8]) throws(FileError) {
    guard let file = file.take() else { return try Output.writeToStandard(bytes) }
    try file.commit(bytes, beginning: beginning)
    if case .file(let path) = output { Sidecar.removeOwn(beside: path, gate) }
  }
}

/// An output that is ready to be written once.
enum OpenOutput: ~Copyable {
  case standard
  case file(OutputFile)

  consuming func commit(_ bytes: [UInt8]) throws(FileError) {
    switch consume self {
    case .standard: try Output.writeToStandard(bytes)
    case .file(let file): try file.commit(bytes)
    }
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
