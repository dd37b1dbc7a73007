import FaceCrop
import FoundationEssentials
import SystemPackage

/// A page that shows what a manifest records: one file, which asks for nothing but the thumbnails in the folder beside it.
struct ReportPage {
  /// The data that the page's script draws from.
  private struct Contents: Encodable {
    var manifest: String
    /// The folder, as a relative address with a slash at its end.
    var thumbnails: String
    /// How many outputs of each input are shown at most.
    var outputsShown = ThumbnailFolder.outputs
    var entries: [Entry]
  }

  private struct Entry: Encodable {
    struct Output: Encodable {
      var file: String
      var link: String
      var width: Int
      var height: Int
    }

    var input: String
    var status: Outcome.Status
    var reason: Outcome.Reason?
    var width: Int?
    var height: Int?
    /// Left, top, width, height in fractions of the picture, and score.
    var faces: [[Double]]?
    var regions: [[Double]]?
    var outputs: [Output]?
    /// How long each phase took.
    var milliseconds: [Double]?
    var warnings: [String]?
    /// What the names of its thumbnails begin with; nil when there are none.
    var thumbnail: String?
  }

  private let manifest: FilePath
  private let folder: FilePath
  private let page: FilePath

  /// - Parameters:
  ///   - manifest: what is shown.
  ///   - folder: of the outputs.
  ///   - page: the file to write.
  init(of manifest: FilePath, outputsIn folder: FilePath, page: FilePath) {
    self.manifest = manifest
    self.folder = folder
    self.page = page
  }

  /// `report-thumbnails` for `report.html`.
  var thumbnailFolder: FilePath {
    page.folder.appending((page.stem ?? "report") + "-thumbnails")
  }

  func write() throws(FileError) {
    let thumbnails = thumbnailFolder
    var order: [FilePath] = []
    var entries: [FilePath: ManifestEntry] = [:]
    try FileError.wrap(manifest.string) {
      try Manifest.read(manifest) { entry in
        if entries.updateValue(entry, forKey: entry.path) == nil { order.append(entry.path) }
      }
    }
    let contents = Contents(
      manifest: manifest.string, thumbnails: RelativeAddress.text(to: thumbnails, from: page.folder) + "/",
      entries: order.map { shown(entries[$0]!, thumbnails) })
    guard let data = try? JSONLines.line(contents) else {
      throw FileError(page.string, "cannot be written: the manifest has numbers that are not finite")
    }
    // What looks like the end of the script would be it.
    let script = data.replacing("<", with: "\\u003c")
    let template = String(decoding: PackageResources.report_html, as: UTF8.self)
    try OutputFile(page, notReplacing: manifest).commit(Array(template.replacing("@DATA@", with: script).utf8))
  }

  private func shown(_ entry: ManifestEntry, _ thumbnails: FilePath) -> Entry {
    let outcome = entry.outcome
    let outputs = (outcome.outputs ?? []).map { output in
      Entry.Output(
        file: output.file, link: RelativeAddress.text(to: folder.pushing(output.path), from: page.folder),
        width: output.width ?? 0, height: output.height ?? 0)
    }
    let name = ThumbnailFolder.name(of: entry.path)
    return Entry(
      input: entry.name, status: outcome.status, reason: outcome.reason, width: outcome.width, height: outcome.height,
      faces: outcome.faces?.map { [$0.box.x, $0.box.y, $0.box.width, $0.box.height, $0.score].map(Self.rounded) },
      regions: outcome.regions?.map { [$0.x, $0.y, $0.width, $0.height].map(Self.rounded) },
      outputs: outputs.isEmpty ? nil : outputs,
      milliseconds: outcome.milliseconds.map { [$0.look, $0.detect, $0.render, $0.encode, $0.write] },
      warnings: outcome.warnings,
      thumbnail: FileStatus(thumbnails.appending("\(name).jpg")) == nil ? nil : name)
  }

  /// Finer than a thumbnail shows.
  private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}

/// Addresses in a page of files beside it.
enum RelativeAddress {
  /// The address of a file from a folder, with every byte that an address may not have as it is in percent form.
  static func text(to path: FilePath, from folder: FilePath) -> String {
    let to = Array(absolute(path).components)
    let from = Array(absolute(folder).components)
    let common = zip(to, from).prefix { $0 == $1 }.count
    let steps =
      Array(repeating: "..", count: from.count - common)
      + to[common...].map { encoded(FilePath(root: nil, [$0]).bytes) }
    return steps.isEmpty ? "." : steps.joined(separator: "/")
  }

  private static func absolute(_ path: FilePath) -> FilePath {
    FilePath(FileManager.default.currentDirectoryPath).pushing(path).lexicallyNormalized()
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
    return bytes.map { byte in
      if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
      return "%" + Hexadecimal.text([byte]).uppercased()
    }.joined()
  }
}
