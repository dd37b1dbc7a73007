import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

/// The options of `batch`. The options of its groups are accessible as its own.
@dynamicMemberLookup
struct BatchOptions: ParsableArguments {
  struct InputOptions: ParsableArguments {
    @Flag(.of("recursive", .batch)) var recursive = false
    @Option(.of("from-list")) var fromList: String?
    @Option(.of("base")) var base: String?
    @Option(.of("pairs")) var pairs = PairPolicy.jpeg
    @Option(.of("shard")) var shard: Shard?
    @Option(.of("page")) var page: Int?
  }

  struct OutputOptions: ParsableArguments {
    @Option(.of("output-dir")) var outputDir: String?
    @Option(.of("name")) var name: String?
    @Option(.of("names", .batch)) var names: String?
    @Option(.of("on-collision")) var onCollision = CollisionPolicy.fail
    @Option(.of("no-face-dir")) var noFaceDir: String?
    @Option(.of("reject-dir")) var rejectDir: String?
    @Flag(.of("series")) var series = false
    @Option(.of("best-of")) var bestOf: Double?
  }

  struct ResumeOptions: ParsableArguments {
    @Option(.of("manifest")) var manifest: String?
    @Flag(.of("resume")) var resume = true
    @Flag(.of("retry")) var retry = false
    @Flag(.of("verify")) var verify = false
    @Flag(.of("overwrite")) var overwrite = false
    @Option(.of("corrections")) var corrections = CorrectionPolicy.fail
    @Flag(.of("prune")) var prune = false
  }

  struct PlanOptions: ParsableArguments {
    @Flag(.of("dry-run")) var dryRun = false
    @Option(.of("plan-out", .batch)) var planOut: String?
    @Option(.of("plan-in", .batch)) var planIn: String?
    @Option(.of("remake")) var remake: String?
  }

  struct RunOptions: ParsableArguments {
    @Option(.of("jobs")) var jobs: Int?
    @Option(.of("memory"), parse: Quantity.bytes.positive) var memory: Int?
    @Flag(.of("worker")) var worker = false
    @Flag(.of("picture-process")) var pictureProcess = false
  }

  struct ReportOptions: ParsableArguments {
    @Option(.of("report")) var report: String?
    @Flag(.of("json", .batch)) var json = false
    @Option(.of("progress")) var progress = ProgressChoice.auto
  }

  @Argument(help: ArgumentHelp("Image files, or folders of them.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @OptionGroup(title: HelpTitle.input) var input: InputOptions
  @OptionGroup(title: HelpTitle.output) var destination: OutputOptions
  @OptionGroup var wanted: RequestOptions
  @OptionGroup(title: HelpTitle.encoding) var cut: LosslessOption
  @OptionGroup(title: HelpTitle.blur) var blurring: BatchBlurOptions
  @OptionGroup(title: HelpTitle.resuming) var resumption: ResumeOptions
  @OptionGroup(title: HelpTitle.plans) var plans: PlanOptions
  @OptionGroup(title: HelpTitle.running) var running: RunOptions
  @OptionGroup var look: LookOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: ReportOptions

  subscript<Value>(dynamicMember option: KeyPath<InputOptions, Value>) -> Value { input[keyPath: option] }
  subscript<Value>(dynamicMember option: KeyPath<OutputOptions, Value>) -> Value { destination[keyPath: option] }
  subscript<Value>(dynamicMember option: KeyPath<ResumeOptions, Value>) -> Value { resumption[keyPath: option] }
  subscript<Value>(dynamicMember option: KeyPath<PlanOptions, Value>) -> Value { plans[keyPath: option] }
  subscript<Value>(dynamicMember option: KeyPath<RunOptions, Value>) -> Value { running[keyPath: option] }
  subscript<Value>(dynamicMember option: KeyPath<ReportOptions, Value>) -> Value { reporting[keyPath: option] }

  mutating func validate() throws {
    if !running.worker { try wanted.resolveBackground() }
    if admissionBudget < MemoryBudget.leastForPictures {
      let least = MemoryBudget.base(jobs: jobCount) + MemoryBudget.leastForPictures
      throw ValidationError(
        "--memory is too small for \(DisplayText.count(jobCount, "job")) (use --memory \(least >> 20)MiB or more, or fewer --jobs)"
      )
    }
    try blurring.check(wanted)
    try cut.check(wanted)
    if destination.series, wanted.framing.preset?.framing == nil || wanted.framing.preset?.standard != nil {
      throw ValidationError("--series needs a preset that places the head by no rules (use avatar, portrait or tight)")
    }
    if !running.worker { try validateRun() }
  }

  private func validateRun() throws {
    let (dryRun, planOut, planIn) = (plans.dryRun, plans.planOut, plans.planIn)
    if inputs.isEmpty && input.fromList == nil && planIn == nil {
      throw ValidationError("no input is named (name files or folders, or a list of them with --from-list)")
    }
    if destination.outputDir == nil && !dryRun { throw ValidationError("no output folder is named (name one with -d)") }
    if inputs.contains(Input.standard) {
      throw ValidationError("batch reads no image from standard input (pass a list of file names with --from-list -)")
    }
    if plans.remake != nil && (dryRun || input.fromList == Input.standard) {
      throw ValidationError("--remake needs all inputs again (leave out --dry-run, and name a file with --from-list)")
    }
    if let planOut, planOut == planIn {
      throw ValidationError("--plan-in and --plan-out name the same file, '\(planOut)' (choose two files)")
    }
    if let name = destination.noFaceDir {
      guard OutputFolder.isInside(FilePath(name)) else {
        throw ValidationError(
          "--no-face-dir '\(name)' is not a folder below the output folder (use a relative name without ..)")
      }
      if wanted.aligning.template != nil, wanted.face.noFace == nil {
        throw ValidationError(
          "--no-face-dir has no outputs under --template, which needs a face (leave out --no-face-dir, or pass --no-face maybe)"
        )
      }
      if wanted.face.noFace == .skip || wanted.face.noFace == .fail {
        throw ValidationError(
          "--no-face-dir has no outputs under --no-face \(wanted.face.noFace!.rawValue) (leave out one of them)")
      }
    }
    let template = try nameTemplate()
    if let template {
      if wanted.faces == .each && !template.tellsCropsApart {
        throw ValidationError("--name lacks {index}, and --faces each makes several outputs (put {index} into --name)")
      }
      if template.has(.person) && (destination.names == nil || blurring.blur) {
        throw ValidationError("--name has {person}, which needs --names without --blur (pass a CSV file with --names)")
      }
      if !template.needsNames && destination.names != nil && !blurring.blur {
        throw ValidationError("--names has no effect without {person} or a column (put {person} into --name)")
      }
      if wanted.size.labels.count > 1 && !template.has(.size) {
        let option = wanted.size.fill.count > 1 ? "--fill" : "--size"
        throw ValidationError(
          "--name lacks {size}, and \(option) makes \(wanted.size.labels.count) outputs (put {size} into --name)")
      }
    }
    if let format = try namedFormat() { try wanted.encoding.check(format, isNamed: true) }
    // Plans may have frames that reach over the edge, but do not contain the fill.
    if planIn == nil { try wanted.checkFill(.crop) }
  }

  func nameTemplate() throws(ValidationError) -> NameTemplate? {
    guard let name = destination.name else { return nil }
    return try NameTemplate(name, takesColumns: destination.names != nil)
  }

  /// Returns the format by option or the template's extension; nil leaves it to each input's name.
  func namedFormat() throws(ValidationError) -> ImageFormat? {
    guard let name = destination.name, let template = try nameTemplate(), template.hasExtension,
      !template.endsInExtensionField
    else { return try cut.format(wanted.encoding.chosenFormat) }
    return try cut.format(wanted.encoding.namedFormat(for: name))
  }

  /// The defaults of a run. Images without a face have no outputs, unless these have a folder of their own.
  var defaults: CropDefaults {
    var defaults = CropDefaults.crop
    if destination.noFaceDir == nil { defaults.noFace = .skip }
    return defaults
  }

  /// The request of `--blur` without an image; nil for crops.
  var blur: BlurRequest? { blurring.blur ? blurring.request(wanted, look) : nil }

  /// Returns the method for an input's outputs. `blur` is that of inputs without their own.
  func method(_ item: BatchPlan.Item, _ blur: BlurRequest?) -> CropMaker.Method {
    let format = item.outputs.format
    guard let blur = item.blur ?? blur else { return wanted.method(format, isLossless: cut.lossless, defaults) }
    return .blur(blur) { [formats = wanted.encoding.formats] own in formats.blurFormat(format, of: own) }
  }

  var jobCount: Int { running.jobs ?? ProcessInfo.processInfo.activeProcessorCount }

  /// The bytes for all images together.
  var admissionBudget: Int { (running.memory ?? MemoryBudget.standard) - MemoryBudget.base(jobs: jobCount) }
}
