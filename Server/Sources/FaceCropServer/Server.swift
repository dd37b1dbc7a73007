import FaceCrop
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import SystemPackage

/// The server: its routes, and the rules for every connection.
struct Server: Sendable {
  let settings: Settings
  let manager: ImageManager
  let bodies: BodyMemory
  let metrics: ServiceMetrics
  let live: LiveSettings
  let connections: Connections
  let drain: Drain
  private let service: PictureService
  let results: ResultCache
  /// Bytes of recent pixels, for requests of the same region in another format. Responses are cached separately.
  private static let pixelBytes = 2 << 20
  private let fetcher: Fetcher
  /// The token of the pages: the setting, or a new one.
  let pageToken: String
  /// The batch under review; nil for none.
  private let desk: ReviewDesk?

  init(
    _ settings: Settings, metrics: PrometheusMetrics, detector: any FaceDetector = YuNetFaceDetector(),
    desk: ReviewDesk? = nil
  ) throws(SettingsError) {
    self.settings = settings
    self.desk = desk
    let isGiven = !settings.playgroundToken.isEmpty
    pageToken = isGiven ? settings.playgroundToken : Hexadecimal.text((0..<24).map { _ in UInt8.random(in: 0...255) })
    live = LiveSettings(settings)
    connections = Connections(limit: settings.connections, clientLimit: settings.mostOfClient)
    drain = Drain(time: settings.drainTime, connections: connections)
    results = try ResultCache(settings)
    var managing = settings.imageManager
    managing.detector = detector
    manager = ImageManager(configuration: managing)
    bodies = BodyMemory(budget: settings.bodyMemory)
    self.metrics = ServiceMetrics(exporter: metrics)
    // All images of one host, which gets half, can wait for a decode.
    fetcher = Fetcher(
      timeout: settings.fetchTimeout, limit: settings.bodyLimit, mostFetches: max(128, 2 * settings.mostWaiting))
    service = PictureService(
      settings: settings, pictures: CachingImageManager(manager: manager, memoryBudget: Self.pixelBytes),
      origins: Origins(settings, fetcher: fetcher),
      results: results, bodies: bodies)
  }

  func application(address: BindAddress, logger: Logger) -> some ApplicationProtocol {
    let settings = settings
    let exporter =
      settings.traceEndpoint.isEmpty
      ? nil : OTLPExporter(endpoint: settings.traceEndpoint, percent: settings.tracePercent, logger: logger)
    var application = Application(
      router: router(exporter), server: .http1(configuration: http),
      configuration: ApplicationConfiguration(
        address: address, serverName: "facecrop-server",
        availableConnectionsDelegate: Connections.Gate(connections: connections)),
      onServerRunning: { [drain] channel in
        drain.listens(on: channel)
        showPages(port: channel.localAddress?.port ?? settings.port)
      }, logger: logger)
    application.addServices(fetcher)
    if let exporter { application.addServices(exporter) }
    if let desk { application.addServices(desk) }
    return application
  }

  /// The rules for connections.
  var http: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionHandler(settings: settings, connections: connections)],
      idleTimeout: TimeAmount(settings.idleTimeout),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
  }

  /// The paths of the server's own URLs. The last two explain that the image is named in the query, and that the query
  /// begins with a question mark.
  private static let ownPaths: [RouterPath] = ["crop/**", "meta/**", "blur", "blur/**", "blur&*"]

  private func router(_ exporter: OTLPExporter?) -> Router<CallContext> {
    let router = Router(context: CallContext.self, options: .autoGenerateHeadEndpoints)
    router.add(
      middleware: RequestObserver(
        metrics: metrics, exporter: exporter, drain: drain, live: live,
        trustsForwardedFor: settings.trustForwardedFor))
    addState(to: router, "health") { "ok\n" }
    addState(to: router, "health/ready") { () async throws(ServiceError) in try await ready() }
    addState(to: router, "metrics", mediaType: PrometheusMetrics.mediaType) {
      metrics.update(manager.statistics, results.statistics, bodyBytes: bodies.held, connections: connections.count)
      return metrics.exporter.exposition
    }
    let limited = router.group().add(middleware: TokenBuckets(rate: settings.rate, burst: settings.burst))
    let keys = TokenBuckets(rate: settings.keyRate, burst: settings.keyBurst)
    let pictures = PictureRoute(live: live, service: service, keys: keys)
    for path in Self.ownPaths {
      limited.get(path, use: pictures.own)
      guard settings.uploads else { continue }
      limited.post(path, use: pictures.upload)
      limited.put(path, use: pictures.upload)
    }
    limited.post("purge", use: pictures.purge)
    addPages(to: limited)
    limited.get("**", use: pictures.others)
    refuseOtherMethods(limited)
    return router
  }

  /// Adds the playground and the review, behind one guard.
  private func addPages(to group: RouterGroup<CallContext>) {
    guard settings.playground || desk != nil else { return }
    let keeper = PlaygroundGuard(settings: live.value, token: pageToken)
    let pages = PageRoutes(guarded: group.group().add(middleware: keeper), open: group)
    let body = PageBody(live: live, bodies: bodies)
    SignIn(live: live, body: body, keeper: keeper).addRoutes(to: pages)
    if settings.playground { Playground(live: live, body: body).addRoutes(to: pages) }
    if let desk { Review(desk: desk, body: body).addRoutes(to: pages) }
  }

  /// Prints the URLs of the pages with a new token, which nobody else knows. The log, which others may read, has none.
  private func showPages(port: Int) {
    guard settings.playgroundToken.isEmpty else { return }
    let isAny = settings.host == "0.0.0.0" || settings.host == "::"
    let host = isAny ? "127.0.0.1" : settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    for page in (settings.playground ? ["/"] : []) + (desk == nil ? [] : ["/review"]) {
      let line = "Open http://\(host):\(port)\(page)?token=\(pageToken)\n"
      _ = try? FileDescriptor.standardOutput.writeAll(line.utf8)
    }
  }

  /// Adds a path that tells the server's state.
  private func addState(
    to router: Router<CallContext>, _ path: RouterPath, mediaType: String = "text/plain",
    _ text: @escaping @Sendable () async throws(ServiceError) -> String
  ) {
    router.get(path) { _, _ in Response.file(Array(try await text().utf8), mediaType) }
  }

  /// Responds 405 to methods that the paths of images and states do not support.
  private func refuseOtherMethods(_ group: RouterGroup<CallContext>) {
    let uploads: [HTTPRequest.Method] = settings.uploads ? [.post, .put] : []
    for path in Self.ownPaths { group.refuseMethods(but: [.get, .head] + uploads, at: path) }
    group.refuseMethods(but: [.post], at: "purge")
    let others: [RouterPath] = ["**", "health", "health/ready", "metrics"]
    for path in others { group.refuseMethods(but: [.get, .head], at: path) }
  }

  /// Returns whether a balancer may send requests. Throws while the queue is full, when no image could be served, and
  /// when the server is about to end.
  private func ready() async throws(ServiceError) -> String {
    guard !drain.isDraining else { throw .notReady("the server is about to end") }
    try manager.checkRoom(settings)
    guard !bodies.isFull else { throw .busy }
    let settings = live.value
    // Runs on another thread, since a folder on a hanging disk must not delay others.
    let faults = (try? await NIOThreadPool.singleton.runIfActive { settings.faults }) ?? []
    if let fault = faults.first { throw .notReady(fault) }
    return "ready\n"
  }
}
