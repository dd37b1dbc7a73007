import SystemPackage

/// One line of a manifest: an input, and what became of it.
struct ManifestEntry: Sendable {
  /// The input, and what was asked for.
  private struct Subject: Codable, Sendable {
    /// The input as it was named.
    var input: String
    /// The bytes of its name, where they are no UTF-8.
    var inputBase64: String?
    /// Bytes of the file; nil where there is none that could be read.
    var bytes: Int?
    /// When it was changed last, in nanoseconds since 1970.
    var modified: Int?
    /// See ``Fingerprint``.
    var options: String
    /// What the plan is known by that was given, and applied instead of looking.
    var plan: String?
    /// Whether nothing was written.
    var dryRun: Bool?
    /// Whether it failed for the machine's sake, and not the picture's.
    var transient: Bool?
  }

  private let subject: Subject
  let outcome: Outcome

  init(
    _ input: FilePath, _ file: FileVersion?, _ outcome: Outcome, options: String, plan: String? = nil, isDryRun: Bool
  ) {
    subject = Subject(
      input: input.string, inputBase64: input.base64, bytes: file?.bytes, modified: file?.modified, options: options,
      plan: plan, dryRun: isDryRun ? true : nil, transient: outcome.isTransient ? true : nil)
    self.outcome = outcome
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
