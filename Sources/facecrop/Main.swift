import ArgumentParser
import CMallocShim
import FaceCrop
import Glibc

@main
struct Main {
  static func main() async {
    // A reader that has had enough ends the writing with EPIPE, not the process.
    signal(SIGPIPE, SIG_IGN)
    CutShortInput.watch()
    OpenCVThreads.turnOff()
    do {
      var command = try Facecrop.parseAsRoot()
      // Pixels go back to the system once they are done with; in a batch the next picture's take their place.
      if !(command is BatchCommand) { fc_malloc_return_blocks_from(256 << 10) }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  /// Wrong usage gets one sentence and the way out; help and version are the parser's to print.
  private static func end(with error: any Error) -> Never {
    guard Facecrop.exitCode(for: error) == .validationFailure else { Facecrop.exit(withError: error) }
    let names = Facecrop.configuration.subcommands.compactMap { $0.configuration.commandName }
    let command = CommandLine.arguments.dropFirst().first { names.contains($0) }.map { " \($0)" } ?? ""
    Console.write("facecrop: \(Facecrop.message(for: error))\nTry 'facecrop\(command) --help'.\n", to: .standardError)
    Glibc.exit(ExitCode.validationFailure.rawValue)
  }
}

struct Facecrop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "facecrop",
    abstract: "Crops photographs to the faces in them.",
    discussion: """
      A fast look at low resolution finds the faces; then only the region around them is decoded at full quality. \
      Memory stays in the tens of megabytes, whatever the picture's size.

      Exit status: 0 all done; 1 an input failed; 2 no face and --no-face fail; 64 wrong usage; 130 interrupted.
      """,
    version: "0.1.0",
    subcommands: [AvatarCommand.self, BatchCommand.self, CropCommand.self, DetectCommand.self, InfoCommand.self])
}
