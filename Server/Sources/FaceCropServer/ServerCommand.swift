import ArgumentParser
import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "facecrop-server",
    abstract: "Answers URLs with pictures that are cropped to the people in them.",
    usage: "facecrop-server [--config <file>] [--check] [--<setting> <value> ...]",
    discussion: """
      Settings are read from the file, then from the environment, then from the command line; what comes later holds. \
      In the file (YAML) they have these names, in the environment FACECROP_ before them, in capitals and with underscores.

      SETTINGS:
      \(Setting.all.map(\.line).joined(separator: "\n"))
      """,
    version: "0.1.0")

  @Option(help: "A file of settings, YAML.")
  var config: String?
  @Flag(help: "Print the settings that hold, and end.")
  var check = false
  @Argument(parsing: .allUnrecognized, help: .hidden)
  var settings: [String] = []

  func run() async throws {
    let settings: Settings
    let server: Server
    let metrics = PrometheusMetrics(help: ServiceMetrics.help)
    do throws(Setting.Fault) {
      settings = try Settings(
        file: config, environment: ProcessInfo.processInfo.environment, arguments: self.settings)
      guard !check else {
        print(settings.yaml, terminator: "")
        return
      }
      server = try Server(settings, metrics: metrics)
    } catch {
      throw ValidationError(error.description)
    }
    limitHeap()
    MetricsSystem.bootstrap(metrics)
    if settings.logFormat == .json { LoggingSystem.bootstrap { _ in JSONLogHandler() } }
    var logger = Logger(label: "facecrop-server")
    logger.logLevel = settings.logLevel
    let application = server.application(address: .hostname(settings.host, port: settings.port), logger: logger)

    var group = ServiceGroupConfiguration(
      services: [HeapTrimmer(), application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = settings.bodyTimeout + settings.deadline + .seconds(5)
    try await ServiceGroup(configuration: group).run()
  }
}

extension Setting {
  /// In the help.
  fileprivate var line: String {
    let text = isSecret ? "" : text(Settings())
    return "  --\(name)\n          \(help)\(text.isEmpty ? "" : " (default: \(text))")"
  }
}
