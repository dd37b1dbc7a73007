import ArgumentParser
import Foundation
import Hummingbird
import Logging
import Metrics
import NIOCore
import ServiceLifecycle
import SystemPackage

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "facecrop-server",
    abstract: "Serve images cropped to the people in them, by URL.",
    usage: "facecrop-server [--config <file>] [--check] [--<setting> <value> ...]",
    discussion: """
      Settings come from the file, the environment and the command line; the last one wins. The file is YAML and uses \
      the names below. Environment variables have the prefix FACECROP_, capitals and underscores: FACECROP_LOG_LEVEL. \
      Commas separate several hosts, buckets or keys.

      EXAMPLES:
        facecrop-server --folder photos --unsafe
        facecrop-server --review portraits
        facecrop-server --config server.yaml --check

      \(Setting.helpText)
      """,
    version: Release.version)

  @Option(help: ArgumentHelp("Read settings from a YAML file.", valueName: "file"))
  var config: String?
  @Flag(help: "Print the settings in use, and exit; with status 64 if no image could be served with them.")
  var check = false
  @Argument(parsing: .allUnrecognized, help: .hidden)
  var settings: [String] = []

  static func main() async {
    await main(Array(LaunchArguments.texts.dropFirst()))
  }

  func run() async throws {
    let (file, arguments) = (config, settings)
    let read = { @Sendable () throws(SettingsError) in
      try Settings(file: file, environment: ProcessInfo.processInfo.environment, arguments: arguments)
    }
    var settings: Settings
    let server: Server
    let descriptors = Descriptors.raiseLimit()
    let wanted: Int
    let metrics = PrometheusMetrics(help: ServiceMetrics.help)
    do throws(SettingsError) {
      settings = try read()
      if check {
        print(settings.yaml, terminator: "")
        for variable in settings.unknownVariables {
          let line = "Warning: \(DisplayText.text(variable)) is no setting (see --help)\n"
          FileHandle.standardError.write(Data(line.utf8))
        }
        if let fault = (settings.faults + settings.uselessSettings).first { throw SettingsError(fault) }
      }
      guard descriptors >= Descriptors.fewest else {
        throw SettingsError(
          "the limit of \(descriptors) file descriptors is too low"
            + " (raise it to \(Descriptors.fewest) or more with 'ulimit -n')")
      }
      wanted = settings.connections
      settings.connections = min(wanted, Descriptors.connections(within: descriptors))
      let environment = ProcessInfo.processInfo.environment
      guard !check else {
        if !settings.review.isEmpty { try ReviewDesk.check(settings.review, environment: environment) }
        try ResultCache.check(settings)
        guard (try? await Fetcher.address(of: settings.host, allowsPrivate: true)) != nil else {
          throw SettingsError(Self.unknown(settings.host))
        }
        return
      }
      let desk = try settings.review.isEmpty ? nil : ReviewDesk(settings.review, environment: environment)
      server = try Server(settings, metrics: metrics, desk: desk)
    } catch {
      throw ValidationError(error.description)
    }
    limitHeap()
    MetricsSystem.bootstrap(metrics)
    let format = settings.logFormat
    LoggingSystem.bootstrap { label in LineLogHandler(label: label, format: format) }
    var logger = Logger(label: "facecrop-server")
    logger.logLevel = settings.logLevel
    let application = server.application(address: .hostname(settings.host, port: settings.port), logger: logger)

    for variable in settings.unknownVariables {
      logger.warning("a variable is no setting (see --help)", metadata: ["variable": "\(variable)"])
    }
    for fault in settings.faults { logger.warning("the server is not ready", metadata: ["error": "\(fault)"]) }
    if settings.connections < wanted {
      logger.warning(
        "file descriptors limit the connections",
        metadata: ["connections": .stringConvertible(settings.connections), "limit": .stringConvertible(descriptors)])
    }
    let reloader = SettingsReloader(live: server.live, logger: logger, read: read)

    // Services end in the opposite order, so that clients first have time to leave.
    var group = ServiceGroupConfiguration(
      services: [HeapTrimmer(), application, reloader, server.drain], gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger)
    group.maximumGracefulShutdownDuration =
      settings.drainTime + max(settings.bodyTimeout, settings.fetchTimeout) + settings.deadline
      + settings.answerTimeout + .seconds(5)
    defer { LogQueue.standardError.flush() }
    do {
      try await ServiceGroup(configuration: group).run()
    } catch is SocketAddressError.UnknownHost {
      // No `ValidationError`: unlike wrong settings, the fault of this machine may pass.
      throw SettingsError(Self.unknown(settings.host))
    } catch let error as IOError {
      throw SettingsError(
        "\(settings.host):\(settings.port): the server cannot listen: \(Errno(rawValue: error.errnoCode))"
          + " (choose another host or port, or end the process that has it)")
    }
  }

  private static func unknown(_ host: String) -> String {
    "\(host): the address is unknown (set host to an address of this machine)"
  }
}

extension Setting {
  fileprivate static var helpText: String {
    groups.map { title, settings in "\(title.uppercased()):\n\(settings.map(\.line).joined(separator: "\n"))" }
      .joined(separator: "\n\n")
  }

  fileprivate var line: String {
    let text = isSecret ? "" : text(Settings())
    // The parser would wrap a longer line without its indent.
    var lines = [""]
    for word in (help + (text.isEmpty ? "" : " (default: \(text))")).split(separator: " ") {
      if lines[lines.count - 1].count + word.count > 73 { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return "  --\(name)\n" + lines.map { "      " + $0 }.joined(separator: "\n")
  }
}
