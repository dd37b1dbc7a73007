/// The run of the latest report of an output folder, by which `facecrop-server --review` finds its files and can run it
/// again for single inputs. All paths are absolute.
///
/// The command and the server compile this file.
struct ReportRecord: Codable, Sendable {
  /// The file's name in the output folder. It is hidden, so that no run takes it as an input.
  static let name = ".facecrop-report.json"
  static let format = "facecrop-report"
  static let currentVersion = 1

  var format = Self.format
  var version = Self.currentVersion
  var page: String
  var thumbnails: String
  var manifest: String
  var outputs: String
  /// The folder in which the run was started.
  var directory: String
  /// The run's arguments without the program's name, plans, and inputs to make again.
  var arguments: [String]
  /// The fingerprint of the options for outputs; nil in records of earlier versions.
  var options: String?
}
