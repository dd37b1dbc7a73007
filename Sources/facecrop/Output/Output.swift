import SystemPackage

/// Where something is written to, as the user named it.
enum Output {
  case standard
  case file(FilePath)

  init(_ path: FilePath) {
    self = path == FilePath(Input.standard) ? .standard : .file(path)
  }

  /// Makes sure that it can be written.
  ///
  /// - Parameters:
  ///   - gate: knows the files that must stay.
  ///   - replacing: what may be in its place.
  func open(_ gate: WriteGate, replacing: WriteGate.Replacing = .anything) throws(FileError) -> OpenOutput {
    switch self {
    case .standard: .standard
    case .file(let path): .file(try OutputFile(path, gate: gate, replacing: replacing))
    }
  }
}

extension Output {
  static func writeToStandard(_ bytes: [UInt8]) throws(FileError) {
    try FileError.wrap("standard output") { _ = try FileDescriptor.standardOutput.writeAll(bytes) }
  }
}

/// An output that is written as it grows, and appears when it is committed.
final class GrowingOutput {
  /// Nil is standard output.
  private var file: OutputFile?

  /// - Parameters:
  ///   - gate: knows the files that must stay.
  ///   - replacing: what may be in its place.
  init(_ output: Output, _ gate: WriteGate, replacing: WriteGate.Replacing) throws(FileError) {
    if case .file(let path) = output { file = try OutputFile(path, gate: gate, replacing: replacing) }
  }

  func write(_ bytes: [UInt8]) throws(FileError) {
    if file == nil { try Output.writeToStandard(bytes) } else { try file!.write(bytes) }
  }

  /// Writes the last bytes.
  ///
  /// - Parameter beginning: what comes in the place of a file's first bytes.
  func commit(_ bytes: [UInt8], beginning: [UInt8]) throws(FileError) {
    guard let file = file.take() else { return try Output.writeToStandard(bytes) }
    try file.commit(bytes, beginning: beginning)
  }
}

/// An output that is ready to be written, once.
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

/// The outputs of one command: one, or one for each crop, by its number, and each size, by its name.
struct OutputNames {
  /// Nil is standard output.
  var path: FilePath?
  var isNumbered: Bool
  /// The sizes of the outputs of each crop; no more than one has no part in the name.
  var sizes: [Int]

  /// - Parameters:
  ///   - number: the crop's, counted from 1.
  ///   - size: which of the sizes, counted from 0.
  subscript(number number: Int, size size: Int) -> Output {
    guard let path else { return .standard }
    var named = path
    if isNumbered { named = OutputName.numbered(named, number) }
    if sizes.count > 1 { named = OutputName.numbered(named, sizes[size]) }
    return .file(named)
  }
}
