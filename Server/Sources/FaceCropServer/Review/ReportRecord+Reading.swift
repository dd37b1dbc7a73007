import Foundation
import Glibc
import SystemPackage

extension ReportRecord {
  /// Reads the record of an output folder, and refuses one whose run cannot be repeated.
  init(of folder: String) throws(SettingsError) {
    let path = folder + "/" + Self.name
    guard let status = Self.status(of: path) else {
      throw SettingsError(
        "\(folder): the folder has no report of a batch (run the batch with --report report.html first)")
    }
    // Its arguments are run, and so must come from somebody whom this user trusts.
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & S_IWOTH == 0 else {
      throw SettingsError("\(path): the file belongs to another user, or all users may change it (run the batch again)")
    }
    guard status.st_size <= 16 << 20, let data = FileManager.default.contents(atPath: path),
      let record = try? JSONDecoder().decode(Self.self, from: data), record.format == Self.format,
      record.version == Self.currentVersion, record.arguments.first == "batch"
    else {
      throw SettingsError("\(path): the file is not a record of a report (run the batch again)")
    }
    // Links such as /proc/self/cwd lead to any folder in which the server is started.
    let paths = [record.outputs, record.page, record.thumbnails, record.manifest, record.directory]
    guard paths.allSatisfy(Self.isOrdinary), Self.isSame(folder, record.outputs), record.makesOnlyItsOutputs else {
      throw SettingsError("\(folder): the folder was moved or copied after its report (run the batch again)")
    }
    let words = zip(record.arguments, record.arguments.dropFirst())
    guard !words.contains(where: { $0 == ("--from-list", "-") }), !record.arguments.contains("--from-list=-") else {
      throw SettingsError(
        "\(folder): the batch read its inputs from standard input (run it again with a list in a file)")
    }
    self = record
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = status(of: path), let two = status(of: other) else { return false }
    return one.st_ino == two.st_ino && one.st_dev == two.st_dev
  }

  /// Returns whether a path is absolute, and no part of it leads through the system's own files, whose links differ for
  /// each process.
  private static func isOrdinary(_ path: String) -> Bool {
    guard path.hasPrefix("/"), let system = status(of: "/proc")?.st_dev else { return false }
    var rest = FilePath(path).components.reversed().map(\.string)
    var folder = FilePath("/")
    var links = 0
    while let part = rest.popLast() {
      if part == ".." {
        _ = folder.removeLastComponent()
        continue
      }
      folder.append(part)
      if status(of: folder.string)?.st_dev == system { return false }
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder.string) else { continue }
      links += 1
      guard links <= 40 else { return false }
      folder = target.hasPrefix("/") ? "/" : folder.removingLastComponent()
      rest += FilePath(target).components.reversed().map(\.string)
    }
    return true
  }

  /// Whether the arguments write outputs only into the record's own folder.
  private var makesOnlyItsOutputs: Bool {
    var named: [String] = []
    for (number, word) in arguments.enumerated() {
      if word == "--" { break }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let isShort = word.hasPrefix("-") && !word.hasPrefix("--")
      // Short options may be joined, as in -rd.
      guard isShort ? parts[0].dropFirst().contains("d") : parts[0] == "--output-dir" else { continue }
      named.append(parts.count > 1 ? String(parts[1]) : arguments.dropFirst(number + 1).first ?? "")
    }
    return !named.isEmpty && named.allSatisfy { Self.isSame($0.hasPrefix("/") ? $0 : directory + "/" + $0, outputs) }
  }

  private static func status(of path: String) -> stat? { try? unsafe Stat(path).rawValue }

  /// The identity of the report's page, which each run replaces; nil without a page.
  var pageVersion: String? {
    Self.status(of: page).map { "\($0.st_dev):\($0.st_ino):\($0.st_mtim.tv_sec).\($0.st_mtim.tv_nsec)" }
  }

  /// Whether the manifest was changed after the page was written.
  var isOutdated: Bool {
    guard let page = Self.status(of: page), let manifest = Self.status(of: manifest) else { return true }
    return (manifest.st_mtim.tv_sec, manifest.st_mtim.tv_nsec) > (page.st_mtim.tv_sec, page.st_mtim.tv_nsec)
  }

  /// Returns the bytes of the absolute path of a location, which is relative to the manifest's folder.
  func path(of location: String, _ base64: String?) -> [UInt8]? {
    let folder = URL(filePath: manifest).deletingLastPathComponent().resolvingSymlinksInPath().path
    let bytes = base64.map { Data(base64Encoded: $0) } ?? Data(location.utf8)
    guard let bytes, !bytes.isEmpty, !bytes.contains(0) else { return nil }
    var parts = folder.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
    for part in bytes.split(separator: UInt8(ascii: "/")) {
      switch String(decoding: part, as: UTF8.self) {
      case "..": _ = parts.popLast()
      case ".": break
      default: parts.append(Array(part))
      }
    }
    return parts.flatMap { [UInt8(ascii: "/")] + $0 }
  }
}
