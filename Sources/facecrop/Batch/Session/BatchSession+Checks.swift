import ArgumentParser
import SystemPackage

/// The checks before a run.
extension BatchSession {
  /// Refuses a command line without any usable input: missing files, or folders without -r. A single unusable input
  /// among others is recorded in the manifest.
  func checkInputs() throws(ValidationError) {
    if let base = paths.base, FileStatus(base)?.isFolder != true {
      throw ValidationError("--base '\(base)': no such folder (name a folder that holds the inputs)")
    }
    if !options.dryRun {
      for (folder, title, option) in [(paths.folder, "output folder", "-d")]
        + (paths.rejects.map { [($0, "folder of rejected inputs", "--reject-dir")] } ?? [])
      {
        guard let identity = FileStatus(folder)?.identity,
          let same = paths.inputs.first(where: { FileStatus($0)?.identity == identity })
        else { continue }
        throw ValidationError("\(same): the input folder is also the \(title) (choose another with \(option))")
      }
    }
    // The first run makes both folders, so their names are compared, too.
    if let rejects = paths.rejects, !options.dryRun,
      rejects.lexicallyNormalized() == paths.folder.lexicallyNormalized()
        || FileStatus(rejects).map({ $0.identity == FileStatus(paths.folder)?.identity }) == true
    {
      throw ValidationError(
        "--reject-dir '\(options.rejectDir ?? "")' is also the output folder (choose another for rejected inputs)")
    }
    guard paths.list == nil, let first = paths.inputs.first else { return }
    let statuses = paths.inputs.map { FileStatus($0) }
    guard statuses.allSatisfy({ $0 == nil || $0?.isFolder == true && !options.recursive }) else { return }
    throw ValidationError(
      statuses[0] == nil
        ? "\(first): no such file or folder (check the name)"
        : "\(first): the input is a folder (pass -r to crop the files in it)")
  }

  /// Refuses inputs that are not below the base, because their places in the output folder would be a guess.
  func checkBase(of list: InputList) throws(ValidationError) {
    guard let base = paths.base, let first = list.outsiders.first else { return }
    let count = list.outsiders.count - 1
    let others = count > 0 ? ", nor \(count == 1 ? "is" : "are") \(DisplayText.count(count, "other"))" : ""
    throw ValidationError(
      "\(first): the input is not below --base '\(base)'\(others) (name a folder that holds all inputs, or leave out --base)"
    )
  }

  /// Says that a run has no inputs.
  func warnOfNoInputs() {
    let places = options.inputs + [options.fromList, options.planIn].compactMap { $0 }
    let problem =
      switch (options.recursive, options.inputs.count == places.count, places.count == 1) {
      case (true, true, true): "the folder has no images (name another folder)"
      case (true, true, false): "the folders have no images (name other folders)"
      case (true, false, _): "no files to crop were found (name images, or folders with images)"
      case (false, _, _): "no files to crop were found (name images, or folders with -r)"
      }
    Console.say("facecrop: \(places.joined(separator: ", ")): warning: \(problem)")
  }

  /// Names the named folders without any file, because they may be places where nothing is mounted.
  func warnOfEmptyFolders(_ folders: [FilePath]) {
    BatchProgress.warn(
      of: folders, "the folder has no images, and outputs of earlier images in it are kept (mount it, or leave it out)"
    ) { "\(DisplayText.count($0, "more folder", "has", "have")) no images" }
  }

  /// Names the given options that plans make useless: for all inputs, or for those whose plans have other frames.
  func warnOfIgnoredOptions(_ plan: BatchPlan) {
    let usable = plan.items.filter { $0.input.obstacle == nil }
    let ignoring = usable.compactMap(\.ignoredOptions)
    let effect: String
    var words = ignoring.first
    if usable.allSatisfy({ $0.plan != nil }) {
      // The preset counts if frames are its own: later runs compare with it.
      words = words ?? GivenOptions.launch.ignoredByPlans(but: ["--preset"])
      effect = ", because the plans have the faces and the frames of all inputs"
    } else {
      effect =
        " on \(ignoring.count) of \(DisplayText.count(usable.count, "input")), because their plans have other frames"
    }
    guard let words else { return }
    Console.say(
      "facecrop: \(options.planIn ?? ""): warning: \(words) had no effect\(effect)\(GivenOptions.remedy(for: words))"
    )
  }

  /// Refuses outputs that would overwrite each other. A dry run shows all of them.
  func check(_ collisions: [BatchPlan.Collision]) throws(UsageError) {
    guard !collisions.isEmpty else { return }
    let shown = collisions.prefix(options.dryRun ? .max : 10).map { collision in
      // Names in two Unicode forms look the same.
      let (first, second) = ("\(collision.first)", "\(collision.second)")
      let inputs =
        first == second ? "\(DisplayText.escaped(first)) and \(DisplayText.escaped(second))" : "\(first) and \(second)"
      guard let variant = collision.variant else { return "\(inputs) both give \(collision.output)" }
      return variant.string == collision.output.string
        ? "\(inputs) both give \(collision.output)"
        : "\(inputs) give \(variant) and \(collision.output), which are one name on some disks"
    }
    let policy =
      switch options.onCollision {
      case .fail: ", or set --on-collision"
      case .keepExtension: ", or pass --on-collision number or first"
      case .number, .first: ""
      }
    let wayOut = "choose other names with --name\(policy); --base FOLDER keeps the subfolders below FOLDER"
    throw UsageError(
      message: "outputs would overwrite each other (\(wayOut)):",
      details: shown + (collisions.count > shown.count ? ["and \(collisions.count - shown.count) more"] : []))
  }

  /// Refuses invalid outputs before the work begins.
  func check(_ plan: BatchPlan) throws {
    for item in plan.items where item.input.isNamed || OutputName.format(of: item.input.place) != nil {
      try options.wanted.encoding.check(item.outputs.format)
    }
    guard !options.dryRun else { return }
    let inputs = Dictionary(
      plan.items.compactMap { item in FileStatus(item.input.path).map { ($0.identity, item.input.path) } },
      uniquingKeysWith: { first, _ in first })
    for item in plan.items {
      for path in item.outputs.firstPaths.map({ paths.folder.pushing($0) }) {
        if let status = FileStatus(path), let input = inputs[status.identity], status.isRegular {
          throw ValidationError(
            "\(item.input.path): the output '\(path)' would overwrite the input '\(input)' (choose another folder)")
        }
      }
    }
  }
}
