import FaceCrop
import Foundation

/// The corrections of a review, with the steps back and forward for each image. It is kept beside the plans.
struct ReviewHistory: Sendable {
  struct Frame: Codable, Hashable, Sendable {
    var crop: CropPlan.Crop
    var isRejected: Bool
  }

  /// The frames of an image; nil for those that the batch finds itself.
  typealias Frames = [Frame]?

  /// Frames as JSON, so that the bounds in bytes hold for the memory and for the file.
  struct Packed: Codable, Hashable, Sendable {
    private let json: [UInt8]?

    init(_ frames: Frames) { json = frames.flatMap { try? JSONLines.line($0) }.map { Array($0.utf8) } }
    init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(Frames.self)) }

    func encode(to encoder: any Encoder) throws { try frames.encode(to: encoder) }

    var frames: Frames { json.flatMap { try? JSONDecoder().decode([Frame].self, from: Data($0)) } }
    /// The size in bytes, with what the memory and the file need besides.
    var bytes: Int { (json?.count ?? 0) + 64 }
  }

  struct State: Codable, Sendable {
    /// The number of changes. A change must name this version, so that a tab replaces only a state that it has seen.
    var version = 0
    var current = Packed(nil)
    var undo: [Packed] = []
    var redo: [Packed] = []
    /// Whether the outputs are still to be made.
    var isPending = false
    /// The SHA-256 of the image.
    var content: String?
    /// The number of the change among all images.
    var order = 0

    var frames: Frames { current.frames }
    /// The crops of a plan; nil without one.
    var crops: [CropPlan.Crop]? { frames.map { $0.filter { !$0.isRejected }.map(\.crop) } }

    fileprivate var steps: Int { undo.count + redo.count }
    fileprivate var stepBytes: Int { undo.reduce(0) { $0 + $1.bytes } + redo.reduce(0) { $0 + $1.bytes } }
  }

  enum Step: String, Codable, Sendable {
    case undo, redo
  }

  static let name = ".facecrop-review.json"
  /// Upper bounds of the steps back of an image, and of all images.
  static let mostSteps = 50
  static let mostStepsOfAll = 5_000
  /// Upper bounds of the steps of all images, and of the corrections themselves, in bytes.
  static let mostStepBytes = 16 << 20
  static let mostBytes = 64 << 20

  /// By the images' names in ``ReviewData/keys``.
  private(set) var states: [String: State] = [:]
  private var order = 0

  /// The size of all corrections in bytes, without their steps.
  var bytes: Int { states.values.reduce(0) { $0 + $1.current.bytes } }

  /// Takes a change of an image; nothing if it has no effect.
  mutating func apply(_ change: Change, _ key: String) {
    switch change {
    // `before` are the frames of an image without any change.
    case .corrected(let frames, let before, let content):
      var state = states[key] ?? State(current: Packed(before), content: content)
      let packed = Packed(frames)
      guard state.current != packed else { return }
      state.undo = Array((state.undo + [state.current]).suffix(Self.mostSteps))
      state.redo = []
      state.current = packed
      note(state, key)
    case .stepped(let step):
      let (from, to) = step == .undo ? (\State.undo, \State.redo) : (\State.redo, \State.undo)
      guard var state = states[key], let frames = state[keyPath: from].popLast() else { return }
      state[keyPath: to].append(state.current)
      state.current = frames
      note(state, key)
    // An image whose file has other pixels now takes the batch's own frames. A step back gives it the correction.
    case .renewed(let content):
      guard var state = states[key] else { return }
      if state.current != Packed(nil) {
        state.undo = Array((state.undo + [state.current]).suffix(Self.mostSteps))
      }
      (state.redo, state.current, state.content) = ([], Packed(nil), content)
      note(state, key)
      states[key]?.isPending = false
    case .made(let version):
      if states[key]?.version == version { states[key]?.isPending = false }
    case .forgotten: states[key] = nil
    case .state(let state): put(state, key)
    }
  }

  private mutating func note(_ state: State, _ key: String) {
    order += 1
    var state = state
    (state.order, state.isPending) = (order, true)
    state.version += 1
    put(state, key)
    dropSteps(except: key)
  }

  private mutating func put(_ state: State, _ key: String) {
    states[key] = state
    order = max(order, state.order)
  }

  /// Drops the steps of the images that were changed longest ago, until the bounds hold.
  private mutating func dropSteps(except key: String) {
    var (steps, bytes) = states.values.reduce((0, 0)) { ($0.0 + $1.steps, $0.1 + $1.stepBytes) }
    var isBounded: Bool { steps <= Self.mostStepsOfAll && bytes <= Self.mostStepBytes }
    guard !isBounded else { return }
    for (old, state) in states.sorted(by: { $0.value.order < $1.value.order }) where old != key && state.steps > 0 {
      states[old]?.undo = []
      states[old]?.redo = []
      (steps, bytes) = (steps - state.steps, bytes - state.stepBytes)
      if isBounded { return }
    }
  }
}
