import Synchronization

/// Where the faces of pictures are: what was found lately, and what is being looked for. Of those that want to know the same,
/// one looks, and the others wait for what it finds.
final class SharedLooks: Sendable {
  /// The lead of those who want to know the same: it looks, and they wait for what it finds.
  struct Lead: Sendable {
    fileprivate let looks: SharedLooks
    fileprivate let key: LookKey
    fileprivate let number: Int

    /// Runs `body`, which looks. Ends with it, or as soon as it is cancelled: it may take its time to stop.
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

    /// Lets the others go on: with what was found or, if the look failed or was given up, one of them with the lead. Only the first
    /// end counts.
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
    /// Tells it from a later one.
    let number: Int
    var waiting: [Promise<Detection?>] = []
  }

  private let state: Mutex<State>

  /// - Parameter kept: how many looks.
  init(kept: Int) {
    state = Mutex(State(kept: LeastRecentlyUsed(budget: kept)))
  }

  /// Those that run.
  var count: Int { state.withLock { $0.running.count } }

  /// What is known, or what another one finds; or else the lead.
  ///
  /// - Throws: a cancellation.
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

/// What makes two looks equal: all that what they find depends on.
struct LookKey: Hashable, Sendable {
  var asset: AssetVersion
  /// What is stored may be turned.
  var version: ImageVersion
  /// The faces whose heads are found, and those whose landmarks are exact; nil for none.
  var heads, exact: Framed?
  var findsAttention: Bool
  var findsPossibleFaces: Bool
  var allowsDamage: Bool

  /// The faces that get regions.
  struct Framed: Hashable {
    var faces: FaceSelection
    var smallestFace: FaceHeight?
    var order: FaceOrder
  }

  /// Nil if the request needs no look.
  init?(_ request: ImageRequest, _ asset: AssetVersion) {
    guard case .faces(let faces) = request.options.crop else { return nil }
    self.asset = asset
    version = request.options.version
    let framed = Framed(faces: faces.search.faces, smallestFace: faces.search.smallestFace, order: faces.search.order)
    heads = faces.composition.needsHeads ? framed : nil
    exact = faces.composition.levelsEyes ? framed : nil
    findsAttention = faces.search.noFace == .attention
    findsPossibleFaces = faces.search.noFace == .maybe
    allowsDamage = faces.allowsDamage
  }
}
