import FaceCrop
import FoundationEssentials
import SystemPackage

/// An HTML report of a manifest, in which users can correct frames. The page is one file, and loads only the thumbnails
/// in the folder beside it, and the inputs.
struct ReportPage {
  /// The data for the page's script.
  private struct Contents: Encodable {
    var manifest: String
    /// The folder as a relative address with a trailing slash.
    var thumbnails: String
    /// The number of outputs shown for each input.
    var outputsShown = ThumbnailFolder.outputs
    /// The name of the file for corrections.
    var plans = Self.plansName
    /// The command line that applies the corrections.
    var command: String
    /// Whether that command removes outdated outputs.
    var prunes: Bool
    /// The ratio of width to height of the outputs; nil for any.
    var aspect: Double?
    /// Whether frames may reach out of the image.
    var reachesOut: Bool
    /// Whether the run replaces backgrounds.
    var hasBackground: Bool
    /// Whether outputs are cut out of their files, so that nothing can be turned or replaced.
    var isLossless: Bool
    /// Whether frames are hidden areas of whole images.
    var hides: Bool
    var circle: Bool

    static let plansName = "plans.ndjson"
  }

  /// The request for each image.
  let request: CropRequest
  /// The request that hides faces in whole images; nil for crops.
  let hiding: Anonymization?
  /// The run's command line with the program's name.
  let commandLine: [String]
  private let manifest: FilePath
  private let locator: InputLocator
  private let folder: FilePath
  private let page: FilePath

  /// Creates a report of a manifest for outputs in `folder`, to write to `page`.
  init(
    of manifest: FilePath, outputsIn folder: FilePath, page: FilePath, request: CropRequest,
    hiding: Anonymization? = nil, commandLine: [String]
  ) {
    self.manifest = manifest
    locator = InputLocator(manifest: manifest)
    self.folder = folder
    self.page = page
    self.request = request
    self.hiding = hiding
    self.commandLine = commandLine
  }

  /// Returns `report-thumbnails` for `report.html`.
  static func thumbnailFolder(of page: FilePath) -> FilePath {
    page.folder.appending((page.stem ?? "report") + thumbnailsSuffix)
  }

  static let thumbnailsSuffix = "-thumbnails"

  /// Opens the page for writing; throws an error if the existing file is not a report.
  func open(_ gate: WriteGate) throws(FileError) -> OutputFile {
    try OutputFile(
      page, gate: gate, replacing: .own(title: "a facecrop report", option: "--report") { Self.isReport($0) },
      mayBeStream: false)
  }

  /// Returns whether a file starts like a report.
  static func isReport(_ path: FilePath) -> Bool {
    guard let file = try? FileDescriptor.openAtOnce(path) else { return false }
    var bytes = [UInt8](repeating: 0, count: 1 << 10)
    let count = try? file.closeAfter { try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0) } }
    return String(decoding: bytes[..<(count ?? 0)], as: UTF8.self).contains("<title>facecrop batch report</title>")
  }

  /// Writes the page. Images of earlier runs of which nothing is left are no longer shown; those in `current`, the
  /// locations of this run's inputs, always are.
  func write(_ gate: WriteGate, current: Set<FilePath>) throws(FileError) {
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
      aspect: hiding == nil ? composition.layout.aspect.map { $0.width / $0.height } : nil,
      reachesOut: composition.layout.edge == .pad, hasBackground: request.output.background != nil,
      isLossless: commandLine.contains("--lossless"), hides: hiding != nil, circle: request.output.shape == .circle)
    guard
      let data = try? Self.data(
        contents,
        order.lazy.filter { current.contains($0) || isLeft(entries[$0]!, at: $0) }
          .map { shown(entries[$0]!, at: $0, thumbnails) })
    else {
      throw FileError(page.string, "write failed: the manifest has numbers that are not finite")
    }
    try open(gate).commit(Array(Self.page(with: data).utf8))
  }

  /// Returns one JSON object, with each of its `entries` on a line of its own. facecrop-server reads only the lines that
  /// it needs.
  private static func data(_ contents: Contents, _ entries: some Sequence<ReportEntry>) throws -> String {
    let head = try JSONLines.line(contents).dropLast(2)
    let lines = try entries.map { try JSONLines.line($0).dropLast() }
    return head + ",\"entries\":[\n" + lines.joined(separator: ",\n") + "\n]}\n"
  }

  /// Returns the page with its data.
  private static func page(with data: String) -> String {
    func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }
    let scripts = [
      PackageResources.page_js, PackageResources.frames_js, PackageResources.changes_js,
      PackageResources.file_store_js, PackageResources.list_js, PackageResources.editor_js,
    ]
    return text(PackageResources.report_html)
      .replacing("@STYLE@", with: text(PackageResources.report_css))
      .replacing("@SCRIPT@", with: scripts.map(text).joined(separator: "\n"))
      // The data come last, because names may contain the placeholders. The escape prevents an early end of the script.
      .replacing("@DATA@", with: data.replacing("<", with: "\\u003c"))
  }

  /// Returns the run's command line with other plans, and for all of its inputs. It skips inputs without a plan, because
  /// they are complete.
  static func command(applying plans: String, after commandLine: [String]) -> String {
    let words = words(without: ["--plan-in", "--remake"], in: Array(commandLine.dropFirst()))
    return ShellWords.text(["facecrop"] + words + ["--plan-in", plans])
  }

  /// Returns arguments without `--no-resume`, and without some options and their values.
  static func words(without options: Set<String>, in arguments: [String]) -> [String] {
    var words: [String] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if options.contains(word) {
        rest = rest.dropFirst()
      } else if word != "--no-resume", !options.contains(where: { word.hasPrefix($0 + "=") }) {
        words.append(word)
      }
    }
    return words
  }

  /// Whether the image or one of its outputs exists.
  private func isLeft(_ entry: ManifestEntry, at location: FilePath) -> Bool {
    !entry.isMoved
      && (FileStatus(locator.path(of: location)) != nil
        || entry.outcome.outputs?.contains { FileStatus(folder.pushing($0.path)) != nil } == true)
  }

  private func shown(_ entry: ManifestEntry, at location: FilePath, _ thumbnails: FilePath) -> ReportEntry {
    let outcome = entry.outcome
    let outputs = (outcome.outputs ?? []).filter { $0.sidecar != true }.map { output in
      ReportEntry.Output(
        file: output.file, link: RelativeAddress.text(to: folder.pushing(output.path), from: page.folder),
        width: output.width ?? 0, height: output.height ?? 0, crop: output.crop,
        sha256: output.sha256.map { String($0.prefix(16)) }, kept: output.kept, missedRules: output.missedRules)
    }
    let name = ThumbnailFolder.name(of: location)
    var shown = ReportEntry(
      input: entry.name, inputBase64: entry.path.base64, location: location.string, locationBase64: location.base64,
      bytes: entry.file?.bytes, content: entry.content,
      link: RelativeAddress.text(to: locator.path(of: location), from: page.folder),
      status: outcome.status.rawValue,
      reason: outcome.reason.map { ReportEntry.Reason(kind: $0.kind, message: $0.message) }, detector: outcome.detector,
      width: outcome.width,
      height: outcome.height, rotation: outcome.rotation, animationFrame: outcome.animationFrame, faces: outcome.faces,
      possibleFace: outcome.possibleFace,
      // Manifests of older versions have only the regions.
      crops: outcome.crops ?? outcome.regions?.map { CropPlan.Crop(region: $0, faces: []) },
      planned: entry.isCorrected ? true : nil, outputs: outputs.isEmpty ? nil : outputs,
      milliseconds: outcome.milliseconds.map { [$0.look, $0.detect, $0.render, $0.encode, $0.write] },
      warnings: outcome.warnings,
      thumbnail: FileStatus(thumbnails.appending("\(name).jpg")) == nil ? nil : name)
    guard outcome.status != .failed, let width = outcome.width, let height = outcome.height, width > 0, height > 0
    else {
      return shown
    }
    let size = PixelSize(width: width, height: height)
    let faces = outcome.faces ?? []
    if let hiding {
      shown.choices = faces.indices.map { hiding.area(of: $0, among: faces, in: size) }
      shown.middle = CropPlan.Crop(region: Self.middle, faces: [])
      return shown
    }
    if !faces.isEmpty { shown.choices = crops(for: faces, in: size, FaceSearch(faces: .each, order: .confidence)) }
    if (outcome.crops ?? []).isEmpty { shown.middle = crops(for: [], in: size, FaceSearch(noFace: .center))?.first }
    return shown
  }

  /// The first area of an image without any, for the user to move.
  private static let middle = NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.2)

  private func crops(for faces: [Face], in size: PixelSize, _ search: FaceSearch) -> [CropPlan.Crop]? {
    // A frame keeps its number if the user chooses another face for it.
    (try? CropPlanner().crops(for: faces, in: size, search: search, composition: request.composition))?.map { crop in
      var crop = crop
      crop.number = nil
      return crop
    }
  }
}
