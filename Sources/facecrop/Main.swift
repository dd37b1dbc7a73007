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
    StandardDescriptors.checkArguments()
    // If the reader closes the pipe, writing fails with EPIPE instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    CutShortInput.watch()
    OpenCVThreads.turnOff()
    do {
      try checkCommandName()
      try checkDashes()
      var command = try Facecrop.parseAsRoot(Array(LaunchArguments.texts.dropFirst()))
      StandardThreads.reserve()
      // Freed pixels return to the system. A batch keeps the smaller blocks, which its next image uses.
      fc_malloc_return_blocks_from(command is BatchCommand ? 8 << 20 : 1 << 20)
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

  /// Ends the process. If an abandoned job still runs, the exit handlers of libraries are skipped.
  private static func end(_ status: CInt) -> Never {
    guard AbandonedJobs.exist else { Glibc.exit(status) }
    fflush(nil)
    _exit(status)
  }

  /// Prints help, the version, or a completion script.
  private static func print(_ text: String) -> Never {
    do {
      _ = try FileDescriptor.standardOutput.writeAll((text.hasSuffix("\n") ? text : text + "\n").utf8)
    } catch {
      // A closed pipe is no failure.
      if error as? Errno == .brokenPipe { end(0) }
      Console.say("facecrop: standard output: write failed: \(error)")
      end(EXIT_FAILURE)
    }
    end(0)
  }

  /// Ends the process with an error. Usage errors get a sentence and a hint; the parser prints help and version.
  private static func end(with error: any Error) -> Never {
    let usage = error as? UsageError
    let status = usage == nil ? Facecrop.exitCode(for: error) : .validationFailure
    if let code = error as? ExitCode { end(code.rawValue) }
    if status == .success { print(Facecrop.fullMessage(for: error)) }
    guard status == .validationFailure else {
      Console.say("facecrop: \(Facecrop.message(for: error))")
      end(status.rawValue)
    }
    let arguments = Array(LaunchArguments.texts.dropFirst())
    let command = arguments.first { commandNames.contains($0) }
    let options = command.flatMap(knownOptions)
    var (message, details) = (usage?.message ?? Facecrop.message(for: error), usage?.details)
    if let better = options?.joined(in: arguments, namedBy: message) ?? options?.unknown(in: arguments) {
      (message, details) = (better, nil)
    }
    if usage == nil || details == nil { message = UsageHint.text(message, command: command) }
    if options?.askForJSON(arguments) == true {
      Console.write(JSONLines.safeLine(UsageFailure(message: message, details: details)), to: .standardError)
    } else {
      Console.say("facecrop: \(message)")
      for line in details ?? [] { Console.say("  \(line)") }
      Console.say("Try 'facecrop\(command.map { " \($0)" } ?? "") --help'.")
    }
    end(status.rawValue)
  }

  private static var commandNames: [String] {
    Facecrop.configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  private static func knownOptions(of command: String) -> KnownOptions? {
    Facecrop.configuration.subcommands.first { $0.configuration.commandName == command }.map { known($0) }
  }

  private static func known(_ type: any ParsableCommand.Type) -> KnownOptions { KnownOptions(of: type) }

  /// Refuses a word in place of a command, which the parser would report as an extra file.
  private static func checkCommandName() throws {
    let words = LaunchArguments.texts.dropFirst()
    guard let word = words.first == "help" ? words.dropFirst().first : words.first, !word.hasPrefix("-"),
      word != "help", !commandNames.contains(word)
    else { return }
    let meant =
      UsageHint.nearest(to: word, of: commandNames).map { "did you mean \($0)?" }
      ?? "the commands are \(commandNames.joined(separator: ", "))"
    throw UsageError(message: "'\(word)' is not a command (\(meant))", details: [])
  }

  /// Refuses file names that look like several one-letter flags. Otherwise `*.jpg` could match a file that the parser
  /// reads as `-h`.
  private static func checkDashes() throws {
    let flags = Set("dhjor")
    for (before, word) in zip(LaunchArguments.texts, LaunchArguments.texts.dropFirst()) {
      if word == "--" { return }
      // In -o=file only the letter is a flag.
      if word.dropFirst().firstIndex(of: "=") == word.index(word.startIndex, offsetBy: 2, limitedBy: word.endIndex) {
        continue
      }
      guard word.count > 2, word.hasPrefix("-"), !word.hasPrefix("--"), !word.dropFirst().allSatisfy(flags.contains),
        word.contains("h") || !before.hasPrefix("-"), !(word.dropFirst().first!.isNumber || word.hasPrefix("-."))
      else { continue }
      throw UsageError(message: "'\(word)' begins with a dash like an option (write ./\(word) for a file)", details: [])
    }
  }
}
