import Dispatch
import Foundation

/// The archives of small test files, which the script Tests/archive reads and writes.
public enum Archive {
  /// Unpacks an archive into a folder.
  public static func unpack(_ archive: String, into folder: TemporaryFolder) throws {
    try run(["unpack", archive, folder.path])
  }

  /// Replaces an archive by one of a folder's files.
  public static func pack(_ folder: TemporaryFolder, into archive: String) throws {
    try run(["pack", folder.path, archive])
  }

  private static func run(_ arguments: [String]) throws {
    let ended = DispatchSemaphore(value: 0)
    let script = Process()
    script.executableURL = URL(fileURLWithPath: fixturePath("../archive"))
    script.arguments = arguments
    script.terminationHandler = { _ in ended.signal() }
    try script.run()
    ended.wait()
    guard script.terminationStatus == 0 else {
      throw FixtureError("Tests/archive \(arguments.joined(separator: " ")) ended with \(script.terminationStatus)")
    }
  }
}
