import ArgumentParser
import FaceCrop
import SystemPackage

/// A run of `sheet`, which crops images, lays prints out on pages, and writes them row by row.
struct SheetRun: Sendable {
  let inputs: [EachInput.Name]
  /// A CSV file of captions; nil for none.
  let names: FilePath?
  /// An image behind the people; nil for none.
  var background: FilePath?
  /// Numbered for several pages.
  let output: FilePath
  let pages: SheetPages
  let hasCaptions: Bool
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

  /// The content of a print: a face, or an image without one.
  private struct Subject {
    /// Which of the inputs it is of.
    var input: Int
    /// The plan with one crop; nil until it is known.
    var plan: CropPlan?
    var caption: String
  }

  /// A page that is written.
  private struct Page {
    var file: GrowingOutput
    var end: (bytes: [UInt8], beginning: [UInt8])
  }

  /// The open files and images of a sheet.
  private struct Desk {
    var sources: [ImageSource]
    var cropper: FaceCropper
    var request: CropRequest
    var subjects: [Subject] = []
  }

  /// Writes the sheet, and returns the exit status.
  private func lay(_ reporter: Reporter) async -> CInt {
    var subject = inputs[0].text
    do {
      let gate = WriteGate(
        inputs: (inputs.map(\.path) + [names, background].compactMap { $0 }).compactMap { Input.file($0) })
      let list = try names.map { path throws(FileError) in try NameList(reading: path, within: look.limits.time) }
      let layouts = try pages.layouts(for: inputs.count)
      // An output that cannot be written is known before anything is decoded.
      var first: GrowingOutput? = layouts.count == 1 && request.search.faces != .each ? try open(1, of: 1, gate) : nil
      var desk = Desk(
        sources: [], cropper: look.cropper(looksAgain: inputs.count > 1), request: printRequest)
      for (index, input) in inputs.enumerated() {
        subject = input.text
        desk.sources.append(try Input.source(input.path, limits: look.limits))
        desk.subjects += try await subjects(of: index, list, desk)
      }
      for page in desk.subjects where hasCaptions { warn(page, reporter) }
      subject = output.string
      let copies = try pages.copies(for: desk.subjects.count)
      let all = try pages.layouts(for: desk.subjects.count)
      if all.count > 1, output == FilePath(Input.standard) {
        throw FileError(
          "standard output", "the prints need \(all.count) pages (name a file with -o, or use fewer --copies)",
          kind: "usage")
      }
      var done: [Page] = []
      var made: [Int: RenderedCrop] = [:]
      for (number, layout) in all.enumerated() {
        let file = try first.take() ?? open(number + 1, of: all.count, gate)
        let encoder = try SheetEncoder(layout, as: format)
        let before = done.isEmpty ? 0 : number * all[0].places.count
        for row in layout.rows {
          // Copies of an image are adjacent, so that an image without further rows is released.
          let needed = row.map { (before + $0) / copies }
          made = made.filter { needed.contains($0.key) }
          for index in Set(needed).subtracting(made.keys).sorted() {
            subject = inputs[desk.subjects[index].input].text
            made[index] = try await crop(desk.subjects[index], desk, layout, reporter)
          }
          subject = output.string
          try file.write(
            encoder.add(
              needed.map { made[$0]! }, captions: hasCaptions ? needed.map { desk.subjects[$0].caption } : []))
        }
        done.append(Page(file: file, end: try encoder.finish()))
      }
      for page in done { try page.file.commit(page.end.bytes, beginning: page.end.beginning) }
      return 0
    } catch FaceCropError.cancelled {
      reporter.clearLine()
      reporter.fail(output.string, "interrupted; nothing was written", kind: FaceCropError.cancelled.kind)
      return Interruption.exitStatus
    } catch let obstacle as Outcome.Obstacle {
      reporter.fail(subject, obstacle.reason.message, kind: obstacle.reason.kind)
      return obstacle.status == .noFace ? 2 : 1
    } catch let error as ValidationError {
      reporter.fail(subject, error.message, kind: "usage")
      return 64
    } catch let error as FaceCropError {
      reporter.fail(subject, error.sentence, kind: error.kind)
      if case .unsureCutout = error { return 2 }
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

  private func open(_ number: Int, of count: Int, _ gate: WriteGate) throws(FileError) -> GrowingOutput {
    let name = count > 1 ? OutputName.numbered(output, number) : output
    return try GrowingOutput(Output(name), gate, replacing: replacesOutputs ? .anything : .nothing)
  }

  /// The request for each print.
  private var printRequest: CropRequest {
    var request = request
    request.composition.aspect = AspectRatio(width: Double(pages.print.width), height: Double(pages.print.height))
    request.output.sizes = [.exact(width: pages.print.width, height: pages.print.height)]
    (request.output.enlarges, request.output.keepsPrintedSize) = (true, false)
    request.output.gainMap = .drop
    return request
  }

  /// One for each face where each has a print of its own, for which the picture is looked at; else one.
  private func subjects(of index: Int, _ list: NameList?, _ desk: Desk) async throws -> [Subject] {
    let names = list?.persons(of: inputs[index].path)?.map { String(decoding: $0, as: UTF8.self) } ?? []
    let stem = inputs[index].path.lastComponent?.stem ?? ""
    guard request.search.faces == .each else {
      return [Subject(input: index, caption: names.first ?? stem)]
    }
    let plan = try await desk.cropper.plan(
      for: desk.sources[index], search: request.search.withoutFailure, composition: desk.request.composition,
      allowsDamage: request.allowsDamage)
    try request.search.check(plan)
    return plan.crops.enumerated().map { place, crop in
      var one = plan
      one.crops = [crop]
      let isNamed = names.indices.contains(place)
      return Subject(
        input: index, plan: one, caption: isNamed ? names[place] : plan.crops.count > 1 ? "\(stem)-\(place + 1)" : stem)
    }
  }

  private func warn(_ subject: Subject, _ reporter: Reporter) {
    let missing = SheetEncoder.missingLetters(in: subject.caption)
    guard !missing.isEmpty else { return }
    reporter.warn(
      inputs[subject.input].text,
      "the caption '\(subject.caption)' has letters that are drawn as boxes: \(missing.map(String.init).joined(separator: " ")) (write it with Latin letters)",
      kind: "caption")
  }

  private func crop(
    _ subject: Subject, _ desk: Desk, _ layout: SheetLayout, _ reporter: Reporter
  ) async throws -> RenderedCrop {
    let name = inputs[subject.input].text
    let source = desk.sources[subject.input]
    let result: CropResult
    if let plan = subject.plan {
      result = try await desk.cropper.render(
        plan, from: source, output: desk.request.output, allowsDamage: request.allowsDamage)
    } else {
      var looking = desk.request
      looking.search = request.search.withoutFailure
      result = try await desk.cropper.crop(source, request: looking)
      try request.search.check(result.plan)
    }
    for warning in result.warnings { reporter.warn(name, warning) }
    let crop = result.crops[0]
    let resolution = Double(crop.region.width) / Double(layout.places[0].width) * layout.resolution
    if resolution < Self.softResolution {
      reporter.warn(
        name, "the print has only \(Int(resolution)) pixels per inch and will look soft (use a larger image)",
        kind: "small")
    }
    return crop
  }
}
