import Foundation

/// A folder for one test. Use ``with(_:)``, which always removes it. A `deinit` could remove it after its last use,
/// which may be before the test's end.
public struct TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    path = NSTemporaryDirectory() + "facecrop-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  public static func with<Result>(_ body: (TemporaryFolder) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try body(folder)
  }

  public static func with<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder)
  }

  public func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a file in the folder.
  public static func / (folder: TemporaryFolder, name: String) -> String { folder.path + "/" + name }

  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: self / name))
    return self / name
  }

  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  public func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self / name)))
  }

  public func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  public func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: self / name)
  }

  /// Returns the names of all files in the folder, including hidden ones, sorted.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// Returns the permission bits of a file in the folder.
  public func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: self / name)
    return attributes[.posixPermissions] as? Int ?? -1
  }
}
