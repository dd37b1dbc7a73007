import ArgumentParser
import CMallocShim
import FaceCrop
import Glibc

@main
struct Main {
  static func main() async {
    StandardDescriptors.open()
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
    let usage = error as? UsageError
    let status = usage == nil ? Facecrop.exitCode(for: error) : .validationFailure
    if error is ExitCode || status == .success { Facecrop.exit(withError: error) }
    guard status == .validationFailure else {
      Console.say("facecrop: \(Facecrop.message(for: error))")
      Glibc.exit(status.rawValue)
    }
    let names = Facecrop.configuration.subcommands.compactMap { $0.configuration.commandName }
    let command = CommandLine.arguments.dropFirst().first { names.contains($0) }.map { " \($0)" } ?? ""
    Console.say("facecrop: \(usage?.message ?? Facecrop.message(for: error))")
    for line in usage?.details ?? [] { Console.say("  \(line)") }
    Console.say("Try 'facecrop\(command) --help'.")
    Glibc.exit(status.rawValue)
  }
}
