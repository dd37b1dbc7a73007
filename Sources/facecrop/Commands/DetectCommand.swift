import ArgumentParser
import FaceCrop
import SystemPackage

struct DetectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Prints the faces in pictures as JSON, one object a line.",
    usage: "facecrop detect [<options>] <input> ...",
    discussion: """
      Each line has the file, its size as displayed, its EXIF orientation, the detector, and the faces in fractions of \
      the picture (origin top-left), the most confident face first. A file that cannot be read gets a line with the error, and the others are still printed.
      """)

  @Argument(help: ArgumentHelp("The pictures; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @Option(
    help: ArgumentHelp(
      "Draw the faces of the one picture given, small, as JPEG: boxes, heads, scores, landmarks.", valueName: "file"),
    completion: .file())
  var preview: String?

  @Flag(help: "Print JSON; here for symmetry with the other commands, since this one always does.")
  var json = false

  @OptionGroup var look: LookOptions

  func validate() throws {
    for input in inputs { try Input.checkIsNoURL(input) }
    guard let preview else { return }
    if inputs.count != 1 { throw ValidationError("A preview shows one picture, and \(inputs.count) are given.") }
    if preview.isEmpty { throw ValidationError("A file's name is empty.") }
    if preview == Input.standard {
      throw ValidationError("The faces go to standard output; name a file for the preview.")
    }
    let format = OutputName.format(of: FilePath(preview))
    if format != nil && format != .written(.jpeg) {
      throw ValidationError("Previews are JPEG, and '\(preview)' is named like another kind of file.")
    }
  }

  mutating func run() async throws {
    let cropper = look.cropper(looksAgain: inputs.count > 1)
    let reporter = Reporter(.none)
    var raw = RawArguments()
    let preview = preview.map { raw.path($0, of: ["--preview"]) }
    let allowsDamage = look.allowTruncated
    let names = EachInput.Name.all(inputs, raw)
    let each = EachInput(inputs: names, limits: look.limits, reporter: reporter) { input, error in
      JSONLines.safeLine(FailureLine(input, error))
    }
    try await each { [allowsDamage, preview] input, source in
      let detection: Detection
      if let preview {
        let shown = try await cropper.preview(of: source, allowsDamage: allowsDamage)
        detection = shown.detection
        try CutShortInput.check()
        let file = try Output(preview).open(notReplacing: Input.file(input.path))
        try file.commit(await cropper.encode(shown.picture, as: .jpeg(quality: 90)))
      } else {
        detection = try await cropper.detect(in: source, allowsDamage: allowsDamage)
      }
      for warning in detection.warnings { reporter.warn(input.text, warning) }
      return JSONLines.safeLine(DetectLine(input, detection))
    }
  }
}

/// The line that `detect` prints of a picture.
private struct DetectLine: Encodable {
  var file: String
  var fileBase64: String?
  var width: Int
  var height: Int
  var orientation: Int
  var detector: String
  var faces: [Face]

  init(_ input: EachInput.Name, _ detection: Detection) {
    file = input.text
    fileBase64 = input.base64
    width = detection.size.width
    height = detection.size.height
    orientation = detection.orientation.rawValue
    detector = detection.detector
    faces = detection.faces
  }
}
