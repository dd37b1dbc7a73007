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
      let given = GivenOptions.launch
      let arguments = (GivenOptions.place == nil ? [] : [LaunchArguments.texts[1]]) + given.arguments
      if arguments == ["--version"] { print(Release.version) }
      try checkCommandName()
      try given.check()
      var command = try parsed(arguments.map { $0 == "--help-all" ? "--help" : $0 })
      if let note = given.note, !given.askForJSON, !given.has("worker") { Console.say("facecrop: \(note)") }
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

  /// Parses the arguments of the command that the first word names. The tree of all commands takes longer, so it reads
  /// only what the parser answers itself, such as a request for help.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let named = Facecrop.configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    guard let named, !GivenOptions.launch.asksTheParser else { return try Facecrop.parseAsRoot(arguments) }
    do {
      return try named.parseAsRoot(Array(arguments.dropFirst()))
    } catch {
      throw UsageError(message: oneLine(named.message(for: error)), details: [])
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
    // The parser would take a second to word an error that is not its own.
    let usage = error as? UsageError ?? (error as? ValidationError).map { UsageError(message: $0.message, details: []) }
    let status = usage == nil ? Facecrop.exitCode(for: error) : .validationFailure
    if let code = error as? ExitCode { end(code.rawValue) }
    if status == .success { print(Facecrop.fullMessage(for: error)) }
    guard status == .validationFailure else {
      Console.say("facecrop: \(Facecrop.message(for: error))")
      end(status.rawValue)
    }
    let message = usage?.message ?? oneLine(Facecrop.message(for: error))
    let details = usage.flatMap { $0.details.isEmpty ? nil : $0.details }
    if GivenOptions.launch.askForJSON {
      Console.emit(["event": "error", "kind": "usage", "message": message, "details": details])
    } else {
      let command = GivenOptions.place == nil ? "" : " \(LaunchArguments.texts[1])"
      Console.say("facecrop: \(message)")
      for line in details ?? [] { Console.say("  \(line)") }
      Console.say("Try 'facecrop\(command) --help'.")
    }
    end(status.rawValue)
  }

  /// Returns a message of the parser with its further lines in parentheses, or our own sentence in it.
  private static func oneLine(_ message: String) -> String {
    let message = ValueFault.sentence(in: message)
    let lines = message.split(separator: "\n").map { $0.drop { $0 == " " } }
    guard lines.count > 1, let fault = lines.first else { return message }
    let remedy = lines.dropFirst().joined(separator: " ")
    return "\(fault.hasSuffix(".") ? fault.dropLast() : fault) (\(remedy.prefix(1).lowercased())\(remedy.dropFirst()))"
  }

  /// Refuses a word in place of a command, which the parser would report as an extra file.
  private static func checkCommandName() throws {
    let words = LaunchArguments.texts.dropFirst()
    let commands = OptionFact.Places.commands.map(\.name)
    guard let word = words.first == "help" ? words.dropFirst().first : words.first, !word.hasPrefix("-"),
      word != "help", !commands.contains(word)
    else { return }
    let meant =
      NearestWord.to(word, of: commands).map { "did you mean \($0)?" }
      ?? "the commands are \(commands.joined(separator: ", "))"
    throw UsageError(message: "'\(word)' is not a command (\(meant))", details: [])
  }
}
