internal import FoundationEssentials
internal import Synchronization

/// Answers requests for pictures and parts of them, as many at once as the machine can bear.
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
/// Equal requests that run at the same time are one decode. Where a picture's faces are is kept, so that another size or
/// framing of them decodes only their region. Pictures are let in by what their headers say that they may take of memory. A decode that
/// does not end within 1.5 times its limit of time is given up: its place is another's, and the request fails.
/// Decoding runs on threads of its own, outside Swift's cooperative pool.
public final class ImageManager: ImageRequesting {
  /// What a manager may use; fixed when it is made.
  public struct Configuration: Sendable {
    /// Finds the faces. Default YuNet.
    public var detector: any FaceDetector
    /// What one picture may cost.
    public var limits: Limits
    /// How many pictures are decoded at once. Default: the processors that this process may use.
    public var maximumConcurrentDecodes: Int
    /// How many requests may wait for that, or to have their headers read, as many of which are read at once; one more ends
    /// with ``ImageRequestError/overloaded(waiting:)``. Default 256.
    public var maximumWaitingRequests: Int
    /// Bytes that all pictures that are decoded at once may take, by their headers; see ``ImageInfo/memory``. Default 512 MiB.
    public var memoryBudget: Int
    /// The deadline of a request that has none; nil lets it take its time, and ``Limits/time`` for the decoding. Default nil.
    public var deadline: Duration?
    /// How many looks are kept: about 1 KB each. Default 4,096.
    public var keptLooks: Int
    /// Fetches assets that are elsewhere. Default none.
    public var loader: (any AssetLoader)?

    /// By default for a service that has the machine to itself.
    public init(
      detector: any FaceDetector = YuNetFaceDetector(), limits: Limits = Limits(),
      maximumConcurrentDecodes: Int? = nil, maximumWaitingRequests: Int = 256, memoryBudget: Int = 512 << 20,
      deadline: Duration? = nil, keptLooks: Int = 4_096, loader: (any AssetLoader)? = nil
    ) {
      self.detector = detector
      self.limits = limits
      self.maximumConcurrentDecodes = maximumConcurrentDecodes ?? ProcessInfo.processInfo.activeProcessorCount
      self.maximumWaitingRequests = maximumWaitingRequests
      self.memoryBudget = memoryBudget
      self.deadline = deadline
      self.keptLooks = keptLooks
      self.loader = loader
    }
  }

  /// The configuration that it was made with.
  public let configuration: Configuration
  private let cropper: FaceCropper
  private let queue: DecodeQueue
  private let work = SharedWork<RequestKey>()
  private let looks: SharedLooks
  private let counts = Mutex(Counts())

  /// Loads nothing yet.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    cropper = FaceCropper(detector: configuration.detector, limits: configuration.limits)
    queue = DecodeQueue(
      places: configuration.maximumConcurrentDecodes, budget: configuration.memoryBudget,
      mostWaiting: configuration.maximumWaitingRequests)
    looks = SharedLooks(kept: configuration.keptLooks)
  }

  public func response(
    to request: ImageRequest, events: RequestEvents = RequestEvents()
  ) async throws(ImageRequestError) -> ImageResponse {
    try await response(to: request, ResolvedAsset(request.asset), events)
  }

  /// What is running and what was done since the manager was made.
  public var statistics: Statistics {
    let counts = counts.withLock { $0 }
    let load = queue.load
    let abandoned = queue.abandoned
    return Statistics(
      readingHeaders: load.headers, running: load.running, waiting: load.waiting, reservedBytes: load.bytes,
      requests: counts.requests,
      shared: counts.shared, decodes: counts.decodes, looks: counts.looks, cancelledDecodes: counts.cancelledDecodes,
      overloaded: counts.overloaded, abandoned: abandoned.total, abandonedRunning: abandoned.running)
  }

  /// Counts, all of one moment.
  public struct Statistics: Hashable, Sendable {
    /// Pictures whose headers are read now, to know what they may take; as many at once as are decoded at once.
    public var readingHeaders: Int
    /// Pictures that are decoded now.
    public var running: Int
    /// Requests that wait for either.
    public var waiting: Int
    /// Bytes that those that are decoded now may take.
    public var reservedBytes: Int
    /// All requests.
    public var requests: Int
    /// Those that found an equal one running.
    public var shared: Int
    /// Pictures opened to be decoded.
    public var decodes: Int
    /// Looks for faces among the decodes.
    public var looks: Int
    /// Decodes that ended because no one waited any more.
    public var cancelledDecodes: Int
    /// Refused because too many waited.
    public var overloaded: Int
    /// Decodes, and readings of headers, that did not end within 1.5 times their time, and whose places others got.
    public var abandoned: Int
    /// Those of them that still run. What they may take stays among the ``reservedBytes``.
    public var abandonedRunning: Int
  }

  private struct Counts {
    var requests = 0
    var shared = 0
    var decodes = 0
    var looks = 0
    var cancelledDecodes = 0
    var overloaded = 0
  }

  // MARK: Work

  /// Requests that are not answered yet, equal ones as one, and looks.
  var runningWork: Int { work.count + looks.count }

  func response(
    to request: ImageRequest, _ asset: ResolvedAsset, _ events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse {
    count(\.requests)
    try request.check()
    guard asset.source != nil || (request.options.isNetworkAccessAllowed && configuration.loader != nil) else {
      throw .networkAccessNotAllowed
    }
    return try await outcome(of: request, asset.version, events) { (reporter) async throws(ImageRequestError) in
      try await self.answer(request, asset, reporter)
    }
  }

  /// What equal work gives that runs already, or else `start`.
  private func outcome(
    of request: ImageRequest, _ version: AssetVersion, _ events: RequestEvents,
    _ start:
      @escaping @Sendable (SharedWork<RequestKey>.Reporter) async throws(ImageRequestError) -> ImageResponse
  ) async throws(ImageRequestError) -> ImageResponse {
    try await work.outcome(
      of: RequestKey(request, version), priority: request.options.priority,
      deadline: request.options.deadline ?? configuration.deadline, events: events,
      joined: { ticket in
        count(\.shared)
        queue.raise(ticket, to: request.options.priority)
      },
      start: { reporter in
        do throws(ImageRequestError) {
          return .success(try await start(reporter))
        } catch {
          if case .overloaded = error { self.count(\.overloaded) }
          return .failure(error)
        }
      }
    ).get()
  }

  /// Waits for its place, reads the header, waits for another, and decodes.
  private func answer(
    _ request: ImageRequest, _ asset: ResolvedAsset, _ reporter: SharedWork<RequestKey>.Reporter
  ) async throws(ImageRequestError) -> ImageResponse {
    let source: ImageSource
    var progress: @Sendable (CropProgress) -> Void = { reporter.progress($0) }
    if let here = asset.source {
      source = here
    } else {
      let overall = OverallProgress(phases: Set(CropProgress.Phase.allCases).subtracting([.encode]))
      progress = { reporter.progress($0.with(fraction: overall.fraction(after: $0))) }
      source = try await load(request.asset.id, progress)
    }
    return try await queue.run(
      reporter.ticket,
      weigh: { (place) async throws(ImageRequestError) in try await memory(for: request, source, place) }
    ) { (place) async throws(ImageRequestError) in
      try await decode(request, source, asset.version, place, reporter, progress)
    }
  }

  /// A response that was kept without a file, with the one that a request wants: encoded in the queue, like a decode.
  func encoded(
    _ kept: ImageResponse, for request: ImageRequest, _ version: AssetVersion, _ events: RequestEvents
  ) async throws(ImageRequestError) -> ImageResponse {
    guard let encoding = request.options.encoding else { return kept }
    return try await outcome(of: request, version, events) { (reporter) async throws(ImageRequestError) in
      try await self.queue.run(reporter.ticket, weight: kept.encodingBytes(encoding, limits: self.configuration.limits))
      {
        (place) async throws(ImageRequestError) in
        do throws(FaceCropError) {
          return try await Job.run(
            limits: self.configuration.limits, on: .unlimited, abandonment: place.abandonment,
            progress: { reporter.progress($0) }
          ) { (job) throws(FaceCropError) in try kept.with(encoding, job) }
        } catch {
          throw .picture(error)
        }
      }
    }
  }

  /// What an image's header says, read when there is a place in the queue for it.
  ///
  /// - Throws: Any ``ImageRequestError``; ``ImageRequestError/networkAccessNotAllowed`` for an asset that is elsewhere.
  public func info(of asset: ImageAsset) async throws(ImageRequestError) -> ImageInfo {
    guard let source = try ResolvedAsset(asset).source else { throw .networkAccessNotAllowed }
    return try await queue.weigh(DecodeQueue.Ticket(.normal)) { (place) async throws(ImageRequestError) in
      try await info(of: source, place)
    }
  }

  private func info(
    of source: ImageSource, _ place: DecodeQueue.Place
  ) async throws(ImageRequestError) -> ImageInfo {
    do {
      return try await cropper.info(of: source, on: .unlimited, abandonment: place.abandonment)
    } catch {
      throw .picture(error)
    }
  }

  private func decode(
    _ request: ImageRequest, _ source: ImageSource, _ version: AssetVersion, _ place: DecodeQueue.Place,
    _ reporter: SharedWork<RequestKey>.Reporter, _ progress: @escaping @Sendable (CropProgress) -> Void
  ) async throws(ImageRequestError) -> ImageResponse {
    var degraded: (@Sendable (ImageResponse) -> Void)?
    if reporter.wantsDegraded { degraded = { reporter.degraded($0) } }
    func answer(
      known: Detection? = nil, looked: @escaping @Sendable (Detection) -> Void = { _ in }
    ) async throws(FaceCropError) -> ImageResponse {
      try await cropper.answer(
        request, from: source, known: known, looked: looked, degraded: degraded, abandonment: place.abandonment,
        progress: progress)
    }

    count(\.decodes)
    do throws(FaceCropError) {
      guard let key = LookKey(request, version) else { return try await answer() }
      switch try await looks.look(key) {
      case .known(let look): return try await answer(known: look)
      case .lead(let lead):
        count(\.looks)
        // It is past the queue, and waits for no one: those that wait for it do not wait for ever.
        return try await lead.during { () async throws(FaceCropError) in
          try await answer(looked: { lead.end($0) })
        }
      }
    } catch {
      if error == .cancelled { count(\.cancelledDecodes) }
      throw .picture(error)
    }
  }

  private func memory(
    for request: ImageRequest, _ source: ImageSource, _ place: DecodeQueue.Place
  ) async throws(ImageRequestError) -> Int {
    let info = try await info(of: source, place)
    return info.memory(
      for: request.cropRequest, as: request.options.encoding?.output(for: info.format),
      encodedPixels: request.mostEncodedPixels)
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
    } catch let error as ImageRequestError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .loadingFailed("\(error)")
    }
  }

  private func count(_ what: WritableKeyPath<Counts, Int>) {
    counts.withLock { $0[keyPath: what] += 1 }
  }
}

/// What makes two requests equal: all that their answer depends on.
struct RequestKey: Hashable, Sendable {
  var asset: AssetVersion
  var targetSize: PixelSize
  var contentMode: ContentMode
  var crop: ImageCrop
  var resizeMode: ResizeMode
  var isFast: Bool
  var isEnlargingAllowed: Bool
  var isCutToTarget: Bool
  var version: ImageVersion
  var color: ColorPolicy
  var encoding: ImageEncoding?

  init(_ request: ImageRequest, _ asset: AssetVersion) {
    let options = request.options
    self.asset = asset
    targetSize = request.targetSize
    contentMode = request.contentMode
    crop = options.crop
    resizeMode = options.resizeMode
    isFast = options.deliveryMode == .fast
    isEnlargingAllowed = options.isEnlargingAllowed
    isCutToTarget = options.isCutToTarget
    version = options.version
    color = options.color
    encoding = options.encoding
  }

  /// The key of the pixels alone.
  var withoutEncoding: RequestKey {
    var key = self
    key.encoding = nil
    return key
  }
}
