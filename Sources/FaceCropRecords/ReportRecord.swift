/// The run of the latest report of an output folder, by which `facecrop-server --review` finds its files and can run it
/// again for single inputs. All paths are absolute.
public struct ReportRecord: Codable, Sendable {
  /// The file's name in the output folder. It is hidden, so that no run takes it as an input.
  public static let name = ".facecrop-report.json"
  public static let format = "facecrop-report"
  public static let currentVersion = 1

  public var format = Self.format
  public var version = Self.currentVersion
  public var page: String
  public var thumbnails: String
  public var manifest: String
  public var outputs: String
  /// The folder in which the run was started.
  public var directory: String
  /// The run's arguments without the program's name, plans, and inputs to make again.
  public var arguments: [String]
  /// The fingerprint of the options for outputs; nil in records of earlier versions.
  public var options: String?

  public init(
    page: String, thumbnails: String, manifest: String, outputs: String, directory: String, arguments: [String],
    options: String
  ) {
    (self.page, self.thumbnails, self.manifest, self.outputs) = (page, thumbnails, manifest, outputs)
    (self.directory, self.arguments, self.options) = (directory, arguments, options)
  }
}
