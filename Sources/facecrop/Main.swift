import ArgumentParser
import CMallocShim
import FaceCrop
import Glibc
import SystemPackage

@main
struct Main {
  static func main() async {
    StandardDescriptors.open()
    StandardDescriptors.reserve()
    // A reader that has had enough ends the writing with EPIPE, not the process.
    signal(SIGPIPE, SIG_IGN)
    CutShortInput.watch()
    OpenCVThreads.turnOff()
    do {
      try checkCommandName()
      try checkDashes()
      var command = try Facecrop.parseAsRoot()
      // Pixels go back to the system once they are done with; in a batch the next picture's take their place.
      if !(command is BatchCommand) { fc_malloc_return_blocks_from(256 << 10) }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      end(0)
    } catch {
      end(with: error)
    }
  }

  /// Ends the process; without the libraries' own ends where a job that was given up still uses them.
  private static func end(_ status: CInt) -> Never {
    guard AbandonedJobs.exist else { Glibc.exit(status) }
    fflush(nil)
    _exit(status)
  }

  /// Prints what was asked for instead of a run: help, the version, a completion script.
  private static func print(_ text: String) -> Never {
    do {
      _ = try FileDescriptor.standardOutput.writeAll((text.hasSuffix("\n") ? text : text + "\n").utf8)
    } catch {
      // A reader that has had enough is no failure.
      if error as? Errno == .brokenPipe { end(0) }
      Console.say("facecrop: standard output: write failed: \(error)")
      end(EXIT_FAILURE)
    }
    end(0)
  }

  /// Wrong usage gets one sentence and the way out; help and version are the parser's to print.
  private static func end(with error: any Error) -> Never {
    let usage = error as? UsageError
    let status = usage == nil ? Facecrop.exitCode(for: error) : .validationFailure
    if let code = error as? ExitCode { end(code.rawValue) }
    if status == .success { print(Facecrop.fullMessage(for: error)) }
    guard status == .validationFailure else {
      Console.say("facecrop: \(Facecrop.message(for: error))")
      end(status.rawValue)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    let command = arguments.first { commandNames.contains($0) }
    let message = usage?.message ?? UsageHint.text(Facecrop.message(for: error), command: command)
    if speaksJSON(arguments) {
      Console.write(JSONLines.safeLine(UsageFailure(message: message, details: usage?.details)), to: .standardError)
    } else {
      Console.say("facecrop: \(message)")
      for line in usage?.details ?? [] { Console.say("  \(line)") }
      Console.say("Try 'facecrop\(command.map { " \($0)" } ?? "") --help'.")
    }
    end(status.rawValue)
  }

  private static var commandNames: [String] {
    Facecrop.configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  /// A word in a command's place that is none, which the parser would take for a file too many.
  private static func checkCommandName() throws {
    guard let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-"), word != "help",
      !commandNames.contains(word)
    else { return }
    let meant =
      UsageHint.nearest(to: word, of: commandNames).map { "did you mean \($0)?" }
      ?? "the commands are \(commandNames.joined(separator: ", "))"
    throw UsageError(message: "'\(word)' is not a command (\(meant))", details: [])
  }

  /// Files that are named like several flags of one letter, which the parser would take for them, `-h` among them: nobody who asks for
  /// `*.jpg` wants the help.
  private static func checkDashes() throws {
    let flags = Set("dhjor")
    for (before, word) in zip(CommandLine.arguments, CommandLine.arguments.dropFirst()) {
      if word == "--" { return }
      // Of -o=file no more is a flag than its letter.
      if word.dropFirst().firstIndex(of: "=") == word.index(word.startIndex, offsetBy: 2, limitedBy: word.endIndex) {
        continue
      }
      guard word.count > 2, word.hasPrefix("-"), !word.hasPrefix("--"), !word.dropFirst().allSatisfy(flags.contains),
        word.contains("h") || !before.hasPrefix("-"), !(word.dropFirst().first!.isNumber || word.hasPrefix("-."))
      else { continue }
      throw UsageError(message: "'\(word)' begins with a dash like an option (write ./\(word) for a file)", details: [])
    }
  }

  private static func speaksJSON(_ arguments: [String]) -> Bool {
    arguments.contains("--json") || arguments.contains("--progress=json")
      || zip(arguments, arguments.dropFirst()).contains { $0 == "--progress" && $1 == "json" }
  }
}
