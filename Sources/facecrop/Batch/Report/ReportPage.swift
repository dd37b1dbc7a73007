import FaceCrop
import FoundationEssentials
import SystemPackage

/// An HTML report of a manifest, in which users can correct frames. The page is one file, and loads only the thumbnails
/// in the folder beside it, and the inputs.
struct ReportPage {
  /// The name of the file for corrections.
  private static let plansName = "plans.ndjson"

  let manifest: FilePath
  let locator: InputLocator
  /// The folder of the outputs.
  let folder: FilePath
  /// The file to write.
  let page: FilePath
  /// The request for each image.
  let request: CropRequest
  /// The request that hides faces in whole images; nil for crops.
  let blur: BlurRequest?
  /// The names of the people in the images; nil without a list.
  let names: NameList?
  /// The run's command line with the program's name.
  let commandLine = LaunchArguments.texts

  /// Returns `report-thumbnails` for `report.html`.
  static func thumbnailFolder(of page: FilePath) -> FilePath {
    page.folder.appending((page.stem ?? "report") + thumbnailsSuffix)
  }

  static let thumbnailsSuffix = "-thumbnails"

  /// Opens a page for writing; throws an error if the existing file is not a report.
  static func open(_ page: FilePath, _ gate: WriteGate) throws(FileError) -> OutputFile {
    try OutputFile(
      page, gate: gate, replacing: .own(title: "a facecrop report", option: "--report") { isReport($0) },
      mayBeStream: false)
  }

  /// Returns whether a file starts like a report.
  static func isReport(_ path: FilePath) -> Bool {
    String(decoding: Input.start(of: path, 1 << 10), as: UTF8.self).contains("<title>facecrop batch report</title>")
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
    let layout = request.composition.layout
    let contents: JSONObject = [
      "manifest": manifest.string,
      // A relative address with a trailing slash.
      "thumbnails": RelativeAddress.text(to: thumbnails, from: page.folder) + "/",
      "outputsShown": ThumbnailFolder.outputs, "plans": Self.plansName,
      // The command line that applies the corrections, and whether it removes outdated outputs.
      "command": Self.command(applying: Self.plansName, after: commandLine), "prunes": commandLine.contains("--prune"),
      // The ratio of width to height of the outputs, if they have one, and whether frames may reach out of the image.
      "aspect": blur == nil ? layout.aspect.map { $0.width / $0.height } : nil, "reachesOut": layout.edge == .pad,
      "hasBackground": request.output.background != nil, "leastCutout": Background.leastConfidence,
      "mostPoints": CutoutStroke.mostPoints,
      // Outputs that are cut out of their files cannot be turned or replaced.
      "isLossless": commandLine.contains("--lossless"),
      // Whether frames are hidden areas of whole images.
      "hides": blur != nil, "circle": request.output.shape == .circle,
    ]
    guard
      let data = try? Self.data(
        contents,
        order.lazy.filter { current.contains($0) || isLeft(entries[$0]!, at: $0) }
          .map { shown(entries[$0]!, at: $0, thumbnails) })
    else {
      throw FileError(page.string, "write failed: the manifest has numbers that are not finite")
    }
    try Self.open(page, gate).commit(Array(Self.page(with: data).utf8))
  }

  /// Returns one JSON object, with each of its `entries` on a line of its own. facecrop-server reads only the lines that
  /// it needs.
  private static func data(_ contents: JSONObject, _ entries: some Sequence<JSONObject>) throws -> String {
    let head = try JSONLines.line(contents).dropLast(2)
    let lines = try entries.map { try JSONLines.line($0).dropLast() }
    return head + ",\"entries\":[\n" + lines.joined(separator: ",\n") + "\n]}\n"
  }

  /// Returns the page with its data.
  private static func page(with data: String) -> String {
    ReportFiles.html
      .replacing("@STYLE@", with: ReportFiles.css)
      .replacing("@SCRIPT@", with: ReportFiles.editor(PackageResources.file_store_js))
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

  /// Returns the entry of an image, which has the members of its outcome, too. See ``ReportEntry``.
  private func shown(_ entry: ManifestEntry, at location: FilePath, _ thumbnails: FilePath) -> JSONObject {
    var outcome = entry.outcome
    let outputs: [JSONObject] = (outcome.outputs ?? []).filter { $0.sidecar != true }.map { output in
      [
        "file": output.file, "link": RelativeAddress.text(to: folder.pushing(output.path), from: page.folder),
        "width": output.width ?? 0, "height": output.height ?? 0, "crop": output.crop,
        // The start, by which browsers know a new version.
        "sha256": output.sha256.map { String($0.prefix(16)) },
        "kept": output.kept, "missedRules": output.missedRules, "padded": output.padded, "cutout": output.cutout,
      ]
    }
    let times = outcome.milliseconds.map { [$0.look, $0.detect, $0.render, $0.encode, $0.write] }
    let (choices, middle) = choices(outcome)
    // Manifests of older versions have only the regions.
    outcome.crops = outcome.crops ?? outcome.regions?.map { CropPlan.Crop(region: $0, faces: []) }
    (outcome.outputs, outcome.milliseconds, outcome.regions, outcome.chosen, outcome.origin) = (nil, nil, nil, nil, nil)
    let name = ThumbnailFolder.name(of: location)
    let own: JSONObject = [
      "input": entry.input, "inputBase64": entry.path.base64, "location": location.string,
      "locationBase64": location.base64, "bytes": entry.file?.bytes, "content": entry.content,
      "link": RelativeAddress.text(to: locator.path(of: location), from: page.folder),
      "planned": entry.isCorrected ? true : nil, "outputs": outputs.isEmpty ? nil : outputs, "milliseconds": times,
      "people": names?.row(of: entry.path)?.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) },
      "faceNames": blur == nil ? nil : faceNames(of: entry.path, outcome.faces ?? []),
      // The prefix of the thumbnails' names.
      "thumbnail": FileStatus(thumbnails.appending("\(name).jpg")) == nil ? nil : name,
      "choices": choices, "middle": middle,
    ]
    return own.with(membersOf: outcome)
  }

  /// Returns the name of each face that ``HiddenPeople`` counts, empty for one without; nil without a list.
  private func faceNames(of path: FilePath, _ faces: [Face]) -> [String]? {
    guard let persons = names?.persons(of: path), persons.count <= faces.count else { return nil }
    let order = FaceOrder.left.indices(of: Array(faces.prefix(persons.count)))
    return zip(order, persons).sorted { $0.0 < $1.0 }.map { String(decoding: $0.1, as: UTF8.self) }
  }

  /// Returns the crops for each of the faces, and the centered crop for an image without crops.
  private func choices(_ outcome: Outcome) -> (faces: [CropPlan.Crop]?, middle: CropPlan.Crop?) {
    guard outcome.status != .failed, let width = outcome.width, let height = outcome.height, width > 0, height > 0
    else { return (nil, nil) }
    let size = PixelSize(width: width, height: height)
    let faces = outcome.faces ?? []
    if let blur {
      let areas = faces.indices.map { blur.area(of: $0, among: faces, in: size) }
      return (areas, CropPlan.Crop(region: Self.middle, faces: []))
    }
    return (
      faces.isEmpty ? nil : crops(for: faces, in: size, FaceSearch(faces: .each, order: .confidence)),
      outcome.crops?.isEmpty == false ? nil : crops(for: [], in: size, FaceSearch(noFace: .center))?.first
    )
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

/// The relative addresses of files in a page.
enum RelativeAddress {
  /// Returns the address of a file relative to a folder, percent-encoded.
  static func text(to path: FilePath, from folder: FilePath) -> String {
    let steps = absolute(path).relative(to: absolute(folder)).components
    return steps.isEmpty ? "." : steps.map { encoded(FilePath(root: nil, [$0]).bytes) }.joined(separator: "/")
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
