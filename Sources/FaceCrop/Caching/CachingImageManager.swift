internal import Synchronization

/// A manager that caches images in memory and on disk, and prepares images in advance.
///
/// ```swift
/// let manager = CachingImageManager(memoryBudget: 64 << 20, disk: try DiskCache(folder: "/var/cache/avatars"))
/// manager.startCaching(assets, targetSize: cell, contentMode: .aspectFill)
/// let picture = try await manager.image(for: assets[0], targetSize: cell, contentMode: .aspectFill)
/// ```
///
/// It caches final images, for equal requests for the same version of the asset. The least recently used images are
/// dropped first. Files with all frames of an animation are not cached, since their pixels are those of one frame.
public final class CachingImageManager: ImageRequesting {
  /// The manager that answers cache misses.
  public let manager: ImageManager
  /// The disk cache; nil for none.
  public let disk: DiskCache?
  private let memory: Mutex<LeastRecentlyUsed<RequestKey, ImageResponse>>
  private let counts = Mutex(Statistics())
  private let preparation = Mutex(PreparationQueue())

  /// Creates a caching manager.
  ///
  /// - Parameters:
  ///   - manager: The manager for cache misses. Default a new one.
  ///   - memoryBudget: The bytes of pixels in memory. Default 64 MiB.
  ///   - disk: The disk cache. Default nil, for none.
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
    _ request: ImageRequest, _ events: RequestEvents, count: (WritableKeyPath<Statistics, Int>) -> Void
  ) async throws(ImageRequestError) -> ImageResponse {
    try request.check()
    if Task.isCancelled { throw .image(.cancelled) }
    let asset = try ResolvedAsset(request.asset)
    if request.keepsFrames { return try await manager.response(to: request, asset, events) }
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
    // Previews are temporary, so they are not cached.
    if !response.isDegraded {
      keep(response, key)
      if let disk, let name { await disk.store(response, named: name) }
    }
    return response
  }

  /// Caches the pixels, from which every file format can be encoded.
  private func keep(_ response: ImageResponse, _ key: RequestKey) {
    var response = response
    response.file = nil
    memory.withLock { $0.insert(response, for: key, cost: response.byteCount) }
  }

  /// Counts of cached images and cache hits.
  public var statistics: Statistics {
    var statistics = counts.withLock { $0 }
    (statistics.images, statistics.bytes) = memory.withLock { ($0.count, $0.cost) }
    statistics.preparing = preparation.withLock { $0.count }
    return statistics
  }

  /// Counts at one moment.
  public struct Statistics: Hashable, Sendable {
    /// The images in memory.
    public var images = 0
    /// The bytes of the images in memory.
    public var bytes = 0
    /// The requests answered from memory, without those of the preparation.
    public var memoryHits = 0
    /// The requests answered from disk, without those of the preparation.
    public var diskHits = 0
    /// The unanswered requests of ``CachingImageManager/startCaching(_:targetSize:contentMode:options:)``.
    public var preparing = 0
  }

  // MARK: Preparation

  /// Prepares images in order, at low priority, with as many decodes at once as the manager allows. Failures are
  /// ignored; a later request tries again.
  public func startCaching(
    _ assets: [ImageAsset], targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) {
    let requests = Self.requests(assets, targetSize, contentMode, options)
    preparation.withLock { $0.add(requests) }
    prepareNext()
  }

  /// Stops the preparation of images, and drops them from memory. Pass the same arguments as at the start.
  public func stopCaching(
    _ assets: [ImageAsset], targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) {
    let requests = Self.requests(assets, targetSize, contentMode, options)
    for task in preparation.withLock({ $0.remove(requests) }) { task.cancel() }
    let keys = Set(requests.map { RequestKey($0, AssetVersion(id: $0.asset.id, page: $0.asset.page)).withoutEncoding })
    memory.withLock { $0.removeAll { keys.contains($0.ofAnyVersion) } }
    prepareNext()
  }

  /// Stops all preparation, and drops all images from memory. The disk cache keeps its images.
  public func stopCachingForAllAssets() {
    for task in preparation.withLock({ $0.removeAll() }) { task.cancel() }
    memory.withLock { $0.removeAll() }
  }

  private static func requests(
    _ assets: [ImageAsset], _ targetSize: PixelSize, _ contentMode: ContentMode, _ options: ImageRequestOptions
  ) -> [ImageRequest] {
    var options = options
    options.priority = .low
    // Invalid requests fail only when they are made.
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
          // A cancelled request may have been started again.
          if !Task.isCancelled {
            self.preparation.withLock { $0.running[request] = nil }
            self.prepareNext()
          }
        }
      }
    }
  }

  /// The requests to prepare.
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

    /// Removes requests, and returns the tasks to cancel outside the lock.
    mutating func remove(_ requests: [ImageRequest]) -> [Task<Void, Never>] {
      requests.compactMap { request in
        wanted.remove(request)
        return running.removeValue(forKey: request)
      }
    }

    /// Removes all requests, and returns the tasks to cancel outside the lock.
    mutating func removeAll() -> [Task<Void, Never>] {
      defer { self = PreparationQueue() }
      return Array(running.values)
    }
  }
}

extension RequestKey {
  /// The key without the version of the asset's file.
  fileprivate var ofAnyVersion: RequestKey {
    var key = self
    key.asset.file = nil
    return key
  }
}
