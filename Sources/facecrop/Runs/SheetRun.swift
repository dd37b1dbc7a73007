import FaceCrop
import SystemPackage

/// A run of `sheet`, which crops images, lays prints out on pages, and writes them row by row.
struct SheetRun: Sendable {
  let inputs = GivenOptions.launch.inputs
  let page: Int?
  /// A CSV file of captions; nil for none.
  let names = GivenOptions.launch.path(of: "names")
  /// An image behind the people; nil for none.
  var background: FilePath?
  /// The plans' file; nil for none.
  let planIn = GivenOptions.launch.path(of: "plan-in")
  /// The given options that plans replace; nil for none.
  let ignoredByPlans = GivenOptions.launch.ignoredByPlans()
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
    // All inputs together make the sheet, so their work is one.
    let others = inputs.dropFirst().map(\.path) + [names, planIn, background].compactMap { $0 }
    let each = EachInput(inputs: Array(inputs.prefix(1)), limits: look.limits, writesFiles: true, others: others)
    try await each.run { _, state in
      try await lay(state, each.reporter)
      return 0
    }
  }

  /// The content of a print: a face, or a region of an image without a face.
  struct Subject {
    /// The index of its input.
    var input: Int
    /// The plan with one crop; nil until it is known.
    var plan: CropPlan?
    var caption: String
    /// The crop, for its name in the list of names.
    var crop = CropPlace()
    /// The number of faces in the image; nil if no name needs it.
    var faces: Int?
  }

  /// The open files and images of a sheet.
  struct Desk {
    var sources: [ImageSource]
    var cropper: FaceCropper
    var request: CropRequest
    /// The captions; nil without a list.
    var names: NameList?
    var plans: SheetPlans?
    var subjects: [Subject] = []
  }

  /// Writes the sheet.
  private func lay(_ state: EachInput.State, _ reporter: Reporter) async throws {
    let gate = state.gate
    let images = inputs.map(\.path)
    let list = try names.map { try NameList(reading: $0, for: images, within: look.limits.time) }
    let plans = try planIn.map { try SheetPlans(reading: $0, for: images, limits: look.limits) }
    let layouts = try pages.layouts(for: inputs.count)
    // An output that cannot be written is known before anything is decoded.
    let isSure = layouts.count == 1 && request.search.faces != .each && !skips && plans == nil
    var first: OpenOutput? = isSure ? try open(1, of: 1, gate) : nil
    var desk = Desk(
      sources: [], cropper: look.cropper(looksAgain: inputs.count > 1), request: printRequest, names: list,
      plans: plans)
    for (index, input) in inputs.enumerated() {
      state.subject.withLock { $0 = input.text }
      if let shared = list?.shared[input.path] { throw shared }
      desk.sources.append(try Input.source(input.path, page: page, limits: look.limits))
      desk.subjects += try await subjects(of: index, desk, reporter)
    }
    state.subject.withLock { $0 = Output.shown(output) }
    warn(desk, reporter)
    if desk.subjects.isEmpty {
      throw Outcome.Obstacle.noFace(Self.nothingToPrint(desk.plans))
    }
    let copies = try pages.copies(for: desk.subjects.count)
    let all = try pages.layouts(for: desk.subjects.count)
    if all.count > 1, output == FilePath(Input.standard) {
      throw FileError(
        Output.standardName, "the prints need \(all.count) pages (name a file with -o, or use fewer --copies)")
    }
    if let layout = all.first { warnOfCutCaptions(desk, layout, reporter) }
    var done: [(file: OpenOutput, end: SheetEncoder.End)] = []
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
          state.subject.withLock { $0 = inputs[desk.subjects[index].input].text }
          made[index] = try await crop(desk.subjects[index], desk, layout, reporter)
        }
        state.subject.withLock { $0 = Output.shown(output) }
        try file.write(
          encoder.add(
            needed.map { made[$0]! }, captions: hasCaptions ? needed.map { desk.subjects[$0].caption } : []))
      }
      done.append((file, try encoder.finish()))
    }
    try CutShortInput.check()
    for (index, page) in done.enumerated() {
      try page.file.commit(page.end.bytes, beginning: page.end.beginning)
      Sidecar.removeOwn(beside: name(index + 1, of: all.count), gate)
    }
    warnOfOtherPages(than: done.count, reporter)
  }

  private func name(_ page: Int, of count: Int) -> FilePath {
    count > 1 ? OutputName.numbered(output, page) : output
  }

  private func open(_ number: Int, of count: Int, _ gate: WriteGate) throws(FileError) -> OpenOutput {
    try OpenOutput(name(number, of: count), gate, replacing: replacesOutputs ? .images : .nothing)
  }

  /// The request for each print.
  private var printRequest: CropRequest {
    var request = request
    // Names belong to the numbers of faces.
    request.search.findsAllFaces = names != nil
    request.composition.layout.aspect = AspectRatio(
      width: Double(pages.print.width), height: Double(pages.print.height))
    request.output.sizes = [.exact(width: pages.print.width, height: pages.print.height)]
    (request.output.allowsUpscaling, request.output.keepsPrintedSize) = (true, false)
    request.output.gainMap = .drop
    return request
  }

  /// Returns the reason for a sheet without prints, and the remedy.
  private static func nothingToPrint(_ plans: SheetPlans?) -> Fault {
    let kind = FaceCropError.noFace.kind
    guard let plans else {
      return Fault(
        kind, "no image has a requested face, so there is nothing to print",
        "choose a fallback with \(option: "no-face")")
    }
    let others = plans.coverAll ? "" : ", and no other image has a requested face"
    return Fault(
      kind, "the plans have no crops\(others), so there is nothing to print", "leave out \(option: "plan-in")")
  }

  /// Whether images without a face are not on the sheet.
  private var skips: Bool { request.search.noFace == .skip }

  /// Returns the prints of an input: one for each crop of its plan, or one for each face if each has its own; else one.
  /// Warns of an image without a face, which has no print.
  private func subjects(of index: Int, _ desk: Desk, _ reporter: Reporter) async throws -> [Subject] {
    if let plan = desk.plans?[index] { return subjects(of: index, plan, desk) }
    let isEach = request.search.faces == .each
    // Captions need the number of the printed face, and skipped images leave room for others.
    guard isEach || desk.names != nil || skips else {
      return [Subject(input: index, caption: caption(of: index, CropPlace(), isNumbered: false, desk))]
    }
    let plan = try await desk.cropper.plan(
      for: desk.sources[index], search: search(of: inputs[index]), composition: desk.request.composition,
      allowsDamage: request.allowsDamage)
    try request.search.check(plan)
    var found = subjects(of: index, plan, desk)
    if found.isEmpty {
      reporter.warn(inputs[index].text, request.search.omission(of: plan))
    }
    // A single print is searched again when it is cropped, for the warnings of the search.
    if !isEach { for place in found.indices { found[place].plan = nil } }
    return found
  }

  private func subjects(of index: Int, _ plan: CropPlan, _ desk: Desk) -> [Subject] {
    zip(plan.crops, plan.places(hasFace: true)).map { crop, place in
      var one = plan
      one.crops = [crop]
      return Subject(
        input: index, plan: one, caption: caption(of: index, place, isNumbered: plan.isNumbered, desk), crop: place,
        faces: plan.faces.count)
    }
  }

  private func caption(of index: Int, _ crop: CropPlace, isNumbered: Bool, _ desk: Desk) -> String {
    if let names = desk.names?.persons(of: inputs[index].path) {
      // An empty name leaves the print without a caption.
      if names.isEmpty { return "" }
      if let place = NameList.place(of: crop, among: names) { return String(decoding: names[place], as: UTF8.self) }
    }
    let stem = inputs[index].path.lastComponent?.stem ?? ""
    return isNumbered ? "\(stem)-\(crop.number)" : stem
  }

  /// Returns the search in an input, with the names beside it if they decide.
  private func search(of input: Input.Name) -> FaceSearch {
    var search = request.search.withoutFailure
    search.findsAllFaces = names != nil
    return search.needsNames ? search.readingNames(beside: input.path, within: look.limits.time) : search
  }

  private func crop(
    _ subject: Subject, _ desk: Desk, _ layout: SheetLayout, _ reporter: Reporter
  ) async throws -> RenderedCrop {
    let name = inputs[subject.input].text
    let source = desk.sources[subject.input]
    let result: CropResult<RenderedCrop>
    if let plan = subject.plan {
      result = try await desk.cropper.render(
        plan, from: source, output: desk.request.output, allowsDamage: request.allowsDamage)
    } else {
      var looking = desk.request
      looking.search = search(of: inputs[subject.input])
      result = try await desk.cropper.crop(source, request: looking)
      try request.search.check(result.plan)
    }
    for warning in result.warnings { reporter.warn(name, warning) }
    let crop = result.crops[0]
    let resolution = Double(crop.region.width) / Double(layout.places[0].width) * layout.resolution
    if resolution < Self.softResolution {
      reporter.warn(
        name, "small", "the print has only \(Int(resolution)) pixels per inch and will look soft", "use a larger image")
    }
    return crop
  }
}
