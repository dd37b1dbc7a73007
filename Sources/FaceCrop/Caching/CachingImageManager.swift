internal import Synchronization

/// Answers requests from memory and disk where it can, and has pictures made ready that will be asked for.
///
/// ```swift
/// let manager = CachingImageManager(memoryBudget: 64 << 20, disk: try DiskCache(folder: "/var/cache/avatars"))
/// manager.startCaching(assets, targetSize: cell, contentMode: .aspectFill)
/// let picture = try await manager.image(for: assets[0], targetSize: cell, contentMode: .aspectFill)
/// ```
///
/// Final pictures are kept, whoever asked for them, and are found again by equal requests for the same version of the asset.
/// Those that were not asked for longest go first.
public final class CachingImageManager: ImageRequesting {
  /// Makes what is not there.
  public let manager: ImageManager
  /// Where pictures are kept over runs; nil for nowhere.
  public let disk: DiskCache?
  private let memory: Mutex<LeastRecentlyUsed<RequestKey, ImageResponse>>
  private let counts = Mutex(Counts())
  private let preparation = Mutex(PreparationQueue())

  /// - Parameters:
  ///   - manager: Makes what is not there. Default one of its own.
  ///   - memoryBudget: Bytes of pixels in memory. Default 64 MiB.
  ///   - disk: Keeps pictures over runs. Default none.
  public init(manager: ImageManager = ImageManager(), memoryBudget: Int = 64 << 20, disk: DiskCache? = nil) {
    self.manager = manager
    self.disk = disk
    memory = Mutex(LeastRecentlyUsed(budget: memoryBudget))
  }

  public func response(
    to request: ImageRequest, events: RequestEvents = RequestEvents()
  ) async throws(ImageRequestError) -> ImageResponse {
    try await answer(request, events) { hit in counts.withLock { $0[keyPath: hit] += 1 } }
  }

  private func answer(
    _ request: ImageRequest, _ events: RequestEvents, count: (WritableKeyPath<Counts, Int>) -> Void
  ) async throws(ImageRequestError) -> ImageResponse {
    try request.check()
    let asset = try ResolvedAsset(request.asset)
    let key = RequestKey(request, asset.version).withoutEncoding
    if let response = memory.withLock({ $0.value(for: key) }) {
      count(\.memoryHits)
      return try await manager.encoded(response, for: request, asset.version, events)
    }
    let name = disk == nil ? nil : await DiskCache.name(of: key, asset, detector: manager.configuration.detector.name)
    if let disk, let name, let response = await disk.response(named: name) {
      count(\.diskHits)
      keep(response, key)
      return try await manager.encoded(response, for: request, asset.version, events)
    }
    let response = try await manager.response(to: request, asset, events)
    // A preview is what there was at that moment.
    if !response.isDegraded {
      keep(response, key)
      if let disk, let name { await disk.store(response, named: name) }
    }
    return response
  }

  /// Keeps the pixels, of which any file can be made.
  private func keep(_ response: ImageResponse, _ key: RequestKey) {
    var response = response
    response.file = nil
    memory.withLock { $0.insert(response, for: key, cost: response.byteCount) }
  }

  /// What is kept and was found.
  public var statistics: Statistics {
    let counts = counts.withLock { $0 }
    let (pictures, bytes) = memory.withLock { ($0.count, $0.cost) }
    return Statistics(
      pictures: pictures, bytes: bytes, memoryHits: counts.memoryHits, diskHits: counts.diskHits,
      preparing: preparation.withLock { $0.count })
  }

  /// Counts, all of one moment.
  public struct Statistics: Hashable, Sendable {
    /// Pictures in memory.
    public var pictures: Int
    /// Bytes of the pictures in memory.
    public var bytes: Int
    /// Requests answered from memory. What is made ready is not asked for, and does not count.
    public var memoryHits: Int
    /// Requests answered from disk, counted likewise.
    public var diskHits: Int
    /// Requests that ``CachingImageManager/startCaching(_:targetSize:contentMode:options:)`` has still to answer.
    public var preparing: Int
  }

  private struct Counts {
    var memoryHits = 0
    var diskHits = 0
  }

  // MARK: Preparation

  /// Has pictures made ready, in order, behind all that is asked for: at low priority, as many at once as are decoded at once.
  /// What fails is tried again when it is asked for.
  public func startCaching(
    _ assets: [ImageAsset], targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) {
    let requests = Self.requests(assets, targetSize, contentMode, options)
    preparation.withLock { $0.add(requests) }
    prepareNext()
  }

  /// Gives up what was to be made ready, and what was kept of it in memory. The same assets and options as when it was started.
  public func stopCaching(
    _ assets: [ImageAsset], targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) {
    let requests = Self.requests(assets, targetSize, contentMode, options)
    for task in preparation.withLock({ $0.remove(requests) }) { task.cancel() }
    let keys = Set(requests.map { RequestKey($0, AssetVersion(id: $0.asset.id)).withoutEncoding })
    memory.withLock { $0.removeAll { keys.contains($0.ofAnyVersion) } }
    prepareNext()
  }

  /// The same for all that was ever started, and all that is kept in memory. The disk's pictures stay.
  public func stopCachingForAllAssets() {
    for task in preparation.withLock({ $0.removeAll() }) { task.cancel() }
    memory.withLock { $0.removeAll() }
  }

  private static func requests(
    _ assets: [ImageAsset], _ targetSize: PixelSize, _ contentMode: ContentMode, _ options: ImageRequestOptions
  ) -> [ImageRequest] {
    var options = options
    options.priority = .low
    // One that makes no sense fails when it is asked for.
    return assets.map { ImageRequest($0, targetSize: targetSize, contentMode: contentMode, options: options) }
      .filter { (try? $0.check()) != nil }
  }

  private func prepareNext() {
    preparation.withLock { preparation in
      while preparation.running.count < max(manager.configuration.maximumConcurrentDecodes, 1),
        let request = preparation.next()
      {
        preparation.running[request] = Task {
          _ = try? await answer(request, RequestEvents()) { _ in }
          // One that was given up may have been started anew meanwhile.
          if !Task.isCancelled {
            self.preparation.withLock { $0.running[request] = nil }
            self.prepareNext()
          }
        }
      }
    }
  }

  /// What is to be made ready.
  private struct PreparationQueue {
    var running: [ImageRequest: Task<Void, Never>] = [:]
    private var waiting: [ImageRequest] = []
    private var wanted: Set<ImageRequest> = []

    var count: Int { running.count + wanted.count }

    mutating func add(_ requests: [ImageRequest]) {
      for request in requests where running[request] == nil && wanted.insert(request).inserted {
        waiting.append(request)
      }
    }

    mutating func next() -> ImageRequest? {
      while !waiting.isEmpty {
        let request = waiting.removeFirst()
        if wanted.remove(request) != nil { return request }
      }
      return nil
    }

    /// - Returns: what is to be cancelled, without the lock.
    mutating func remove(_ requests: [ImageRequest]) -> [Task<Void, Never>] {
      requests.compactMap { request in
        wanted.remove(request)
        return running.removeValue(forKey: request)
      }
    }

    /// The same of all.
    mutating func removeAll() -> [Task<Void, Never>] {
      defer { self = PreparationQueue() }
      return Array(running.values)
    }
  }
}

extension RequestKey {
  /// The same without the version of the asset's file.
  fileprivate var ofAnyVersion: RequestKey {
    var key = self
    key.asset.file = nil
    return key
  }
}
