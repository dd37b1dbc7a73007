import FoundationEssentials
import SystemPackage

extension ReportRecord {
  /// Creates a record; nil if a path or an argument is not UTF-8, which JSON cannot have.
  init?(page: FilePath, manifest: FilePath, outputs: FilePath, commandLine: [[UInt8]]) {
    let directory = FilePath(FileManager.default.currentDirectoryPath)
    func text(_ path: FilePath) -> String? {
      let path = directory.pushing(path).lexicallyNormalized()
      return path.isText ? path.string : nil
    }
    let words = commandLine.dropFirst().compactMap { String(validating: $0, as: UTF8.self) }
    guard let page = text(page), let thumbnails = text(ReportPage.thumbnailFolder(of: FilePath(page))),
      let manifest = text(manifest), let outputs = text(outputs), words.count == commandLine.count - 1
    else { return nil }
    self.init(
      page: page, thumbnails: thumbnails, manifest: manifest, outputs: outputs, directory: directory.string,
      arguments: ReportPage.words(without: ["--plan-in", "--remake"], in: words))
  }

  func write(_ gate: WriteGate) throws(FileError) {
    let path = FilePath(outputs).appending(Self.name)
    let file = try OutputFile(
      path, gate: gate, replacing: .own(title: "record of a facecrop report", option: "-d") { Self.isRecord($0) })
    try file.commit(Array(JSONLines.safeLine(self).utf8))
  }

  private static func isRecord(_ path: FilePath) -> Bool {
    guard let bytes = try? Input.readToEnd(of: path, atMost: 1 << 20),
      let record = try? JSONDecoder().decode(ReportRecord.self, from: Data(bytes))
    else { return false }
    return record.format == format
  }
}
