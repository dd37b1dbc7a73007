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
    abstract: "Serve images cropped to the people in them, by URL.",
    usage: "facecrop-server [--config <file>] [--check] [--<setting> <value> ...]",
    discussion: """
      Settings come from the file, the environment and the command line; the last one wins. The file is YAML and uses \
      the names below. Environment variables have the prefix FACECROP_, capitals and underscores: FACECROP_LOG_LEVEL. \
      Commas separate several hosts, buckets or keys.

      EXAMPLES:
        facecrop-server --folder photos --unsafe
        facecrop-server --config server.yaml --check

      \(Setting.groups.map(\.text).joined(separator: "\n\n"))
      """,
    version: "0.1.0")

  @Option(help: ArgumentHelp("Read settings from a YAML file.", valueName: "file"))
  var config: String?
  @Flag(help: "Print the settings in use, and exit.")
  var check = false
  @Argument(parsing: .allUnrecognized, help: .hidden)
  var settings: [String] = []

  private static let admitsNobody =
    "every image request will be answered 403, because there is no key (set signing-key or thumbor-key, or pass --unsafe)"

  func run() async throws {
    let settings: Settings
    let server: Server
    let metrics = PrometheusMetrics(help: ServiceMetrics.help)
    do throws(Setting.Fault) {
      settings = try Settings(
        file: config, environment: ProcessInfo.processInfo.environment, arguments: self.settings)
      guard !check else {
        print(settings.yaml, terminator: "")
        if settings.admitsNobody { throw Setting.Fault(Self.admitsNobody) }
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
    if settings.admitsNobody { logger.warning("\(Self.admitsNobody)") }
    let application = server.application(address: .hostname(settings.host, port: settings.port), logger: logger)

    var group = ServiceGroupConfiguration(
      services: [HeapTrimmer(), application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = settings.bodyTimeout + settings.deadline + .seconds(5)
    try await ServiceGroup(configuration: group).run()
  }
}

extension Setting.Group {
  /// In the help.
  fileprivate var text: String {
    "\(title.uppercased()):\n\(settings.map(\.line).joined(separator: "\n"))"
  }
}

extension Setting {
  /// In the help.
  fileprivate var line: String {
    let text = isSecret ? "" : text(Settings())
    return "  --\(name)\n      \(help)\(text.isEmpty ? "" : " (default: \(text))")"
  }
}
