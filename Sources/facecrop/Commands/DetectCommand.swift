import ArgumentParser
import FaceCrop
import SystemPackage

struct DetectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "detect", "Print the faces in images as JSON, one object per line.", usage: "<input> ...",
    examples: """
      facecrop detect group.jpg
      facecrop detect group.jpg --preview faces.jpg
          also draws the faces on a small copy of the image
      """)

  @Argument(help: ArgumentHelp("Image files; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.input) var page: PageOption
  @OptionGroup var look: LookOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: ReportOptions

  struct ReportOptions: ParsableArguments {
    @Option(.of("preview")) var preview: String?
    @Flag(.of("heads")) var heads = false
    @Flag(.of("mesh")) var mesh = false
    @Flag(.of("write-regions")) var writeRegions = false
    @Option(.of("upright")) var upright = UprightPolicy.off
    @Flag(.of("json", .detect)) var json = false
  }

  func validate() throws {
    if reporting.writeRegions, inputs.contains(Input.standard) {
      throw ValidationError("--write-regions writes beside a file, and standard input is none (name files)")
    }
    guard let preview = reporting.preview else { return }
    if inputs.count != 1 {
      throw ValidationError("--preview takes one image, and \(inputs.count) are named (name one image)")
    }
    if preview == Input.standard {
      throw ValidationError("--preview and the faces both go to standard output (name a file for the preview)")
    }
    let path = FilePath(preview)
    if path.extension?.isEmpty == false && OutputName.format(of: path) != .written(.jpeg) {
      throw ValidationError("--preview writes JPEG, and '\(preview)' has another extension (name a .jpg file)")
    }
  }

  func run() async throws {
    let cropper = look.cropper(looksAgain: inputs.count > 1)
    let preview = GivenOptions.launch.path(of: "preview")
    let each = EachInput(page: page.page, limits: look.limits, json: true)
    try await each { input, source, gate in
      let detection: Detection
      var search = FaceSearch(noFace: .person, upright: reporting.upright)
        .readingNames(beside: input.path, within: look.limits.time)
      search.findsMeshes = reporting.mesh
      if let preview {
        let shown = try await cropper.preview(of: source, search: search, allowsDamage: look.allowTruncated)
        detection = shown.detection
        try CutShortInput.check()
        let file = try OpenOutput(preview, gate)
        try file.commit(await cropper.encode(shown.picture, as: .jpeg(quality: 90)))
      } else {
        detection = try await cropper.detect(
          in: source, search: search, findsHeads: reporting.heads, allowsDamage: look.allowTruncated)
      }
      if reporting.writeRegions { try Self.writeRegions(of: detection, beside: input.path, gate) }
      for warning in detection.warnings { each.reporter.warn(input.text, warning) }
      return JSONLines.safeLine(JSONObject(input, detection, reporting.upright))
    }
  }

  /// Writes the sidecar of an image. Another program's sidecar is never replaced. One of another name (`IMG.xmp`) would
  /// be ignored beside the new file, so it is an error too.
  private static func writeRegions(of detection: Detection, beside image: FilePath, _ gate: WriteGate) throws {
    func exists(_ file: String) -> FileError {
      FileError(
        file, "the file exists, and may have other data (remove it, or leave out --write-regions)", kind: "exists")
    }
    if let sidecar = Sidecar(beside: image) { throw exists(Input.shown(sidecar.path.string)) }
    do throws(FileError) {
      try OutputFile(Sidecar.path(beside: image), gate: gate, replacing: .nothing)
        .commit(Sidecar.sealed(RegionPacket.written(detection)))
    } catch {
      throw error.kind == "exists" ? exists(error.file) : error
    }
  }
}

extension JSONObject {
  /// Creates the line that `detect` prints for an image.
  fileprivate init(_ input: Input.Name, _ detection: Detection, _ upright: UprightPolicy) {
    self = [
      "file": input.text, "fileBase64": input.base64, "width": detection.size.width, "height": detection.size.height,
      "orientation": detection.orientation.rawValue,
      // The clockwise degrees by which the image is rotated after its own orientation.
      "rotation": upright == .off ? nil : detection.rotation.rawValue,
      "detector": detection.detector, "faces": detection.faces, "chosen": detection.chosen,
      "facesAreComplete": detection.facesAreComplete, "regions": RegionLine.all(detection.regions),
      "possibleFace": detection.possibleFaces.first, "origin": detection.origin,
    ]
  }
}
