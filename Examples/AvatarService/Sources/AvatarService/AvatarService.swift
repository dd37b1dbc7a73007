import FaceCrop
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// The server: which routes there are, and what holds for every connection.
struct AvatarService: Sendable {
  let configuration: Configuration
  let manager: ImageManager
  let bodies: BodyMemory
  let metrics: ServiceMetrics

  init(
    configuration: Configuration, metrics: PrometheusMetrics, detector: any FaceDetector = YuNetFaceDetector()
  ) {
    self.configuration = configuration
    var managing = configuration.imageManager
    managing.detector = detector
    manager = ImageManager(configuration: managing)
    bodies = BodyMemory(budget: configuration.bodyMemory)
    self.metrics = ServiceMetrics(exporter: metrics)
  }

  func application(address: BindAddress, logger: Logger) -> some ApplicationProtocol {
    let configuration = configuration
    let http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionHandler(answerTimeout: TimeAmount(configuration.answerTimeout))],
      idleTimeout: TimeAmount(configuration.idleTimeout),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    return Application(
      router: router, server: .http1(configuration: http),
      configuration: ApplicationConfiguration(
        address: address, serverName: "avatar-service",
        availableConnectionsDelegate: .maximum(configuration.connections, logger: logger)),
      logger: logger)
  }

  private var router: Router<ServiceContext> {
    let router = Router(context: ServiceContext.self)
    router.add(middleware: RequestObserver(metrics: metrics))
    router.post("avatar", use: AvatarRoute(configuration: configuration, manager: manager, bodies: bodies).respond)
    router.get("health") { _, _ in "ok\n" }
    router.get("metrics") { _, _ in
      metrics.update(manager.statistics, bodyBytes: bodies.held)
      return Response(
        status: .ok, headers: [.contentType: PrometheusMetrics.contentType],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.exporter.exposition)))
    }
    return router
  }
}
