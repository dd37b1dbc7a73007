import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

/// What a run of many pictures is told beside what is wanted of each.
struct BatchOptions: ParsableArguments {
  @Argument(help: "The pictures, or folders of them.", completion: .file())
  var inputs: [String] = []

  @Option(
    name: [.customShort("d"), .long],
    help: ArgumentHelp("The folder that the outputs go to; made if need be.", valueName: "folder"),
    completion: .directory)
  var outputDir: String?

  @Flag(
    name: .shortAndLong,
    help: """
      Take the files in folders, and in those below, whose structure is kept in the output folder; not hidden ones. What is \
      there and is no picture is passed over, and listed.
      """)
  var recursive = false

  @Option(
    help: ArgumentHelp(
      "Take the names in a file too; - is standard input. They end with newlines or, if there is one, NULs.",
      valueName: "file"), completion: .file())
  var fromList: String?

  @Option(
    help: ArgumentHelp(
      "Keep the folders below this one for files that are named: with --base photos, photos/a/b.jpg becomes a/b.jpg in the output folder.",
      valueName: "folder"), completion: .directory)
  var base: String?

  @Option(
    help: ArgumentHelp(
      """
      How outputs are named: {stem} and {name} are the input's name without and with its extension, {index} is the number \
      of the crop, {size} the longer side, {ext} the extension. (default: {stem}.{ext}, with -{index} for --faces each and \
      -{size} for several sizes)
      """, valueName: "template"))
  var name: String?

  @Option(
    help: """
      What to do with pictures whose outputs would have one name, like a.heic and a.jpg: refuse the run (fail), number the \
      outputs of all but the first (number), skip all but the first (first), or keep the inputs' extensions in the names \
      (keep-extension). The first is the one whose path is first in the order of its bytes.
      """)
  var onCollision = CollisionPolicy.fail

  @Option(
    help: """
      What to take of a camera's two files of one picture, like a.nef and a.jpg: the JPEG (jpeg), the RAW file, by the JPEG in it \
      (raw), or both, with the inputs' extensions in the outputs' names (both).
      """)
  var pairs = PairPolicy.jpeg

  @Option(
    help: ArgumentHelp(
      """
      Take only part i of n of the inputs, i from 0, for n runs on as many machines that together take all; which one an \
      input belongs to depends on its name alone. The manifest is then manifest-i-of-n.ndjson.
      """, valueName: "i/n"))
  var shard: Shard?

  @Option(name: .shortAndLong, help: "Pictures that are worked on at a time. (default: the processors)")
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      """
      The most memory that the run may take: 512M, 2GiB. A picture waits until there is enough for it; one that alone may \
      take more fails. (default: half of the machine's)
      """, valueName: "n"))
  var memory: Quantity?

  @Option(
    help: ArgumentHelp(
      "The record of what became of each input, JSON lines. (default: manifest.ndjson in the output folder)",
      valueName: "file"), completion: .file())
  var manifest: String?

  @Flag(
    inversion: .prefixedNo,
    help: """
      Pass over what the manifest says is done: the input unchanged, the same options, the outputs there.
      """)
  var resume = true

  @Flag(help: "Try again what failed.")
  var retry = false

  @Flag(help: "Compare the outputs that are there with the manifest's checksums, not only their sizes.")
  var verify = false

  @Flag(
    help: """
      Remove, at the end, outputs that the manifest names and that this run would not make: of inputs that are gone, and those \
      that have other names now. Files that are not, to the byte, what was made stay.
      """)
  var prune = false

  @Option(
    help: ArgumentHelp(
      "Collect the inputs without a face, and those that failed, in this folder: as hard links, or copies.",
      valueName: "folder"), completion: .directory)
  var rejectDir: String?

  @Flag(help: "Look, print what would be done as JSON lines, and write no pictures and no manifest.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("Write the plans (faces and regions), one JSON object a picture.", valueName: "file"),
    completion: .file())
  var planOut: String?

  @Option(
    help: ArgumentHelp(
      "Apply such plans instead of looking; without inputs, to all that they name; with inputs, those without a plan are looked at.",
      valueName: "file"),
    completion: .file())
  var planIn: String?

  @Option(
    help: ArgumentHelp(
      "Write a page that shows all of the manifest, where frames are put right by hand; its thumbnails go to a folder beside it.",
      valueName: "file"),
    completion: .file())
  var report: String?

  @Flag(
    help: """
      Serve another program: one JSON object a line on standard input, {"id": 1, "input": "a.jpg", "output": "b.jpg"} and \
      any options of crop by their names, one answer a line on standard output, in order of completion. The options of the \
      command line hold where a request does not say otherwise.
      """)
  var worker = false

  @Flag(help: .hidden)
  var pictureProcess = false

  @Option(help: "Progress on standard error: a bar, a JSON line a second, or none; auto is a bar on a terminal.")
  var progress = ProgressChoice.auto

  @OptionGroup var wanted: RequestOptions
  @OptionGroup var cut: LosslessOption
  @OptionGroup var look: LookOptions

  func validate() throws {
    for name in [outputDir, fromList, base, manifest, rejectDir, planOut, planIn, report] + inputs
    where name?.isEmpty == true {
      throw ValidationError("A file's name is empty.")
    }
    if let jobs, !(1...1_024).contains(jobs) { throw ValidationError("The jobs must be 1 to 1024, not \(jobs).") }
    if admissionBudget < MemoryBudget.leastForPictures {
      let least = MemoryBudget.base(jobs: jobCount) + MemoryBudget.leastForPictures
      throw ValidationError(
        """
        \(jobCount) \(jobCount == 1 ? "job needs" : "jobs need") --memory \(least >> 20)MiB or more; give that, or fewer --jobs.
        """)
    }
    try wanted.check(look)
    try cut.check(wanted)
    try worker ? validateWorker() : validateRun()
  }

  private func validateRun() throws {
    if inputs.isEmpty && fromList == nil && planIn == nil {
      throw ValidationError("There is no input; name files or folders, or a list of them by --from-list.")
    }
    if outputDir == nil && !dryRun { throw ValidationError("Name a folder for the outputs with -d.") }
    if inputs.contains(Input.standard) {
      throw ValidationError("Standard input is no file here; a list of names comes from it by --from-list -.")
    }
    for (option, file) in [
      ("--manifest", manifest), ("--plan-out", planOut), ("--plan-in", planIn), ("--report", report),
    ] where file == Input.standard {
      throw ValidationError("\(option) needs a file.")
    }
    if let planOut, planOut == planIn { throw ValidationError("--plan-in and --plan-out cannot be one file.") }
    if dryRun && manifest != nil {
      throw ValidationError("--dry-run writes no manifest; its lines go to standard output.")
    }
    if dryRun && prune { throw ValidationError("--prune removes files, and --dry-run does nothing.") }
    if dryRun && report != nil { throw ValidationError("A report shows what was done, and --dry-run does nothing.") }
    let template = try nameTemplate
    if let template {
      if wanted.faces == .each && !template.has(.index) {
        throw ValidationError("--faces each makes several outputs of a picture; put {index} into --name.")
      }
      if wanted.size.sides.count > 1 && !template.has(.size) {
        throw ValidationError("Several sizes need different names; put {size} into --name.")
      }
    }
    if let format = try namedFormat { try wanted.encoding.check(format, isNamed: true) }
    // Plans may have frames that reach over the edge, and do not say what fills them.
    if planIn == nil { try wanted.checkFill(.of(wanted)) }
  }

  private func validateWorker() throws {
    if let first = Self.runsOnly.first(where: { $0.isGiven(self) }) {
      throw ValidationError(
        "--worker takes its inputs and outputs from standard input, so \(first.words) cannot be given.")
    }
  }

  /// What a worker cannot be told. Its own are in ``WorkerRequest/ownFlags`` and `ownOptions`; all others are its requests'.
  static let runsOnly: [OptionRule<BatchOptions>] = [
    OptionRule("inputs") { !$0.inputs.isEmpty },
    OptionRule("--output-dir") { $0.outputDir != nil },
    OptionRule("--recursive") { $0.recursive },
    OptionRule("--from-list") { $0.fromList != nil },
    OptionRule("--shard") { $0.shard != nil },
    OptionRule("--base") { $0.base != nil },
    OptionRule("--name") { $0.name != nil },
    OptionRule("--on-collision") { $0.onCollision != .fail },
    OptionRule("--pairs") { $0.pairs != .jpeg },
    OptionRule("--manifest") { $0.manifest != nil },
    OptionRule("--retry") { $0.retry },
    OptionRule("--verify") { $0.verify },
    OptionRule("--prune") { $0.prune },
    OptionRule("--reject-dir") { $0.rejectDir != nil },
    OptionRule("--dry-run") { $0.dryRun },
    OptionRule("--plan-out") { $0.planOut != nil },
    OptionRule("--plan-in") { $0.planIn != nil },
    OptionRule("--report") { $0.report != nil },
  ]

  var nameTemplate: NameTemplate? {
    get throws(ValidationError) {
      guard let name else { return nil }
      return try NameTemplate(name)
    }
  }

  /// The format by option or the template's extension; nil leaves it to each input's name.
  var namedFormat: ImageFormat? {
    get throws(ValidationError) {
      guard let name, try nameTemplate?.endsInExtensionField == false else {
        return try cut.format(wanted.encoding.chosenFormat)
      }
      return try cut.format(wanted.encoding.namedFormat(for: name))
    }
  }

  var jobCount: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }

  /// Bytes that pictures may take together.
  var admissionBudget: Int { (memory?.value ?? MemoryBudget.standard) - MemoryBudget.base(jobs: jobCount) }
}
