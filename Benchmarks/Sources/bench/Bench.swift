import FaceCrop
import FoundationEssentials
import Glibc
import SystemPackage

/// The program that measures the figures that the README promises: see Benchmarks/README.md.
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
    // Like the library and the command. OpenCV's threads would also blur the processor time.
    OpenCVThreads.turnOff()
    let options = try Options(CommandLine.arguments.dropFirst())
    if let one = options.libraryCase { return try await LibraryRuns.run(one) }
    if options.isOfNetwork { return print(try NetworkRuns.measure(rounds: 40)) }
    if let folder = options.real { return print(try await RealRuns.measure(folder, rounds: options.rounds)) }
    if let folder = options.choice { return print(try await ChoiceRuns.measure(folder)) }
    if let raw = options.raw { return try RAWFiles.write(of: raw.jpeg, into: raw.folder) }
    if let folder = options.attacks { return try AttackFiles.write(into: folder) }
    if options.isOfHeaders { return print(try await HeaderRuns.measure(rounds: options.rounds)) }
    if let drawing = options.drawing { return try Picture.draw(drawing.size, faces: options.faces, into: drawing.file) }
    if options.onlyGenerates {
      return try options.isOfBatch ? BatchRuns.generateMissing() : Picture.generateMissing()
    }

    // In a child, since a process that was once large spoils the memory figures: see `Subprocess`.
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

/// The command-line options.
struct Options {
  static let generate = "--generate"
  static let batch = "--batch"
  static let library = "--library"
  static let warm = "--warm"
  static let network = "--network"
  static let headers = "--headers"

  /// The release build to measure; by default the one beside this program.
  var program =
    Subprocess.thisProgram.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    .joined(separator: "/") + "/facecrop"
  /// Repetitions of each decode.
  var rounds = 9
  /// The folder in which a folder named by the date is made.
  var runs = "Benchmarks/runs"
  var onlyGenerates = false
  /// Whether to measure only batches.
  var isOfBatch = false
  /// Whether to measure only the library's requests.
  var isOfLibrary = false
  /// The library request that this process runs itself.
  var libraryCase: LibraryRuns.Case?
  /// Whether to measure only the library from bytes to an avatar, for `make compare`.
  var isWarm = false
  /// Whether to measure only the network's forward pass.
  var isOfNetwork = false
  /// A folder whose images are measured, and nothing else.
  var real: String?
  /// A folder in whose images a person is chosen, and nothing else.
  var choice: String?
  /// A JPEG file and a folder for RAW files of all kinds made from it, and nothing else.
  var raw: (jpeg: String, folder: String)?
  /// Whether to measure only hostile headers.
  var isOfHeaders = false
  /// A folder for the files of ``HostileCost``, and nothing else.
  var attacks: String?
  /// An image to draw, and nothing else.
  var drawing: (file: String, size: PixelSize)?
  /// The number of faces to draw.
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
      case ("--choice", _): choice = value
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
           bench --choice FOLDER
           bench --raw JPEG FOLDER
           bench --generate [--batch]
           bench --attacks FOLDER
           bench --draw FILE WIDTHxHEIGHT [--faces 1|2]
    """)
}

extension PixelSize {
  /// Parses a size like 4000x3000.
  fileprivate init?(written text: String) {
    let sides = text.split(separator: "x").compactMap { Int($0) }.filter { $0 > 0 }
    guard sides.count == 2 else { return nil }
    self.init(width: sides[0], height: sides[1])
  }
}

/// The reason why there are no figures.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
