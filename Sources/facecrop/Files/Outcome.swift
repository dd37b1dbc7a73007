import FaceCrop
import FoundationEssentials
import SystemPackage

/// The result of one image. The JSON form omits the last two properties.
struct Outcome: Codable, Sendable {
  /// The status of an input after the run.
  enum Status: String, Codable, CaseIterable, Sendable {
    /// Cropped to the requested faces.
    case cropped
    /// No face was found. `--no-face` determines the outputs, if there are any.
    case noFace = "no-face"
    case failed
    /// Skipped correctly, for example a file in a folder that is no image.
    case skipped
  }

  /// A file that was written.
  struct Output: Codable, Hashable, Sendable {
    /// The file's path relative to the output folder.
    var file: String
    /// The bytes of a name that is not UTF-8.
    var fileBase64: String?
    /// The width and height in pixels.
    var width: Int?
    var height: Int?
    var bytes: Int?
    /// The file's SHA-256 in hexadecimal digits.
    var sha256: String?
    /// True for the .xmp file of the output before it. Else nil.
    var sidecar: Bool?
    /// True if the region has fewer pixels than requested, else nil.
    var smaller: Bool?
    /// True if nothing was written, because a foreign or changed file has the name, or one that hides faces. Else nil.
    var kept: Bool?
    /// True if the file was changed by hand and kept, and the crop that it shows was rejected or removed. Else nil.
    var left: Bool?
    /// True if a foreign or changed file with the name was replaced, else nil.
    var replaced: Bool?
    /// True if faces are hidden in the file, else nil.
    var hidesFaces: Bool?
    /// The names of the preset's rules that it misses; nil if the preset has none.
    var missedRules: [String]?
    /// The confidence that its people are cut out well, 0…1; nil without a new background.
    var cutout: Double?
    /// The share of its area that lies outside the image and is filled, above 0 and up to 1; nil for none.
    var padded: Double?
    /// The index in ``Outcome/crops``.
    var crop: Int?
    /// The landmarks of its face, in pixels from the output's top left corner; nil for none or several faces.
    var landmarks: [[Double]]?
    /// The affine map from the image to an output of a template, in two rows of three; nil for other outputs. Positions
    /// count in pixels from the center of the top left one.
    var matrix: [Double]?

    var path: FilePath { FilePath(text: file, base64: fileBase64) }
  }

  /// The time of each phase.
  struct Milliseconds: Codable, Hashable, Sendable {
    var look = 0.0
    var detect = 0.0
    var render = 0.0
    var encode = 0.0
    var write = 0.0
  }

  var status: Status
  /// The reason for a status other than `cropped`.
  var reason: Fault?
  var detector: String?
  /// The image's width and height as displayed, in pixels.
  var width: Int?
  var height: Int?
  /// The clockwise rotation that makes the faces upright; nil for none.
  var rotation: QuarterTurn?
  /// The frame of an animation, from 0; nil for the first one.
  var animationFrame: Int?
  var faces: [Face]?
  /// The index of the person that every request for the largest face takes.
  var chosen: Int?
  /// False if the search for faces was cut short, else nil.
  var facesAreComplete: Bool?
  /// The possible face that was used in an image without a face.
  var possibleFace: Face?
  /// The source of the first crop's place.
  var origin: HeadOrigin?
  var regions: [NormalizedRect]?
  /// The crops as in a plan, with frames, rotations, and faces.
  var crops: [CropPlan.Crop]?
  /// The outputs; nil for none.
  var outputs: [Output]?
  var milliseconds: Milliseconds?
  /// The distinct warnings, and the kind of each; nil for none.
  private(set) var warnings: [String]?
  private(set) var warningKinds: [String]?
  /// The warnings of this run as data.
  private(set) var warningFaults: [Fault] = []
  /// The error of this run; nil for none.
  private(set) var obstacle: Obstacle?

  private enum CodingKeys: CodingKey {
    case status, reason, detector, width, height, rotation, animationFrame, faces, chosen, facesAreComplete,
      possibleFace, origin, regions, crops, outputs, milliseconds, warnings, warningKinds
  }

  init(_ status: Status) {
    self.status = status
  }

  /// The key in a decoder's `userInfo` that stands for ``Brief``.
  static let isBrief = CodingUserInfoKey(rawValue: "facecrop.brief")!

  /// The JSON form without detections and measurements, which take most of the time to read.
  struct Brief: Decodable {
    var status: Status
    var reason: Fault?
    var outputs: [Output]?
    var warningKinds: [String]?
    var faces: AnyValue?
  }

  /// Creates a result whose `faces` are empty if there are any.
  init(_ brief: Brief) {
    (status, reason, outputs, warningKinds) = (brief.status, brief.reason, brief.outputs, brief.warningKinds)
    faces = brief.faces.map { _ in [] }
  }

  init(_ obstacle: Obstacle) {
    status = obstacle.status
    reason = obstacle.reason
    if let file = obstacle.file {
      let effect = ["output", "name"].contains(file.kind) ? "no output was written" : "the image was not cropped"
      reason = Fault(file.kind, "\(effect): \(file)")
    }
    self.obstacle = obstacle
  }

  /// Whether the same image may succeed later.
  var isRetryable: Bool { obstacle?.isRetryable == true }

  init(_ error: any Error) { self.init(Obstacle(error)) }

  mutating func add(_ output: Output) { outputs = (outputs ?? []) + [output] }

  /// Adds the detection and the crops of a plan.
  mutating func describe(_ plan: CropPlan) {
    (width, height) = (plan.source.width, plan.source.height)
    rotation = plan.rotation == .none ? nil : plan.rotation
    animationFrame = plan.animationFrame == 0 ? nil : plan.animationFrame
    detector = plan.detector
    faces = plan.faces
    chosen = plan.chosen
    facesAreComplete = plan.facesAreComplete ? nil : false
    (possibleFace, origin) = (plan.possibleFace, plan.origin)
    crops = plan.crops
    regions = plan.crops.map(\.region)
  }

  mutating func warn(_ warning: CropWarning) {
    warn(Fault(warning))
    guard case .smaller(_, let made) = warning, let outputs else { return }
    for (index, output) in outputs.enumerated() where output.width == made.width && output.height == made.height {
      self.outputs?[index].smaller = true
    }
  }

  mutating func warn(_ fault: Fault) {
    guard warnings?.contains(fault.message) != true, reason?.message != fault.message else { return }
    warnings = (warnings ?? []) + [fault.message]
    warningKinds = (warningKinds ?? []) + [fault.kind]
    warningFaults.append(fault)
  }

  /// Notes that faces stay visible, in the output that shows the whole image. Without any face in the plan, found or
  /// given, the status says so.
  mutating func note(_ shortfall: BlurShortfall, of plan: CropPlan) {
    guard plan.faces.isEmpty && plan.crops.isEmpty else { return warn(Fault(shortfall)) }
    status = .noFace
    reason = Fault(shortfall)
    reason?.kind = FaceCropError.noFace.kind
  }

  /// Sets status and reason for a user's plan without crops.
  mutating func noteNoCrops(of plan: CropPlan, writes: Bool = true) {
    // A person rejected the outputs of a plan with faces.
    let isRejected = !plan.faces.isEmpty || plan.possibleFace != nil
    status = isRejected ? .skipped : .noFace
    reason = Fault(
      isRejected ? "rejected" : FaceCropError.noFace.kind,
      "the plan has no crops\(writes ? "; nothing was written" : "")")
  }
}

extension FilePath {
  /// Creates a path from JSON: text, and bytes for a name that is not UTF-8.
  init(text: String, base64: String?) {
    if let bytes = base64.flatMap({ Data(base64Encoded: $0) }) {
      self.init(bytes: Array(bytes))
    } else {
      self.init(text)
    }
  }

  /// The bytes of the path for JSON; nil if the text suffices.
  var base64: String? { isText ? nil : Data(bytes).base64EncodedString() }
}
