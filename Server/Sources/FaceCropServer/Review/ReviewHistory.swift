import FaceCrop
import Foundation

/// The corrections of a review, with the steps back and forward for each image. It is kept beside the plans.
struct ReviewHistory: Codable, Sendable {
  struct Frame: Codable, Hashable, Sendable {
    var crop: CropPlan.Crop
    var isRejected: Bool
  }

  /// The frames of an image; nil for those that the batch finds itself.
  typealias Frames = [Frame]?

  struct State: Codable, Sendable {
    /// The number of changes. A change must name this version, so that a tab replaces only a state that it has seen.
    var version = 0
    var frames: Frames
    var undo: [Frames] = []
    var redo: [Frames] = []
    /// Whether the outputs are still to be made.
    var isPending = false
    /// The SHA-256 of the image.
    var content: String?
    /// The number of the change among all images.
    var order = 0

    /// The crops of a plan; nil without one.
    var crops: [CropPlan.Crop]? { frames.map { $0.filter { !$0.isRejected }.map(\.crop) } }
  }

  enum Step: String, Sendable {
    case undo, redo
  }

  static let name = ".facecrop-review.json"
  /// Upper bounds of the steps back of an image, and of all images.
  static let mostSteps = 50
  static let mostStepsOfAll = 5_000

  private var format = "facecrop-review"
  private var formatVersion = 1
  /// By the images' names in ``ReviewData/keys``.
  private(set) var states: [String: State] = [:]
  private var order = 0
  private var steps = 0

  init() {}

  /// Reads a history; nil if the file is not one.
  init?(_ data: Data) {
    guard let read = try? JSONDecoder().decode(Self.self, from: data), read.format == "facecrop-review",
      read.formatVersion == 1
    else { return nil }
    self = read
  }

  /// Adds a change of an image. `before` are the frames that it has without any.
  mutating func change(_ key: String, to frames: [Frame], before: Frames, content: String?) {
    var state = states[key] ?? State(frames: before, content: content)
    guard state.frames != frames else { return }
    steps -= state.undo.count + state.redo.count
    state.undo = Array((state.undo + [state.frames]).suffix(Self.mostSteps))
    state.redo = []
    state.frames = frames
    note(&state, key)
  }

  /// Takes a step; nothing if there is none.
  mutating func step(_ step: Step, _ key: String) {
    guard var state = states[key] else { return }
    let count = state.undo.count + state.redo.count
    switch step {
    case .undo:
      guard let frames = state.undo.popLast() else { return }
      state.redo.append(state.frames)
      state.frames = frames
    case .redo:
      guard let frames = state.redo.popLast() else { return }
      state.undo.append(state.frames)
      state.frames = frames
    }
    steps -= count
    note(&state, key)
  }

  private mutating func note(_ state: inout State, _ key: String) {
    order += 1
    (state.order, state.isPending) = (order, true)
    state.version += 1
    steps += state.undo.count + state.redo.count
    states[key] = state
    guard steps > Self.mostStepsOfAll else { return }
    // The steps of the images that were changed longest ago are dropped first.
    for (old, _) in states.sorted(by: { $0.value.order < $1.value.order }) where old != key {
      steps -= states[old]!.undo.count + states[old]!.redo.count
      (states[old]!.undo, states[old]!.redo) = ([], [])
      if steps <= Self.mostStepsOfAll { return }
    }
  }

  /// Notes that the outputs of a version were made.
  mutating func made(_ key: String, version: Int) {
    if states[key]?.version == version { states[key]?.isPending = false }
  }

  mutating func forget(_ key: String) {
    guard let state = states.removeValue(forKey: key) else { return }
    steps -= state.undo.count + state.redo.count
  }
}
