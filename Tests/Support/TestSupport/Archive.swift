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

  /// Runs the script. Foundation's `Process` keeps some bytes of each run, which the sanitizer reports as a leak.
  private static func run(_ arguments: [String]) throws {
    let words = ([fixturePath("../archive")] + arguments).map { "'\($0.replacingOccurrences(of: "'", with: "'\\''"))'" }
    let status = unsafe system(words.joined(separator: " "))
    guard status == 0 else {
      throw FixtureError("Tests/archive \(arguments.joined(separator: " ")) ended with \(status >> 8)")
    }
  }
}
