import FaceCrop
import FoundationEssentials
import SystemPackage

/// A page that shows what a manifest records, and where frames are put right by hand: one file, which asks for nothing but the
/// thumbnails in the folder beside it, and the inputs.
struct ReportPage {
  /// The data that the page's script draws from.
  private struct Contents: Encodable {
    var manifest: String
    /// The folder, as a relative address with a slash at its end.
    var thumbnails: String
    /// How many outputs of each input are shown at most.
    var outputsShown = ThumbnailFolder.outputs
    /// The name of the file that changes are saved to.
    var plans = Self.plansName
    /// The command line that applies them.
    var command: String
    /// Whether that command removes outputs that are no more made.
    var prunes: Bool
    /// Width to height of the outputs; nil where it is theirs.
    var aspect: Double?
    /// Whether frames may reach out of the picture.
    var reachesOut: Bool
    var circle: Bool
    var entries: [Entry]

    static let plansName = "plans.ndjson"
  }

  private struct Entry: Encodable {
    struct Output: Encodable {
      var file: String
      var link: String
      var width: Int
      var height: Int
      /// Nil where no rules were looked at.
      var missedRules: [String]?
    }

    var input: String
    var inputBase64: String?
    /// Where the input is, from the manifest's folder.
    var location: String
    var locationBase64: String?
    /// Where the input is, from the page.
    var link: String
    var status: Outcome.Status
    var reason: Outcome.Reason?
    var detector: String?
    var width: Int?
    var height: Int?
    var faces: [Face]?
    var possibleFace: Face?
    var crops: [CropPlan.Crop]?
    /// The crop for each of the faces.
    var choices: [CropPlan.Crop]?
    /// A crop where there is none.
    var middle: CropPlan.Crop?
    /// Whether a plan was given that decided on the crops.
    var planned: Bool?
    var outputs: [Output]?
    /// How long each phase took.
    var milliseconds: [Double]?
    var warnings: [String]?
    /// What the names of its thumbnails begin with; nil when there are none.
    var thumbnail: String?
  }

  /// What is asked for of each picture.
  let request: CropRequest
  /// The run's, with the program's name.
  let commandLine: [String]
  private let manifest: FilePath
  private let locator: InputLocator
  private let folder: FilePath
  private let page: FilePath

  /// - Parameters:
  ///   - manifest: what is shown.
  ///   - folder: of the outputs.
  ///   - page: the file to write.
  init(
    of manifest: FilePath, outputsIn folder: FilePath, page: FilePath, request: CropRequest, commandLine: [String]
  ) {
    self.manifest = manifest
    locator = InputLocator(manifest: manifest)
    self.folder = folder
    self.page = page
    self.request = request
    self.commandLine = commandLine
  }

  /// `report-thumbnails` for `report.html`.
  static func thumbnailFolder(of page: FilePath) -> FilePath {
    page.folder.appending((page.stem ?? "report") + "-thumbnails")
  }

  /// Opens the page for writing; throws an error if the file in its place is not a report.
  func open(_ gate: WriteGate) throws(FileError) -> OutputFile {
    try OutputFile(
      page, gate: gate, replacing: .own(title: "facecrop report", option: "--report") { Self.isReport($0) })
  }

  /// Whether a file's beginning is a report's.
  private static func isReport(_ path: FilePath) -> Bool {
    guard let file = try? FileDescriptor.openAtOnce(path) else { return false }
    var bytes = [UInt8](repeating: 0, count: 1 << 10)
    let count = try? file.closeAfter { try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0) } }
    return String(decoding: bytes[..<(count ?? 0)], as: UTF8.self).contains("<title>facecrop batch report</title>")
  }

  func write(_ gate: WriteGate) throws(FileError) {
    let thumbnails = Self.thumbnailFolder(of: page)
    var order: [FilePath] = []
    var entries: [FilePath: ManifestEntry] = [:]
    try FileError.wrap(manifest.string) {
      try Manifest.read(manifest) { entry in
        let location = entry.location(by: locator)
        if entries.updateValue(entry, forKey: location) == nil { order.append(location) }
      }
    }
    let composition = request.composition
    let contents = Contents(
      manifest: manifest.string, thumbnails: RelativeAddress.text(to: thumbnails, from: page.folder) + "/",
      command: Self.command(applying: Contents.plansName, after: commandLine),
      prunes: commandLine.contains("--prune"),
      aspect: (composition.aspect ?? composition.framing?.aspect).map { $0.width / $0.height },
      reachesOut: composition.edge == .pad, circle: request.output.shape == .circle,
      entries: order.map { shown(entries[$0]!, at: $0, thumbnails) })
    guard let data = try? JSONLines.line(contents) else {
      throw FileError(page.string, "write failed: the manifest has numbers that are not finite")
    }
    try open(gate).commit(Array(Self.page(with: data).utf8))
  }

  /// The page's parts put together.
  private static func page(with data: String) -> String {
    func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }
    let scripts = [
      PackageResources.page_js, PackageResources.frames_js, PackageResources.changes_js, PackageResources.list_js,
      PackageResources.editor_js,
    ]
    return text(PackageResources.report_html)
      .replacing("@STYLE@", with: text(PackageResources.report_css))
      .replacing("@SCRIPT@", with: scripts.map(text).joined(separator: "\n"))
      // Last, as a name may have any words. What looks like the end of the script would be it.
      .replacing("@DATA@", with: data.replacing("<", with: "\\u003c"))
  }

  /// The run's command line with other plans: what they do not name is passed over, as it is done.
  static func command(applying plans: String, after commandLine: [String]) -> String {
    var words = ["facecrop"]
    var rest = commandLine.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--plan-in": rest = rest.dropFirst()
      case "--no-resume": break
      default: if !word.hasPrefix("--plan-in=") { words.append(word) }
      }
    }
    return ShellWords.text(words + ["--plan-in", plans])
  }

  private func shown(_ entry: ManifestEntry, at location: FilePath, _ thumbnails: FilePath) -> Entry {
    let outcome = entry.outcome
    let outputs = (outcome.outputs ?? []).filter { $0.sidecar != true }.map { output in
      Entry.Output(
        file: output.file, link: RelativeAddress.text(to: folder.pushing(output.path), from: page.folder),
        width: output.width ?? 0, height: output.height ?? 0, missedRules: output.missedRules)
    }
    let name = ThumbnailFolder.name(of: location)
    var shown = Entry(
      input: entry.name, inputBase64: entry.path.base64, location: location.string, locationBase64: location.base64,
      link: RelativeAddress.text(to: locator.path(of: location), from: page.folder),
      status: outcome.status, reason: outcome.reason, detector: outcome.detector, width: outcome.width,
      height: outcome.height, faces: outcome.faces, possibleFace: outcome.possibleFace,
      // An older version's manifest has the regions alone.
      crops: outcome.crops ?? outcome.regions?.map { CropPlan.Crop(region: $0, faces: []) },
      planned: entry.plan == nil ? nil : true, outputs: outputs.isEmpty ? nil : outputs,
      milliseconds: outcome.milliseconds.map { [$0.look, $0.detect, $0.render, $0.encode, $0.write] },
      warnings: outcome.warnings,
      thumbnail: FileStatus(thumbnails.appending("\(name).jpg")) == nil ? nil : name)
    guard outcome.status != .failed, let width = outcome.width, let height = outcome.height, width > 0, height > 0
    else {
      return shown
    }
    let size = PixelSize(width: width, height: height)
    let faces = outcome.faces ?? []
    if !faces.isEmpty { shown.choices = crops(for: faces, in: size, FaceSearch(faces: .each, order: .confidence)) }
    if (outcome.crops ?? []).isEmpty { shown.middle = crops(for: [], in: size, FaceSearch(noFace: .center))?.first }
    return shown
  }

  private func crops(for faces: [Face], in size: PixelSize, _ search: FaceSearch) -> [CropPlan.Crop]? {
    // A frame keeps its number when another face is chosen for it.
    (try? CropPlanner().crops(for: faces, in: size, search: search, composition: request.composition))?.map { crop in
      var crop = crop
      crop.number = nil
      return crop
    }
  }
}
