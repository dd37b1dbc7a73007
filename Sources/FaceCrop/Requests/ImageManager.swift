internal import FoundationEssentials
internal import Synchronization

/// A manager that answers requests for images and crops, with bounded concurrency and memory.
///
/// ```swift
/// let manager = ImageManager()
/// var options = ImageRequestOptions()
/// options.crop = .faces(framing: .avatar)
/// options.encoding = ImageEncoding(.jpeg(quality: 85))
/// let avatar = try await manager.image(
///   for: .file("portrait.jpg"), targetSize: PixelSize(width: 512, height: 512), options: options)
/// let jpeg = avatar.file!.bytes
/// ```
///
/// Equal concurrent requests share one decode. Face positions are cached, so that another size or framing decodes only
/// its region. Images are admitted by the memory that their headers predict. A decode that uses more than 10 ms of
/// processor time gives its slot to another one, and may be paused while others need the processors. If many large
/// photos arrive at once, the first ones therefore end later than alone. A decode that takes 1.5 times its time limit,
/// which includes pauses, is abandoned: its slot is freed, and the request fails. Decoding runs on its own threads,
/// outside Swift's cooperative pool.
public final class ImageManager: ImageRequesting {
  /// The resources of a manager, fixed at its creation.
  public struct Configuration: Sendable {
    /// The face detector. Default YuNet.
    public var detector: any FaceDetector = YuNetFaceDetector()
    /// The limits for each image. Default `Limits()`.
    public var limits = Limits()
    /// The number of images to decode at once, or of headers to read, 1 or more. Default the number of available
    /// processors.
    public var maximumConcurrentDecodes = ProcessInfo.processInfo.activeProcessorCount
    /// The upper bound of waiting requests. Another one fails with ``ImageRequestError/overloaded(waiting:)``. Default
    /// 256.
    ///
    /// Requests wait to decode, or to read their headers. An older request goes first in both.
    public var maximumWaitingRequests = 256
    /// The memory in bytes for all concurrent decodes, as their headers predict it; see ``ImageInfo/memory``. Default
    /// 512 MiB.
    public var memoryBudget = 512 << 20
    /// The deadline of requests without their own. Nil bounds only the decoding, by ``Limits/time``. Default nil.
    public var deadline: Duration?
    /// The number of cached detections, about 1 KB each. Default 4,096.
    public var keptDetections = 4_096
    /// The loader for remote assets. Default nil.
    public var loader: (any AssetLoader)?

    /// Creates a configuration; the defaults suit a service with a machine of its own.
    public init() {}
  }

  /// The configuration of this manager.
  public let configuration: Configuration
  let cropper: FaceCropper
  private let queue: DecodeQueue
  typealias Work<Key: Hashable & Sendable, Value: Sendable> = Coalescer<Key, Value, ImageRequestError>
  private let work = Work<RequestKey, ImageResponse>(cancelled: .cancelled)
  let blurring = Work<BlurKey, BlurredImage>(cancelled: .cancelled)
  let checking = Work<CheckKey, PhotoCheck>(cancelled: .cancelled)
  private let looks: SharedLooks
  private let counts = Mutex(Statistics())

  /// Creates a manager, without loading anything.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    cropper = FaceCropper(detector: configuration.detector, limits: configuration.limits)
    queue = DecodeQueue(
      places: configuration.maximumConcurrentDecodes, budget: configuration.memoryBudget,
      mostWaiting: configuration.maximumWaitingRequests)
    looks = SharedLooks(kept: configuration.keptDetections)
  }

  public func response(
    to request: ImageRequest, events: RequestEvents = RequestEvents()
  ) async throws(ImageRequestError) -> ImageResponse {
    try await response(to: request, ResolvedAsset(request.asset), events)
  }

  /// Counts of running and completed work since the manager was created.
  public var statistics: Statistics {
    var statistics = counts.withLock { $0 }
    (statistics.readingHeaders, statistics.running, statistics.waiting, statistics.reservedBytes) = queue.load
    (statistics.abandoned, statistics.abandonedRunning) = queue.abandoned
    statistics.long = queue.long
    return statistics
  }

  /// Counts at one moment.
  public struct Statistics: Hashable, Sendable {
    /// The headers being read.
    public var readingHeaders = 0
    /// The images being decoded.
    public var running = 0
    /// The requests that wait to read a header or to decode.
    public var waiting = 0
    /// The bytes reserved for running decodes.
    public var reservedBytes = 0
    /// The requests in total.
    public var requests = 0
    /// The requests that joined an equal one.
    public var shared = 0
    /// The decodes in total.
    public var decodes = 0
    /// The detection passes among the decodes.
    public var detections = 0
    /// The decodes that ended because no request waited for them.
    public var cancelledDecodes = 0
    /// The requests refused because too many were waiting.
    public var overloaded = 0
    /// The running decodes and header readings that gave up their slots because they take long. Some are paused.
    public var long = 0
    /// The abandoned decodes and header readings, which took 1.5 times their time and lost their slots.
    public var abandoned = 0
    /// The abandoned ones that still run. Their memory remains in ``reservedBytes``.
    public var abandonedRunning = 0
  }

  // MARK: Work

  /// The unanswered requests, with equal ones counted once, and the running detections.
  var runningWork: Int { work.count + blurring.count + checking.count + looks.count }

  func response(
    to request: ImageRequest, _ asset: ResolvedAsset, _ events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse {
    count(\.requests)
    try request.check()
    try check(asset, isNetworkAccessAllowed: request.options.isNetworkAccessAllowed)
    return try await outcome(
      of: RequestKey(request, asset.version), in: work, request.options,
      events: .init(early: events.degraded, progress: events.progress)
    ) { (reporter) async throws(ImageRequestError) in
      try await self.answer(
        asset, reporter, encodes: request.options.encoding != nil,
        demand: { (info) throws(ImageRequestError) in try request.demand(of: info) }
      ) { (source, place, progress) async throws(FaceCropError) in
        try await self.decode(request, source, asset.version, place, reporter, progress)
      }
    }
  }

  /// Throws ``ImageRequestError/networkAccessNotAllowed`` if the asset has to be fetched, and may not be.
  func check(_ asset: ResolvedAsset, isNetworkAccessAllowed: Bool) throws(ImageRequestError) {
    guard asset.source != nil || (isNetworkAccessAllowed && configuration.loader != nil) else {
      throw .networkAccessNotAllowed
    }
  }

  /// Joins equal running work, or calls `start`.
  func outcome<Key, Value>(
    of key: Key, in work: Work<Key, Value>, _ options: ImageRequestOptions, events: Work<Key, Value>.Events,
    _ start: @escaping @Sendable (Work<Key, Value>.Reporter) async throws(ImageRequestError) -> Value
  ) async throws(ImageRequestError) -> Value {
    try await work.outcome(
      of: key, priority: options.priority,
      deadline: (options.deadline ?? configuration.deadline).map { ($0, .deadlineExceeded) }, events: events,
      joined: { ticket in
        count(\.shared)
        queue.raise(ticket, to: options.priority)
      },
      start: { (reporter) async throws(ImageRequestError) in
        do throws(ImageRequestError) {
          return try await start(reporter)
        } catch {
          if case .overloaded = error { self.count(\.overloaded) }
          throw error
        }
      }
    ).get()
  }

  /// Reads the header, and calls `decode`, each after waiting for a slot. `encodes` tells whether `decode` reports the
  /// phase of encoding, and `demand` returns what it may take.
  func answer<Key, Value>(
    _ asset: ResolvedAsset, _ reporter: Work<Key, Value>.Reporter, encodes: Bool,
    demand: (ImageInfo) throws(ImageRequestError) -> DecodeQueue.Demand,
    decode: (
      ImageSource, DecodeQueue.Place, @escaping @Sendable (CropProgress) -> Void
    ) async throws(FaceCropError) -> Value
  ) async throws(ImageRequestError) -> Value {
    var source: ImageSource
    var progress: @Sendable (CropProgress) -> Void = { reporter.progress($0) }
    if let here = asset.source {
      source = here
    } else {
      var phases = Set(CropProgress.Phase.allCases)
      if !encodes { phases.remove(.encode) }
      let overall = OverallProgress(phases: phases)
      progress = { reporter.progress($0.with(fraction: overall.fraction(after: $0))) }
      source = try await load(asset.version.id, progress)
      source.page = asset.version.page
    }
    return try await queue.run(
      reporter.ticket,
      weigh: { (place) async throws(ImageRequestError) in try demand(try await info(of: source, place)) }
    ) { (place) async throws(ImageRequestError) in
      count(\.decodes)
      do throws(FaceCropError) {
        return try await decode(source, place, progress)
      } catch {
        if error == .cancelled { count(\.cancelledDecodes) }
        throw .image(error)
      }
    }
  }

  /// Adds the requested file to a cached response. Encoding goes through the queue, like a decode.
  func encoded(
    _ kept: ImageResponse, for request: ImageRequest, _ version: AssetVersion, _ events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse {
    guard let encoding = request.options.encoding else { return kept }
    return try await outcome(
      of: RequestKey(request, version), in: work, request.options,
      events: .init(early: events.degraded, progress: events.progress)
    ) { (reporter) async throws(ImageRequestError) in
      let memory = kept.encodingBytes(encoding, limits: self.configuration.limits)
      return try await self.queue.run(reporter.ticket, DecodeQueue.Demand(memory: memory)) {
        (place) async throws(ImageRequestError) in
        do throws(FaceCropError) {
          return try await Job.run(
            limits: self.configuration.limits, on: .unlimited, admission: place.admission,
            progress: { reporter.progress($0) }
          ) { (job) throws(FaceCropError) in try kept.with(encoding, job) }
        } catch {
          throw .image(error)
        }
      }
    }
  }

  /// Reads an image's header, when the queue has a free slot.
  ///
  /// - Throws: Any ``ImageRequestError``; ``ImageRequestError/networkAccessNotAllowed`` for a remote asset.
  public func info(of asset: ImageAsset) async throws(ImageRequestError) -> ImageInfo {
    guard let source = try ResolvedAsset(asset).source else { throw .networkAccessNotAllowed }
    // The request that follows waits again.
    return try await queue.run(DecodeQueue.Ticket(.high), .header) { (place) async throws(ImageRequestError) in
      try await info(of: source, place)
    }
  }

  private func info(
    of source: ImageSource, _ place: DecodeQueue.Place
  ) async throws(ImageRequestError) -> ImageInfo {
    do {
      return try await cropper.info(of: source, on: .unlimited, admission: place.admission)
    } catch {
      throw .image(error)
    }
  }

  private func decode(
    _ request: ImageRequest, _ source: ImageSource, _ version: AssetVersion, _ place: DecodeQueue.Place,
    _ reporter: Work<RequestKey, ImageResponse>.Reporter, _ progress: @escaping @Sendable (CropProgress) -> Void
  ) async throws(FaceCropError) -> ImageResponse {
    var degraded: (@Sendable (ImageResponse) -> Void)?
    if reporter.wantsEarly { degraded = { reporter.early($0) } }
    return try await looking(LookKey(request, version)) { (known, looked) async throws(FaceCropError) in
      try await cropper.answer(
        request, from: source, known: known, looked: looked, degraded: degraded, admission: place.admission,
        progress: progress)
    }
  }

  /// Calls `body` with the cached or awaited detection. Without one, `body` detects faces, and passes them on early.
  /// The key is nil for a request without a detection.
  func looking<Value: Sendable>(
    _ key: LookKey?, _ body: (Detection?, @escaping @Sendable (Detection) -> Void) async throws(FaceCropError) -> Value
  ) async throws(FaceCropError) -> Value {
    guard let key else { return try await body(nil) { _ in } }
    // A leader has passed the queue and waits for nothing, so its followers cannot deadlock.
    return try await looks.during(key) { (known, looked) async throws(FaceCropError) in
      if known == nil { count(\.detections) }
      return try await body(known, looked)
    }
  }

  private func load(
    _ id: ImageAsset.ID, _ report: @escaping @Sendable (CropProgress) -> Void
  ) async throws(ImageRequestError) -> ImageSource {
    let progress = FetchProgress(report)
    do {
      let bytes = try await configuration.loader!.load(id, atMost: configuration.limits.fileBytes) {
        progress.note(received: $0, expected: $1)
      }
      progress.finish(bytes.count)
      return .bytes(bytes)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw error as? ImageRequestError ?? .loadingFailed("\(error)")
    }
  }

  func count(_ what: WritableKeyPath<Statistics, Int>) {
    counts.withLock { $0[keyPath: what] += 1 }
  }
}
