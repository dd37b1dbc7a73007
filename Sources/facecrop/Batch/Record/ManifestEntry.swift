import FaceCrop
import SystemPackage

/// One line of a manifest: an input, and what became of it.
struct ManifestEntry: Codable, Sendable {
  /// As it was named.
  var input: String
  /// The bytes of its name, where they are no UTF-8.
  var inputBase64: String?
  /// Of the file; nil where there is none that could be read.
  var bytes: Int?
  /// When it was changed last, in nanoseconds since 1970.
  var modified: Int?
  var status: Outcome.Status
  var reason: Outcome.Reason?
  var detector: String?
  /// In pixels, as displayed.
  var width: Int?
  var height: Int?
  var faces: [Face]?
  var regions: [NormalizedRect]?
  var outputs: [Outcome.Output]?
  var milliseconds: Outcome.Milliseconds?
  var warnings: [String]?
  /// Of what was asked for; see ``Fingerprint``.
  var options: String
  /// Whether nothing was written.
  var dryRun: Bool?

  init(_ input: FilePath, _ file: FileVersion?, _ outcome: Outcome, options: String, isDryRun: Bool) {
    self.input = input.string
    inputBase64 = input.base64
    bytes = file?.bytes
    modified = file?.modified
    status = outcome.status
    reason = outcome.reason
    detector = outcome.detector
    width = outcome.size?.width
    height = outcome.size?.height
    faces = outcome.faces
    regions = outcome.regions
    outputs = outcome.outputs.isEmpty ? nil : outcome.outputs
    milliseconds = outcome.milliseconds
    warnings = outcome.warnings.isEmpty ? nil : outcome.warnings
    self.options = options
    dryRun = isDryRun ? true : nil
  }

  var path: FilePath { FilePath(text: input, base64: inputBase64) }
  var file: FileVersion? {
    guard let bytes, let modified else { return nil }
    return FileVersion(bytes: bytes, modified: modified)
  }
}

/// By which an input that was changed is known.
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
