public import ArgumentParser
import Hummingbird
public import Logging
import Metrics
import ServiceLifecycle

@main
struct ServiceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "AvatarService", abstract: "Answers POST /avatar with the square avatar of the largest face.")

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 takes any that is free.")
  var port = 8080
  @Option(help: "Pictures decoded at once (default: the processors).")
  var concurrency: Int?
  @Option(help: "Requests that may wait for that; one more is answered 429 (default: 16 for each decode at once).")
  var waiting: Int?
  @Option(help: "MiB that the pictures decoded at once may take.")
  var memory = Configuration().memory >> 20
  @Option(help: "MiB of all bodies held at once.")
  var bodyMemory = Configuration().bodyMemory >> 20
  @Option(help: "MiB of one body.")
  var maxBody = Configuration().bodyLimit >> 20
  @Option(help: "Million pixels of one picture.")
  var maxPixels = Configuration().pixels / 1_000_000
  @Option(help: "Connections at once.")
  var connections = Configuration().connections
  @Option(help: "Seconds for one answer, once the body is there.")
  var deadline = 10.0
  @Option(help: "Seconds for one body.")
  var bodyTimeout = 30.0
  @Option(help: "Seconds for one header, and between two pieces of a body.")
  var idleTimeout = 10.0
  @Option(help: "trace, debug, info, warning or error.")
  var logLevel = Logger.Level.info

  func validate() throws {
    let atLeastOne = [
      "concurrency": concurrency ?? 1, "memory": memory, "body-memory": bodyMemory, "max-body": maxBody,
      "max-pixels": maxPixels, "connections": connections,
    ]
    for (option, value) in atLeastOne where !(1...1 << 20).contains(value) {
      throw ValidationError("--\(option) is from 1 to \(1 << 20)")
    }
    guard (0...65_535).contains(port) else { throw ValidationError("--port is from 0 to 65535") }
    guard waiting ?? 0 >= 0 else { throw ValidationError("--waiting is at least 0") }
    for seconds in [deadline, bodyTimeout, idleTimeout] where !(0.001...86_400).contains(seconds) {
      throw ValidationError("a time is from 0.001 to 86400 seconds")
    }
  }

  func run() async throws {
    limitHeap()
    var logger = Logger(label: "avatar-service")
    logger.logLevel = logLevel
    let metrics = PrometheusMetrics(help: ServiceMetrics.help)
    MetricsSystem.bootstrap(metrics)
    let service = AvatarService(configuration: serviceConfiguration, metrics: metrics)
    let application = service.application(address: .hostname(host, port: port), logger: logger)

    var group = ServiceGroupConfiguration(
      services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration =
      serviceConfiguration.bodyTimeout + serviceConfiguration.deadline + .seconds(5)
    try await ServiceGroup(configuration: group).run()
  }

  private var serviceConfiguration: Configuration {
    var configuration = Configuration()
    if let concurrency { configuration.concurrency = concurrency }
    configuration.waiting = waiting
    configuration.memory = memory << 20
    configuration.bodyMemory = bodyMemory << 20
    configuration.bodyLimit = maxBody << 20
    configuration.pixels = maxPixels * 1_000_000
    configuration.connections = connections
    configuration.deadline = .seconds(deadline)
    configuration.bodyTimeout = .seconds(bodyTimeout)
    configuration.idleTimeout = .seconds(idleTimeout)
    return configuration
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
