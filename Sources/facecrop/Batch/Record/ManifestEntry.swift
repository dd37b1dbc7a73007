import FaceCrop
import SystemPackage

/// A line of a manifest: an input and its result. The JSON form is one object with the members of both.
@dynamicMemberLookup
struct ManifestEntry: Codable, Sendable {
  /// The input and its options.
  struct Subject: Codable, Sendable {
    /// The input as named.
    var input: String
    /// The bytes of a name that is not UTF-8.
    var inputBase64: String?
    /// The path relative to the manifest's folder; nil in manifests of older versions.
    var location: String?
    var locationBase64: String?
    /// The size of the file in bytes; nil if it was unreadable.
    var bytes: Int?
    /// The time of the last change in nanoseconds since 1970.
    var modified: Int?
    /// See ``Fingerprint``.
    var options: String
    /// See ``AlgorithmRevision``; nil in manifests of older versions.
    var algorithm: Int?
    /// The identifier of a user's plan, applied without a detection pass.
    var plan: String?
    /// The fingerprint of the options for the plan's frames; see ``Fingerprint/frame(of:)``.
    var frame: String?
    /// True if the plan is as detection made it, so that nobody corrected it; else nil.
    var detected: Bool?
    /// The policy for animations that the plan was applied under; nil for other images.
    var animation: String?
    /// The identifier of the input's content; nil if no plan was applied, and none can be made from the report.
    var content: String?
    var dryRun: Bool?
    /// Whether the error is transient, so that the next run retries it.
    var transient: Bool?
    /// The limit that the image exceeded. The next run with a higher one retries it.
    var limit: ExceededLimit?
    /// The framing of `--series`; nil for none.
    var series: SeriesFraming?
    /// The measurement of `--best-of`; nil for none.
    var shot: Shot?
  }

  /// The measurement of a photo among others of the same moment.
  struct Shot: Codable, Sendable {
    var quality: ShotQuality
    /// See ``Fingerprint/search(_:page:)``.
    var search: String
  }

  private var subject: Subject
  var outcome: Outcome

  init(
    _ input: FilePath, location: FilePath, _ file: FileVersion?, _ outcome: Outcome, options: String, isDryRun: Bool
  ) {
    subject = Subject(
      input: input.string, inputBase64: input.base64, location: location.string, locationBase64: location.base64,
      bytes: file?.bytes, modified: file?.modified, options: options, algorithm: AlgorithmRevision.current,
      dryRun: isDryRun ? true : nil, transient: outcome.obstacle?.isTransient == true ? true : nil,
      limit: outcome.obstacle?.limit)
    self.outcome = outcome
  }

  /// Returns the path of the input relative to the manifest's folder.
  func location(by locator: InputLocator) -> FilePath {
    guard let location = subject.location else { return locator.location(of: path) }
    return FilePath(text: location, base64: subject.locationBase64)
  }

  var path: FilePath { FilePath(text: subject.input, base64: subject.inputBase64) }
  var file: FileVersion? {
    guard let bytes = subject.bytes, let modified = subject.modified else { return nil }
    return FileVersion(bytes: bytes, modified: modified)
  }
  /// Whether this version of facecrop finds faces and places frames like the one that made the entry.
  var isOfThisRevision: Bool { subject.algorithm == AlgorithmRevision.current }
  /// Whether a person made the plan.
  var isCorrected: Bool { subject.plan != nil && subject.detected != true }
  subscript<Value>(dynamicMember member: WritableKeyPath<Subject, Value>) -> Value {
    get { subject[keyPath: member] }
    set { subject[keyPath: member] = newValue }
  }
  /// Returns whether it has a result of a version of its file. A failure, such as that of a protected output, is none.
  func isResult(of version: FileVersion?) -> Bool { outcome.status != .failed && file == version }
  /// Whether its plan was refused as that of another image, so that the next run retries it.
  var hadOtherPlan: Bool { outcome.reason?.kind == "plan-mismatch" }
  /// The kind of reason of an entry whose image was recorded under another name later.
  static let moved = "moved"
  var isMoved: Bool { outcome.reason?.kind == Self.moved }

  init(from decoder: any Decoder) throws {
    subject = try Subject(from: decoder)
    let isBrief = decoder.userInfo[Outcome.isBrief] != nil
    outcome = try isBrief ? Outcome(Outcome.Brief(from: decoder)) : Outcome(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    try subject.encode(to: encoder)
    try outcome.encode(to: encoder)
  }
}

/// The head size and the eye line of all images under `--series`. Later runs keep those in the manifest.
struct SeriesFraming: Codable, Hashable, Sendable {
  var faceRatio: Double
  var eyeLine: Double
  /// The fingerprint of the options that place frames; see ``Fingerprint/frame(of:)``.
  var frame: String
}
