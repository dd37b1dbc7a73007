import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

/// The options of `batch`. The options of its groups are accessible as its own.
@dynamicMemberLookup
struct BatchOptions: ParsableArguments {
  struct InputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Crop all images in folders and their subfolders.")
    var recursive = false

    @Option(
      help: ArgumentHelp("Read more input names from a file. (- is standard input)", valueName: "file"),
      completion: .file())
    var fromList: String?

    @Option(
      help: ArgumentHelp("Keep the folder structure below this folder. (example: photos)", valueName: "folder"),
      completion: .directory)
    var base: String?

    @Option(help: "Choose which file of a shot to crop: the JPEG or HEIC, the RAW, or both.")
    var pairs = PairPolicy.jpeg

    @Option(help: ArgumentHelp("Crop one of several parts of the inputs. (examples: 0/2, 1/2)", valueName: "i/n"))
    var shard: Shard?
  }

  struct OutputOptions: ParsableArguments {
    @Option(
      name: [.customShort("d"), .long],
      help: ArgumentHelp("Write the outputs to this folder; create it if needed.", valueName: "folder"),
      completion: .directory)
    var outputDir: String?

    @Option(help: ArgumentHelp("Name the outputs by a template. (default: {stem}.{ext})", valueName: "template"))
    var name: String?

    @Option(
      help: ArgumentHelp(
        "Read the names of people from a CSV file, for {person} in --name. (columns: image, name of each face)",
        valueName: "file"),
      completion: .file())
    var names: String?

    @Option(help: "Choose how to handle inputs whose outputs would have the same name.")
    var onCollision = CollisionPolicy.fail

    @Option(
      help: ArgumentHelp(
        "Write outputs of images without a face to this folder below the output folder.", valueName: "name"))
    var noFaceDir: String?

    @Option(
      help: ArgumentHelp("Link or copy inputs that failed or have no face to this folder.", valueName: "folder"),
      completion: .directory)
    var rejectDir: String?
  }

  struct ResumeOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "Record the result of each input as JSON lines. (default: manifest.ndjson in the output folder)",
        valueName: "file"), completion: .file())
    var manifest: String?

    @Flag(inversion: .prefixedNo, help: "Skip inputs whose outputs are up to date.")
    var resume = true

    @Flag(help: "Retry inputs that failed.")
    var retry = false

    @Flag(help: "Compare the checksums of existing outputs, not only their sizes.")
    var verify = false

    @Flag(help: "Replace outputs that were changed, and other files with an output's name.")
    var overwrite = false

    @Flag(help: "Remove outputs of earlier runs that this run would not make.")
    var prune = false
  }

  struct PlanOptions: ParsableArguments {
    @Flag(help: "Print the planned work, and write no images. (JSON lines)")
    var dryRun = false

    @Option(
      help: ArgumentHelp("Write the plans of all images to a file. (JSON lines)", valueName: "file"),
      completion: .file())
    var planOut: String?

    @Option(
      help: ArgumentHelp(
        "Apply the plans from a report or --plan-out instead of detecting faces.", valueName: "file"),
      completion: .file())
    var planIn: String?

    // For facecrop-server: makes the outputs of the inputs in a list again, by --plan-in or without a plan, and removes
    // their outdated ones. Names of outputs are those of the whole run.
    @Option(help: .hidden)
    var remake: String?
  }

  struct RunOptions: ParsableArguments {
    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Crop this many images at once. (default: the processors)", valueName: "n"))
    var jobs: Int?

    @Option(
      help: ArgumentHelp(
        "Limit the memory of the run. (examples: 512M, 2GiB; default: half of the machine's)", valueName: "n"))
    var memory: ByteCount?

    @Flag(help: "Read requests from standard input, for another program. (JSON lines)")
    var worker = false

    @Flag(help: .hidden)
    var pictureProcess = false
  }

  struct ReportOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "Write an HTML report, in which frames can be corrected. (use it from the first run on)", valueName: "file"),
      completion: .file())
    var report: String?

    @Flag(help: "Print a summary as a JSON object on standard output.")
    var json = false

    @OptionGroup var bar: ProgressOption

    var progress: ProgressChoice { bar.progress }
  }

  @Argument(help: ArgumentHelp("Image files, or folders of them.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @OptionGroup(title: HelpTitle.input) var input: InputOptions
  @OptionGroup(title: HelpTitle.output) var destination: OutputOptions
  @OptionGroup var wanted: RequestOptions
  @OptionGroup(title: HelpTitle.encoding) var cut: LosslessOption
  @OptionGroup(title: HelpTitle.hiding) var hiding: BatchHidingOptions
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

  func validate() throws {
    for name in [
      destination.outputDir, input.fromList, input.base, resumption.manifest, destination.rejectDir,
      destination.noFaceDir, destination.names, plans.planOut, plans.planIn, plans.remake, reporting.report,
    ] + inputs where name?.isEmpty == true {
      throw ValidationError("a file name is empty (name a file)")
    }
    if let jobs = running.jobs, !(1...1_024).contains(jobs) {
      throw ValidationError("--jobs \(jobs) is out of range (use 1 to 1024)")
    }
    if admissionBudget < MemoryBudget.leastForPictures {
      let least = MemoryBudget.base(jobs: jobCount) + MemoryBudget.leastForPictures
      throw ValidationError(
        """
        --memory is too small for \(jobCount) \(jobCount == 1 ? "job" : "jobs") \
        (use --memory \(least >> 20)MiB or more, or fewer --jobs)
        """)
    }
    try hiding.check(wanted, cut)
    try wanted.check(look)
    try cut.check(wanted)
    try running.worker ? validateWorker() : validateRun()
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
    for (option, file) in [
      ("--manifest", resumption.manifest), ("--plan-out", planOut), ("--plan-in", planIn),
      ("--report", reporting.report), ("--names", destination.names),
    ] where file == Input.standard {
      throw ValidationError("\(option) cannot be - (name a file)")
    }
    if plans.remake != nil && (dryRun || input.fromList == Input.standard) {
      throw ValidationError("--remake needs all inputs again (leave out --dry-run, and name a file with --from-list)")
    }
    if let planOut, planOut == planIn {
      throw ValidationError("--plan-in and --plan-out name the same file, '\(planOut)' (choose two files)")
    }
    if dryRun && resumption.manifest != nil {
      throw ValidationError("--dry-run writes no manifest (leave out --manifest, and read standard output)")
    }
    if dryRun && resumption.prune {
      throw ValidationError("--dry-run removes no files (leave out --dry-run or --prune)")
    }
    if dryRun && reporting.report != nil {
      throw ValidationError("--dry-run has no results to report (leave out --dry-run or --report)")
    }
    if hiding.blur, destination.names != nil || destination.noFaceDir != nil {
      throw ValidationError(
        "--blur makes one output of each image (leave out \(destination.names != nil ? "--names" : "--no-face-dir"))")
    }
    if let name = destination.noFaceDir {
      guard OutputFolder.isInside(FilePath(name)) else {
        throw ValidationError(
          "--no-face-dir '\(name)' is not a folder below the output folder (use a relative name without ..)")
      }
      if wanted.aligning.template != nil, wanted.noFace == nil {
        throw ValidationError(
          "--no-face-dir has no outputs under --template, which needs a face (leave out --no-face-dir, or pass --no-face maybe)"
        )
      }
      if wanted.noFace == .skip || wanted.noFace == .fail {
        throw ValidationError(
          "--no-face-dir has no outputs under --no-face \(wanted.noFace!.rawValue) (leave out one of them)")
      }
    }
    let template = try nameTemplate
    if let template {
      if wanted.faces == .each && !template.tellsCropsApart {
        throw ValidationError("--name lacks {index}, and --faces each makes several outputs (put {index} into --name)")
      }
      if template.has(.person) && destination.names == nil {
        throw ValidationError("--name has {person}, and no names are given (pass a CSV file with --names)")
      }
      if !template.has(.person) && destination.names != nil {
        throw ValidationError("--names has no effect without {person} (put {person} into --name)")
      }
      if wanted.size.labels.count > 1 && !template.has(.size) {
        let option = wanted.size.fillSizes.shapes.count > 1 ? "--fill-sizes" : "--size"
        throw ValidationError(
          "--name lacks {size}, and \(option) makes \(wanted.size.labels.count) outputs (put {size} into --name)")
      }
    }
    if let format = try namedFormat { try wanted.encoding.check(format, isNamed: true) }
    // Plans may have frames that reach over the edge, but do not contain the fill.
    if planIn == nil { try wanted.checkFill(.crop) }
  }

  private func validateWorker() throws {
    if let first = Self.runsOnly.first(where: { $0.isGiven(self) }) {
      throw ValidationError(
        "--worker takes its inputs and outputs from standard input (leave out \(first.words))")
    }
  }

  /// The options that a worker refuses. Its own are in ``WorkerRequest/ownFlags`` and `ownOptions`, and all others
  /// belong to its requests.
  static let runsOnly: [OptionRule<BatchOptions>] =
    [
      OptionRule("inputs") { !$0.inputs.isEmpty },
      OptionRule("--output-dir") { $0.outputDir != nil },
      OptionRule("--recursive") { $0.recursive },
      OptionRule("--from-list") { $0.fromList != nil },
      OptionRule("--shard") { $0.shard != nil },
      OptionRule("--base") { $0.base != nil },
      OptionRule("--name") { $0.name != nil },
      OptionRule("--names") { $0.names != nil },
      OptionRule("--on-collision") { $0.onCollision != .fail },
      OptionRule("--pairs") { $0.pairs != .jpeg },
      OptionRule("--manifest") { $0.manifest != nil },
      OptionRule("--retry") { $0.retry },
      OptionRule("--verify") { $0.verify },
      OptionRule("--prune") { $0.prune },
      OptionRule("--reject-dir") { $0.rejectDir != nil },
      OptionRule("--no-face-dir") { $0.noFaceDir != nil },
      OptionRule("--overwrite") { $0.overwrite },
      OptionRule("--json") { $0.json },
      OptionRule("--dry-run") { $0.dryRun },
      OptionRule("--plan-out") { $0.planOut != nil },
      OptionRule("--plan-in") { $0.planIn != nil },
      OptionRule("--remake") { $0.remake != nil },
      OptionRule("--report") { $0.report != nil },
      OptionRule("--blur") { $0.hiding.blur },
    ] + BatchHidingOptions.own.map { rule in OptionRule(rule.words) { rule.isGiven($0.hiding) } }

  var nameTemplate: NameTemplate? {
    get throws(ValidationError) {
      guard let name = destination.name else { return nil }
      return try NameTemplate(name)
    }
  }

  /// The format by option or the template's extension; nil leaves it to each input's name.
  var namedFormat: ImageFormat? {
    get throws(ValidationError) {
      guard let name = destination.name, let template = try nameTemplate, template.hasExtension,
        !template.endsInExtensionField
      else {
        return try cut.format(wanted.encoding.chosenFormat)
      }
      return try cut.format(wanted.encoding.namedFormat(for: name))
    }
  }

  /// The defaults of a run. Images without a face have no outputs, unless these have a folder of their own.
  var defaults: CropDefaults {
    var defaults = CropDefaults.crop
    if destination.noFaceDir == nil { defaults.noFace = .skip }
    return defaults
  }

  /// The request of `--blur`; nil for crops.
  var anonymization: Anonymization? { hiding.blur ? hiding.request(wanted, look) : nil }

  /// Returns the method for outputs of a format.
  func method(_ format: ImageFormat) -> CropMaker.Method {
    guard let anonymization else { return wanted.method(format, isLossless: cut.lossless, defaults) }
    return .hiding(anonymization) { [formats = wanted.encoding.formats] own in formats.hidingFormat(format, of: own) }
  }

  var jobCount: Int { running.jobs ?? ProcessInfo.processInfo.activeProcessorCount }

  /// The bytes for all images together.
  var admissionBudget: Int { (running.memory?.value ?? MemoryBudget.standard) - MemoryBudget.base(jobs: jobCount) }
}
