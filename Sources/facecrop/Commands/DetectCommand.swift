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
      the picture (origin top-left), surest first. A file that fails gets a line with an error, and the others go on.
      """)

  @Argument(help: ArgumentHelp("The pictures; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @Option(
    help: ArgumentHelp(
      "Draw the faces of the one picture given, small, as JPEG: boxes, scores, landmarks.", valueName: "file"),
    completion: .file())
  var preview: String?

  @OptionGroup var look: LookOptions

  func validate() throws {
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
    let command = self
    let (failures, wasInterrupted) = await Interruption.watch {
      await command.detect()
    }
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    if failures > 0 { throw ExitCode.failure }
  }

  /// Prints a line for each input; returns how many failed.
  private func detect() async -> Int {
    let cropper = look.cropper(looksAgain: inputs.count > 1)
    let reporter = Reporter(.none)
    var request = CropRequest()
    request.allowsDamage = look.allowTruncated
    var failures = 0
    for input in inputs {
      if Task.isCancelled { break }
      let line: String
      do {
        let source = try Input.source(input, limits: look.limits)
        let detection: Detection
        if let preview {
          let shown = try await cropper.preview(of: source, request: request)
          detection = shown.detection
          let file = try Output(preview).open(notReplacing: input == Input.standard ? nil : FilePath(input))
          try file.commit(await cropper.encode(shown.picture, as: .jpeg(quality: 90)))
        } else {
          detection = try await cropper.detect(in: source, request: request)
        }
        for warning in detection.warnings { reporter.warn(input, warning) }
        line = DetectLine.found(input, detection)
      } catch let error as FaceCropError {
        if error == .cancelled { break }
        failures += 1
        line = DetectLine.failed(input, error)
      } catch let error as FileError {
        reporter.fail(error.file, error.message, kind: error.kind)
        return failures + 1
      } catch {
        reporter.fail(input, "\(error)", kind: "internal")
        return failures + 1
      }
      do {
        try FileDescriptor.standardOutput.writeAll(line.utf8)
      } catch {
        // A reader that went away is no failure; a full disk is.
        if error as? Errno == .brokenPipe { return failures }
        reporter.fail("standard output", "cannot be written: \(error)", kind: "output")
        return failures + 1
      }
    }
    return failures
  }
}

/// The lines that `detect` prints.
private enum DetectLine {
  private struct Found: Encodable {
    var file: String
    var width: Int
    var height: Int
    var orientation: Int
    var detector: String
    var faces: [Face]
  }

  private struct Failed: Encodable {
    struct Fault: Encodable {
      var kind: String
      var message: String
    }
    var file: String
    var error: Fault
  }

  static func found(_ file: String, _ detection: Detection) -> String {
    line(
      Found(
        file: file, width: detection.size.width, height: detection.size.height,
        orientation: detection.orientation.rawValue, detector: detection.detector, faces: detection.faces))
  }

  static func failed(_ file: String, _ error: FaceCropError) -> String {
    line(Failed(file: file, error: .init(kind: error.kind, message: "\(file) \(error)")))
  }

  /// Only numbers that are not finite could make this fail, and detection lets none through.
  private static func line(_ value: some Encodable) -> String {
    (try? JSONLines.line(value)) ?? "{}\n"
  }
}
