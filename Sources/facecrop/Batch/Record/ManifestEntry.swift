import SystemPackage

/// One line of a manifest: an input, and what became of it.
struct ManifestEntry: Sendable {
  /// The input, and what was asked for.
  private struct Subject: Codable, Sendable {
    /// The input as it was named.
    var input: String
    /// The bytes of its name, where they are no UTF-8.
    var inputBase64: String?
    /// Where it is, from the manifest's folder; nil in manifests of older versions.
    var location: String?
    var locationBase64: String?
    /// Bytes of the file; nil where there is none that could be read.
    var bytes: Int?
    /// When it was changed last, in nanoseconds since 1970.
    var modified: Int?
    /// See ``Fingerprint``.
    var options: String
    /// What the plan is known by that was given, and applied instead of looking.
    var plan: String?
    /// What the frames of that plan go with; see ``Fingerprint/frame(of:)``.
    var frame: String?
    /// SHA-256 of the input that the plan was applied to.
    var content: String?
    /// Whether nothing was written.
    var dryRun: Bool?
    /// Whether it failed for the machine's sake, and not the picture's.
    var transient: Bool?
  }

  private let subject: Subject
  var outcome: Outcome

  /// A plan that was given, and applied instead of detecting faces.
  struct Given: Sendable {
    /// What the plan is known by.
    var plan: String
    /// See ``Fingerprint/frame(of:)``.
    var frame: String
    /// SHA-256 of the input; nil where it was not read.
    var content: String?
  }

  init(
    _ input: FilePath, location: FilePath, _ file: FileVersion?, _ outcome: Outcome, options: String,
    given: Given? = nil, isDryRun: Bool
  ) {
    subject = Subject(
      input: input.string, inputBase64: input.base64, location: location.string, locationBase64: location.base64,
      bytes: file?.bytes, modified: file?.modified, options: options, plan: given?.plan, frame: given?.frame,
      content: given?.content, dryRun: isDryRun ? true : nil, transient: outcome.isTransient ? true : nil)
    self.outcome = outcome
  }

  /// Where the input is, from the manifest's folder.
  func location(by locator: InputLocator) -> FilePath {
    guard let location = subject.location else { return locator.location(of: path) }
    return FilePath(text: location, base64: subject.locationBase64)
  }

  /// The input's name, for people.
  var name: String { subject.input }
  var path: FilePath { FilePath(text: subject.input, base64: subject.inputBase64) }
  var file: FileVersion? {
    guard let bytes = subject.bytes, let modified = subject.modified else { return nil }
    return FileVersion(bytes: bytes, modified: modified)
  }
  var options: String { subject.options }
  var plan: String? { subject.plan }
  var frame: String? { subject.frame }
  var content: String? { subject.content }
  var isDryRun: Bool { subject.dryRun ?? false }
  var isTransient: Bool { subject.transient ?? false }
}

/// One object, with the members of both.
extension ManifestEntry: Codable {
  init(from decoder: any Decoder) throws {
    subject = try Subject(from: decoder)
    outcome = try Outcome(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    try subject.encode(to: encoder)
    try outcome.encode(to: encoder)
  }
}

/// What an input that was changed is known by.
struct FileVersion: Hashable, Sendable {
  var bytes: Int
  var modified: Int

  init(bytes: Int, modified: Int) {
    self.bytes = bytes
    self.modified = modified
  }

  init(_ status: FileStatus) {
    self.init(bytes: status.bytes, modified: status.modified)
  }
}
