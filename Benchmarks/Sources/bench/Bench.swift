import FaceCrop
import FoundationEssentials
import Glibc
import SystemPackage

/// Measures what the README promises and writes the figures down: see Benchmarks/README.md.
@main
struct Bench {
  static func main() async {
    do {
      try await measure()
    } catch {
      _ = try? FileDescriptor.standardError.writeAll("bench: \(error)\n".utf8)
      exit(1)
    }
  }

  private static func measure() async throws {
    // The whole library and the command run so; its threads would only blur the processor time.
    OpenCVThreads.turnOff()
    let options = try Options(CommandLine.arguments.dropFirst())
    if let one = options.libraryCase { return try await LibraryRuns.run(one) }
    if options.isOfNetwork { return print(try NetworkRuns.measure(rounds: 40)) }
    if let folder = options.real { return print(try await RealRuns.measure(folder, rounds: options.rounds)) }
    if let raw = options.raw { return try RAWFiles.write(of: raw.jpeg, into: raw.folder) }
    if let folder = options.attacks { return try AttackFiles.write(into: folder) }
    if options.isOfHeaders { return print(try await HeaderRuns.measure(rounds: options.rounds)) }
    if let drawing = options.drawing { return try Picture.draw(drawing.size, faces: options.faces, into: drawing.file) }
    if options.onlyGenerates {
      return try options.isOfBatch ? BatchRuns.generateMissing() : Picture.generateMissing()
    }

    // By a child, since a process that was once large spoils the memory figures: see `Subprocess`.
    try Subprocess.run(
      [Subprocess.thisProgram, Options.generate] + (options.isOfBatch || options.isOfLibrary ? [Options.batch] : []))
    if options.isOfBatch { return print(try BatchRuns(program: options.program).measure(rounds: 3)) }
    if options.isOfLibrary { return print(try LibraryRuns.measure(rounds: 5)) }
    if options.isWarm { return print(try await WarmRuns.measure(rounds: options.rounds)) }
    let commands = CommandRuns(program: options.program)
    let report = Report(
      environment: try Environment(),
      memory: try commands.memory(rounds: 3),
      outputs: try commands.outputs(rounds: options.rounds),
      startUp: try commands.startUp(rounds: 21),
      time: try await DecodeRuns.measure(rounds: options.rounds),
      index: try IndexRuns.measure(rounds: options.rounds))
    try report.write(into: options.runs)
    print(report.markdown)
  }
}

/// What the caller may choose.
struct Options {
  static let generate = "--generate"
  static let batch = "--batch"
  static let library = "--library"
  static let warm = "--warm"
  static let network = "--network"
  static let headers = "--headers"

  /// The release build of facecrop that is measured; by default the one beside this program.
  var program =
    Subprocess.thisProgram.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    .joined(separator: "/") + "/facecrop"
  /// How often each decode is repeated.
  var rounds = 9
  /// The folder that gets a folder of today's date.
  var runs = "Benchmarks/runs"
  var onlyGenerates = false
  /// Whether batches are measured, and nothing else.
  var isOfBatch = false
  /// Whether the library's requests are, and nothing else.
  var isOfLibrary = false
  /// The one of them that this process does itself.
  var libraryCase: LibraryRuns.Case?
  /// Whether the library is measured from bytes to an avatar, for `make compare`, and nothing else.
  var isWarm = false
  /// Whether the network's forward pass is, and nothing else.
  var isOfNetwork = false
  /// A folder whose pictures are measured, and nothing else.
  var real: String?
  /// A JPEG file of which RAW files of all kinds are made, in a folder, and nothing else.
  var raw: (jpeg: String, folder: String)?
  /// Whether hostile headers are, and nothing else.
  var isOfHeaders = false
  /// A folder that gets the files of ``HostileCost``, and nothing else.
  var attacks: String?
  /// A picture that is made, and nothing else.
  var drawing: (file: String, size: PixelSize)?
  /// Faces in it.
  var faces = 1

  init(_ arguments: ArraySlice<String>) throws {
    var arguments = arguments
    while let name = arguments.popFirst() {
      if name == Options.generate {
        onlyGenerates = true
        continue
      }
      if name == Options.batch {
        isOfBatch = true
        continue
      }
      if name == Options.library {
        isOfLibrary = true
        continue
      }
      if name == Options.warm {
        isWarm = true
        continue
      }
      if name == Options.network {
        isOfNetwork = true
        continue
      }
      if name == Options.headers {
        isOfHeaders = true
        continue
      }
      guard let value = arguments.popFirst() else { throw Self.usage }
      switch (name, Int(value)) {
      case ("--facecrop", _): program = value
      case ("--case", _): libraryCase = LibraryRuns.Case(rawValue: value)
      case ("--real", _): real = value
      case ("--raw", _):
        guard let folder = arguments.popFirst() else { throw Self.usage }
        raw = (value, folder)
      case ("--attacks", _): attacks = value
      case ("--runs", _): runs = value
      case ("--rounds", let count?) where count > 0: rounds = count
      case ("--draw", _):
        guard let size = arguments.popFirst().flatMap(PixelSize.init(written:)) else { throw Self.usage }
        drawing = (value, size)
      case ("--faces", let count?) where (1...2).contains(count): faces = count
      default: throw Self.usage
      }
    }
  }

  private static let usage = BenchError(
    """
    usage: bench [--batch | --library | --warm | --headers] [--facecrop FILE] [--rounds N] [--runs FOLDER]
           bench --network | --real FOLDER [--rounds N]
           bench --raw JPEG FOLDER
           bench --generate [--batch]
           bench --attacks FOLDER
           bench --draw FILE WIDTHxHEIGHT [--faces 1|2]
    """)
}

extension PixelSize {
  /// Reads a size that is written like 4000x3000.
  fileprivate init?(written text: String) {
    let sides = text.split(separator: "x").compactMap { Int($0) }.filter { $0 > 0 }
    guard sides.count == 2 else { return nil }
    self.init(width: sides[0], height: sides[1])
  }
}

/// Why there are no figures.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
