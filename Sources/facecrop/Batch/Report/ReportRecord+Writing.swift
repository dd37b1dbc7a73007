import FoundationEssentials
import Glibc
import SystemPackage

extension ReportRecord {
  /// Writes the record of a run into its output folder, unless a path or an argument is not UTF-8, which JSON cannot have.
  static func write(
    _ gate: WriteGate, page: FilePath, manifest: FilePath, outputs: FilePath, options: Fingerprint
  ) throws(FileError) {
    let directory = FilePath(FileManager.default.currentDirectoryPath)
    func text(_ path: FilePath) -> String? {
      let path = directory.pushing(path).lexicallyNormalized()
      return path.isText ? path.string : nil
    }
    let arguments = LaunchArguments.bytes.dropFirst()
    let words = arguments.compactMap { String(validating: $0, as: UTF8.self) }
    guard let page = text(page), let thumbnails = text(ReportPage.thumbnailFolder(of: FilePath(page))),
      let manifest = text(manifest), let outputs = text(outputs), words.count == arguments.count
    else { return }
    let record: JSONObject = [
      "format": format, "version": currentVersion, "page": page, "thumbnails": thumbnails, "manifest": manifest,
      "outputs": outputs, "directory": directory.string,
      "arguments": ReportPage.words(without: ["--plan-in", "--remake"], in: words), "options": options.text,
    ]
    let file = try OutputFile(
      FilePath(outputs).appending(name), gate: gate,
      replacing: .own(title: "the record of a facecrop report", option: "-d") { own($0) != nil })
    try file.commit(Array(JSONLines.safeLine(record).utf8))
  }

  /// Removes the record of a run with other options from an output folder, because a review would make outputs by these.
  /// Returns the page of the report, relative to the current folder if it is below it; nil if there is no such record.
  static func removeOutdated(in outputs: FilePath, options: Fingerprint) -> String? {
    let path = outputs.appending(name)
    guard let record = own(path), let former = record.options, former != options.text else { return nil }
    guard unsafe path.withPlatformString({ unsafe unlink($0) }) == 0 else { return nil }
    var page = FilePath(record.page)
    _ = page.removePrefix(FilePath(FileManager.default.currentDirectoryPath))
    return page.string
  }

  /// Reads a record; nil for other files.
  private static func own(_ path: FilePath) -> ReportRecord? {
    guard let bytes = try? Input.readToEnd(of: path, atMost: 1 << 20),
      let record = try? JSONDecoder().decode(ReportRecord.self, from: Data(bytes)), record.format == format
    else { return nil }
    return record
  }
}
