internal import Synchronization

/// The recent and running detections of images. Equal concurrent detections run once.
final class SharedLooks: Sendable {
  private let kept: Mutex<LeastRecentlyUsed<LookKey, Detection>>
  private let running = Coalescer<LookKey, Detection, FaceCropError>(cancelled: .cancelled)

  /// Creates a cache for this number of detections.
  init(kept: Int) { self.kept = Mutex(LeastRecentlyUsed(budget: kept)) }

  var count: Int { running.count }

  /// Calls `body` with the cached or awaited detection. Without one, `body` detects faces, and passes them on early.
  ///
  /// If it fails or is cancelled before, another caller becomes the leader.
  func during<Value: Sendable>(
    _ key: LookKey, _ body: (Detection?, @escaping @Sendable (Detection) -> Void) async throws(FaceCropError) -> Value
  ) async throws(FaceCropError) -> Value {
    while !Task.isCancelled {
      if let known = known(key) { return try await body(known) { _ in } }
      switch await running.role(for: key) {
      case .follows(.success(let found)): return try await body(found) { _ in }
      case .follows(.failure): continue
      case .leads(let lead):
        defer { lead.abandon() }
        // The previous leader may have ended since.
        if known(key) != nil { continue }
        // The lead ends as soon as it is cancelled, because `body` may take time to stop.
        return try await withTaskCancellationHandler {
          do throws(FaceCropError) {
            return Result<Value, FaceCropError>.success(
              try await body(nil) { found in
                self.kept.withLock { $0.insert(found, for: key, cost: 1) }
                lead.end(with: .success(found))
              })
          } catch {
            return .failure(error)
          }
        } onCancel: {
          lead.abandon()
        }.get()
      }
    }
    throw .cancelled
  }

  private func known(_ key: LookKey) -> Detection? { kept.withLock { $0.value(for: key) } }
}

/// Everything that determines the result of a detection.
struct LookKey: Hashable, Sendable {
  var asset: AssetVersion
  /// The orientation, because pixels as stored may be rotated.
  var version = ImageVersion.current
  /// The faces with heads, those with exact landmarks, and those with meshes; nil for none.
  var heads, exact, meshes: Framed?
  var areHeadsFine = true
  /// The sources of names, if the selection needs names.
  var names: RegionSources?
  var upright = UprightPolicy.off
  /// The frames of an animation; the choice of the best one depends on the faces that count.
  var animation = AnimationPolicy.first
  var framed: Framed?
  /// Whether the search may not end once one person is certain.
  var findsAll = true
  /// The fallback, if it needs more than a search for faces.
  var noFace: NoFacePolicy?
  var allowsDamage: Bool
  /// Whether the search misses few faces, to hide them.
  var isForBlur = false

  /// The faces that get regions.
  struct Framed: Hashable {
    var faces: FaceSelection
    var smallestFace: FaceHeight?
    var mostFaces: Int?
    var order: FaceOrder
  }

  /// Creates a key; nil if the request needs no detection.
  init?(_ request: ImageRequest, _ asset: AssetVersion) {
    guard case .faces(let faces) = request.options.crop else { return nil }
    self.asset = asset
    version = request.options.version
    let search = faces.search
    let framed = Framed(
      faces: search.faces, smallestFace: search.smallestFace, mostFaces: search.mostFaces, order: search.order)
    heads = faces.composition.needsHeads ? framed : nil
    areHeadsFine = faces.composition.needsFineHeads
    exact = faces.composition.needsExactLandmarks ? framed : nil
    meshes = search.findsMeshes ? framed : nil
    names = search.faces.needsNames ? search.regions : nil
    upright = search.upright
    animation = search.animation
    self.framed = animation == .best ? framed : nil
    findsAll = faces.needsAllFaces
    noFace = search.noFace == .attention || search.noFace.takesPossibleFaces ? search.noFace : nil
    allowsDamage = faces.allowsDamage
  }

  /// Creates the key of a search for faces to hide. It finds all faces with their heads, whichever are hidden.
  init(blur request: BlurRequest, in asset: AssetVersion) {
    self.asset = asset
    allowsDamage = request.allowsDamage
    isForBlur = true
  }
}
