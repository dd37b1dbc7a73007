import FaceCrop
import SystemPackage

/// What became of one picture; as JSON, these members without the last three.
struct Outcome: Codable, Sendable {
  /// Each input has one in the end.
  enum Status: String, Codable, CaseIterable, Sendable {
    /// Cropped to its faces.
    case cropped
    /// Nothing to crop to was found; the outputs, if there are any, are what `--no-face` says.
    case noFace = "no-face"
    case failed
    /// Passed over, and rightly: found in a folder and no picture.
    case skipped
  }

  /// Why it is not `cropped`.
  struct Reason: Codable, Hashable, Sendable {
    /// A word for programs.
    var kind: String
    /// A clause that stands by itself and follows the input's name and a colon.
    var message: String
  }

  /// What keeps a picture from being worked on.
  struct Obstacle: Error, Sendable {
    var status: Status
    var reason: Reason
    /// Whether the same picture may pass at another time.
    var isRetryable: Bool
    /// Whether the machine, not the picture, is at fault.
    var isTransient: Bool

    static func failed(
      _ kind: String, _ message: String, isRetryable: Bool = false, isTransient: Bool = false
    ) -> Obstacle {
      Obstacle(
        status: .failed, reason: Reason(kind: kind, message: message), isRetryable: isRetryable,
        isTransient: isTransient)
    }

    init(_ error: FaceCropError) {
      self = .failed(error.kind, error.sentence, isRetryable: error.mayPass, isTransient: error.isOfTheMachine)
    }

    private init(status: Status, reason: Reason, isRetryable: Bool, isTransient: Bool) {
      self.status = status
      self.reason = reason
      self.isRetryable = isRetryable
      self.isTransient = isTransient
    }

    static func noFace(_ message: String) -> Obstacle {
      Obstacle(
        status: .noFace, reason: Reason(kind: FaceCropError.noFace.kind, message: message), isRetryable: false,
        isTransient: false)
    }

    static func skipped(_ kind: String, _ message: String) -> Obstacle {
      Obstacle(
        status: .skipped, reason: Reason(kind: kind, message: message), isRetryable: false, isTransient: false)
    }
  }

  /// One file that was written.
  struct Output: Codable, Hashable, Sendable {
    /// The file's path below the output folder.
    var file: String
    /// The bytes of its name, where they are no UTF-8.
    var fileBase64: String?
    /// The sides in pixels.
    var width: Int?
    var height: Int?
    var bytes: Int?
    /// The file's SHA-256 in hexadecimal digits.
    var sha256: String?
    /// True for the .xmp file of the output before it. Else nil.
    var sidecar: Bool?
    /// True if the region has fewer pixels than were asked for. Else nil.
    var smaller: Bool?
    /// True if nothing was written, since another file has the name, or the output was changed by others. Else nil.
    var kept: Bool?
    /// The names of the rules of the preset that it does not keep; nil where the preset has none.
    var missedRules: [String]?
    /// Which of ``Outcome/crops`` it shows, counted from 0.
    var crop: Int?
    /// The landmarks of its face, in pixels from the output's upper left corner; nil for none or several faces.
    var landmarks: [[Double]]?

    var path: FilePath { FilePath(text: file, base64: fileBase64) }
  }

  /// How long each phase took.
  struct Milliseconds: Codable, Hashable, Sendable {
    var look = 0.0
    var detect = 0.0
    var render = 0.0
    var encode = 0.0
    var write = 0.0
  }

  var status: Status
  var reason: Reason?
  var detector: String?
  /// The picture's sides as displayed, in pixels.
  var width: Int?
  var height: Int?
  var faces: [Face]?
  /// What was taken for a face where none was found.
  var possibleFace: Face?
  /// The regions of the crops.
  var regions: [NormalizedRect]?
  /// The crops as a plan has them: also where they reach out of the picture, how they are turned, and for whom they are.
  var crops: [CropPlan.Crop]?
  /// Nil when there are none.
  var outputs: [Output]?
  var milliseconds: Milliseconds?
  /// Nil when there are none, each once.
  private(set) var warnings: [String]?
  /// Whether it failed for the machine's sake, which lacks room, memory, a right or a model: the next run tries it again.
  private(set) var isTransient = false
  /// Whether the same picture may pass at another time.
  var isRetryable = false
  /// Whether there was no room for an output.
  var diskIsFull = false

  private enum CodingKeys: CodingKey {
    case status, reason, detector, width, height, faces, possibleFace, regions, crops, outputs, milliseconds, warnings
  }

  init(_ status: Status) {
    self.status = status
  }

  /// What a decoder's `userInfo` has for an outcome without what was seen and measured, which takes most of the time to read. `faces` is then
  /// empty where there are any.
  static let isBrief = CodingUserInfoKey(rawValue: "facecrop.brief")!

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decode(Status.self, forKey: .status)
    reason = try container.decodeIfPresent(Reason.self, forKey: .reason)
    outputs = try container.decodeIfPresent([Output].self, forKey: .outputs)
    guard decoder.userInfo[Self.isBrief] == nil else {
      faces = container.contains(.faces) ? [] : nil
      return
    }
    detector = try container.decodeIfPresent(String.self, forKey: .detector)
    width = try container.decodeIfPresent(Int.self, forKey: .width)
    height = try container.decodeIfPresent(Int.self, forKey: .height)
    faces = try container.decodeIfPresent([Face].self, forKey: .faces)
    possibleFace = try container.decodeIfPresent(Face.self, forKey: .possibleFace)
    regions = try container.decodeIfPresent([NormalizedRect].self, forKey: .regions)
    crops = try container.decodeIfPresent([CropPlan.Crop].self, forKey: .crops)
    milliseconds = try container.decodeIfPresent(Milliseconds.self, forKey: .milliseconds)
    warnings = try container.decodeIfPresent([String].self, forKey: .warnings)
  }

  init(_ obstacle: Obstacle) {
    status = obstacle.status
    reason = obstacle.reason
    isRetryable = obstacle.isRetryable
    isTransient = obstacle.isTransient
  }

  init(_ error: FaceCropError) {
    self.init(Obstacle(error))
  }

  init(_ error: FileError) {
    self.init(.failed(error.kind, "no output was written: \(error.file): \(error.message)"))
    isRetryable = error.cause != nil
    isTransient = isRetryable
    diskIsFull = error.isFullDisk
  }

  mutating func add(_ output: Output) { outputs = (outputs ?? []) + [output] }

  /// What was seen in the picture, and decided.
  mutating func describe(_ plan: CropPlan) {
    width = plan.source.width
    height = plan.source.height
    detector = plan.detector
    faces = plan.faces
    possibleFace = plan.possibleFace
    crops = plan.crops
    regions = plan.crops.map(\.region)
  }

  mutating func warn(_ warning: CropWarning) {
    warn(warning.sentence)
    guard case .smaller(_, let made) = warning, let outputs else { return }
    self.outputs = outputs.map { output in
      var output = output
      if output.width == made.width && output.height == made.height { output.smaller = true }
      return output
    }
  }

  mutating func warn(_ message: String) {
    if warnings?.contains(message) != true, reason?.message != message { warnings = (warnings ?? []) + [message] }
  }
}

extension FaceCropError {
  fileprivate var mayPass: Bool {
    switch self {
    case .outOfMemory, .overLimit(.time, _, _): true
    default: false
    }
  }

  /// Whether the same picture passes where nothing is missing.
  fileprivate var isOfTheMachine: Bool {
    switch self {
    case .outOfMemory, .modelMissing, .modelUnusable, .libraryMissing: true
    default: false
    }
  }
}

extension FilePath {
  /// A name as it is stored in JSON: as text, and where that has lost something, its bytes too.
  init(text: String, base64: String?) {
    if let bytes = base64.flatMap(Base64.decode) { self.init(bytes: bytes) } else { self.init(text) }
  }

  /// Nil where the text says all.
  var base64: String? { isText ? nil : Base64.encode(bytes) }
}
