/// The run of the latest report of an output folder, by which `facecrop-server --review` finds its files and can run it
/// again for single inputs. All paths are absolute. The command writes it.
public struct ReportRecord: Decodable, Sendable {
  /// The file's name in the output folder. It is hidden, so that no run takes it as an input.
  public static let name = ".facecrop-report.json"
  public static let format = "facecrop-report"
  public static let currentVersion = 1

  public var format: String
  public var version: Int
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
}
