import Foundation

/// A folder for one test. Use ``with(_:)``, which removes it whatever happens; a class that removed it in its `deinit`
/// would do so after its last use, which may be before the test's end.
struct TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "facecrop-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  static func with<Result>(_ body: (TemporaryFolder) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try body(folder)
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in it.
  static func / (folder: TemporaryFolder, name: String) -> String { folder.path + "/" + name }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: self / name))
    return self / name
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self / name)))
  }

  func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: self / name)
  }

  /// The names of all files in it, hidden ones too, in order.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// The permission bits of a file in it.
  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: self / name)
    return attributes[.posixPermissions] as? Int ?? -1
  }
}
