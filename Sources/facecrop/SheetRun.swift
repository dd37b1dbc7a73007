import ArgumentParser
import FaceCrop
import SystemPackage

/// A run of `sheet`, which crops images, and writes their prints row by row.
struct SheetRun: Sendable {
  let inputs: [EachInput.Name]
  let output: FilePath
  let layout: SheetLayout
  var request: CropRequest
  let format: OutputFormat
  let look: LookOptions
  let replacesOutputs: Bool

  /// The resolution below which a print looks soft: half of the usual 300 pixels per inch.
  private static let softResolution = 150.0

  /// Runs to the end or a signal, and throws the exit status.
  func callAsFunction() async throws {
    let reporter = Reporter(.none)
    let (outcome, wasInterrupted) = await Interruption.watch { await lay(reporter) }
    reporter.finish()
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    if outcome != 0 { throw ExitCode(outcome) }
  }

  /// Writes the sheet, and returns the exit status.
  private func lay(_ reporter: Reporter) async -> CInt {
    var subject = inputs[0].text
    do {
      let file = try open()
      let encoder = try SheetEncoder(layout, as: format)
      let cropper = look.cropper(looksAgain: inputs.count > 1)
      var request = request
      let print = layout.places[0].size
      request.composition.aspect = AspectRatio(width: Double(print.width), height: Double(print.height))
      request.output.sizes = [.exact(width: print.width, height: print.height)]
      (request.output.enlarges, request.output.keepsPrintedSize) = (true, false)
      request.output.gainMap = .drop
      // Copies of an image are adjacent, so that crops are freed once no row needs them.
      let copies = layout.places.count / inputs.count
      var made: [Int: RenderedCrop] = [:]
      for row in layout.rows {
        let needed = row.map { $0 / copies }
        made = made.filter { needed.contains($0.key) }
        for index in Set(needed).subtracting(made.keys).sorted() {
          subject = inputs[index].text
          made[index] = try await crop(inputs[index], cropper, request, reporter)
        }
        subject = output.string
        try file.write(encoder.add(needed.map { made[$0]! }))
      }
      let end = try encoder.finish()
      try file.commit(end.bytes, beginning: end.beginning)
      return 0
    } catch FaceCropError.cancelled {
      reporter.clearLine()
      reporter.fail(output.string, "interrupted; nothing was written", kind: FaceCropError.cancelled.kind)
      return Interruption.exitStatus
    } catch let obstacle as Outcome.Obstacle {
      reporter.fail(subject, obstacle.reason.message, kind: obstacle.reason.kind)
      return obstacle.status == .noFace ? 2 : 1
    } catch let error as FaceCropError {
      reporter.fail(subject, error.sentence, kind: error.kind)
      return 1
    } catch let error as FileError {
      if error.isBrokenPipe { return 0 }
      reporter.fail(error.file, error.message, kind: error.kind)
      return 1
    } catch {
      reporter.fail(subject, "\(error)", kind: "internal")
      return 1
    }
  }

  private func open() throws(FileError) -> GrowingOutput {
    try GrowingOutput(
      Output(output), WriteGate(inputs: inputs.compactMap { Input.file($0.path) }),
      replacing: replacesOutputs ? .anything : .nothing)
  }

  private func crop(
    _ input: EachInput.Name, _ cropper: FaceCropper, _ request: CropRequest, _ reporter: Reporter
  ) async throws -> RenderedCrop {
    let source = try Input.source(input.path, limits: look.limits)
    var looking = request
    looking.search = request.search.withoutFailure
    let result = try await cropper.crop(source, request: looking)
    try request.search.check(result.plan)
    for warning in result.warnings { reporter.warn(input.text, warning) }
    let crop = result.crops[0]
    let resolution = Double(crop.region.width) / Double(layout.places[0].width) * layout.resolution
    if resolution < Self.softResolution {
      reporter.warn(
        input.text, "the print has only \(Int(resolution)) pixels per inch and will look soft (use a larger image)",
        kind: "small")
    }
    return crop
  }
}
