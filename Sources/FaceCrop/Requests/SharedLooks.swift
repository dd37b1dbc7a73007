import Synchronization

/// The recent and running detections of images. Equal concurrent detections run once, and the others wait for the
/// result.
final class SharedLooks: Sendable {
  /// The leader among equal detections. It runs, and the others wait for it.
  struct Lead: Sendable {
    fileprivate let looks: SharedLooks
    fileprivate let key: LookKey
    fileprivate let number: Int

    /// Runs `body`, which detects faces. The lead ends with it, or as soon as it is cancelled, because `body` may take
    /// time to stop.
    func during<Value: Sendable>(
      _ body: () async throws(FaceCropError) -> Value
    ) async throws(FaceCropError) -> Value {
      defer { end() }
      return try await withTaskCancellationHandler {
        do throws(FaceCropError) {
          return Result<Value, FaceCropError>.success(try await body())
        } catch {
          return .failure(error)
        }
      } onCancel: {
        end()
      }.get()
    }

    /// Resumes the others with the result. Without one, because the detection failed or was abandoned, another becomes
    /// the leader. Only the first call counts.
    func end(_ found: Detection? = nil) {
      let waiting = looks.state.withLock { state in
        guard state.running[key]?.number == number else { return [Promise<Detection?>]() }
        if let found { state.kept.insert(found, for: key, cost: 1) }
        return state.running.removeValue(forKey: key)!.waiting
      }
      for promise in waiting { promise.keep(found) }
    }
  }

  enum Answer: Sendable {
    case known(Detection)
    case lead(Lead)
  }

  private struct State {
    var kept: LeastRecentlyUsed<LookKey, Detection>
    var running: [LookKey: Running] = [:]
    var nextNumber = 0
  }

  private struct Running {
    /// A number that distinguishes it from later runs.
    let number: Int
    var waiting: [Promise<Detection?>] = []
  }

  private let state: Mutex<State>

  /// Creates a cache for this number of detections.
  init(kept: Int) {
    state = Mutex(State(kept: LeastRecentlyUsed(budget: kept)))
  }

  var count: Int { state.withLock { $0.running.count } }

  /// Returns the cached or awaited detection, or else the lead. Throws a cancellation.
  func look(_ key: LookKey) async throws(FaceCropError) -> Answer {
    while !Task.isCancelled {
      let promise = Promise<Detection?>()
      let answer = state.withLock { state -> Answer? in
        if let known = state.kept.value(for: key) { return .known(known) }
        guard state.running[key] == nil else {
          state.running[key]!.waiting.append(promise)
          return nil
        }
        state.nextNumber += 1
        state.running[key] = Running(number: state.nextNumber)
        return .lead(Lead(looks: self, key: key, number: state.nextNumber))
      }
      if let answer { return answer }
      let found = await withTaskCancellationHandler {
        await promise.value
      } onCancel: {
        promise.keep(nil)
      }
      if let found { return .known(found) }
    }
    throw .cancelled
  }
}

/// Everything that determines the result of a detection.
struct LookKey: Hashable, Sendable {
  var asset: AssetVersion
  /// The orientation, because pixels as stored may be rotated.
  var version: ImageVersion
  /// The faces with heads, and those with exact landmarks; nil for none.
  var heads, exact: Framed?
  /// The sources of names, if the selection needs names.
  var names: RegionSources?
  var findsAttention: Bool
  var findsPossibleFaces: Bool
  var allowsDamage: Bool

  /// The faces that get regions.
  struct Framed: Hashable {
    var faces: FaceSelection
    var smallestFace: FaceHeight?
    var order: FaceOrder
  }

  /// Creates a key; nil if the request needs no detection.
  init?(_ request: ImageRequest, _ asset: AssetVersion) {
    guard case .faces(let faces) = request.options.crop else { return nil }
    self.asset = asset
    version = request.options.version
    let framed = Framed(faces: faces.search.faces, smallestFace: faces.search.smallestFace, order: faces.search.order)
    heads = faces.composition.needsHeads ? framed : nil
    exact = faces.composition.levelsEyes ? framed : nil
    names = faces.search.faces.needsNames ? faces.search.regions : nil
    findsAttention = faces.search.noFace == .attention
    findsPossibleFaces = faces.search.noFace == .maybe
    allowsDamage = faces.allowsDamage
  }
}
