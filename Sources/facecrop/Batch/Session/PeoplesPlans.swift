import FaceCrop
import SystemPackage

/// The plans that people made for the inputs of a run: those of `--plan-in`, and the corrections of earlier runs. A
/// plan belongs to the content of an image, so it follows an image that was renamed, moved, or copied.
struct PeoplesPlans {
  /// The plans of `--plan-in` by their inputs' locations.
  private(set) var given: [FilePath: CropPlan]
  /// The plans of `--plan-in` as detection made them. They count where nobody has corrected the frame.
  let detected: [FilePath: CropPlan]
  /// The corrections of earlier runs by their inputs' locations.
  private(set) var corrections: [FilePath: Correction]
  /// The plans of `--plan-in` that fit no input.
  let others: Int

  /// The corrections whose images are not among the inputs, in the order of their locations.
  private var lost: [(location: FilePath, correction: Correction)] = []
  /// The corrections that do not fit their inputs.
  private var blocked: [Correction] = []
  private let entries: [FilePath: ManifestEntry]
  private let frame: String
  private let animation: AnimationPolicy
  private var search: ContentSearch

  /// Finds the plans of all inputs. `frame` is the current fingerprint of the options for frames.
  init(
    _ stored: StoredPlans?, _ earlier: ManifestContents, for inputs: [BatchInput], frame: String,
    animation: AnimationPolicy, limits: Limits
  ) {
    var stored = stored ?? StoredPlans()
    let usable = inputs.filter { $0.obstacle == nil }.map { (location: $0.location, path: $0.path) }
    let edited = stored.dropEdited(usable, by: earlier.entries, limits: limits)
    // A list from an older version, or from a program, has no contents.
    stored.contents.merge(earlier.corrections.compactMapValues(\.identity)) { own, _ in own }
    others = stored.settle(usable, by: earlier.entries, limits: limits)
    let isDetected = stored.plans.mapValues { !stored.detected.isEmpty && stored.detected.contains(Fingerprint.of($0)) }
    given = stored.plans.filter { isDetected[$0.key] == false }
    detected = stored.plans.filter { isDetected[$0.key] == true }
    stored.name(edited)
    corrections = earlier.corrections
    entries = earlier.entries
    (self.frame, self.animation) = (frame, animation)
    search = ContentSearch(earlier.corrections.values.compactMap(\.identity), limits: limits)
    if !corrections.isEmpty { follow(inputs) }
  }

  /// Gives the corrections of images to inputs with the same content, if the manifest does not know these.
  private mutating func follow(_ inputs: [BatchInput]) {
    let all = corrections.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    var settled: Set<FilePath> = []
    var placed: Set<String> = []
    var open: [(input: BatchInput, version: FileVersion)] = []
    // The locations whose images are where they were.
    var unmoved: Set<FilePath> = []
    for input in inputs where input.obstacle == nil {
      unmoved.insert(input.location)
      guard given[input.location] == nil else {
        // The new plan replaces the correction.
        if let digest = search.digest(of: input.path) { placed.insert(digest) }
        continue
      }
      let version = FileVersion(input.path)
      if let own = corrections[input.location], own.isOf(version, digest: { search.digest(of: input.path) }) {
        settled.insert(input.location)
        if let content = own.entry.content { placed.insert(content) }
      } else if let version, !isKnown(input, version) {
        unmoved.remove(input.location)
        open.append((input, version))
      }
    }
    let former = corrections
    let origins = origins(of: open, but: unmoved)
    // Corrections without their image come first, and then those whose frames fit the options.
    func rank(_ location: FilePath, _ correction: Correction) -> Int {
      (settled.contains(location) ? 2 : 0) + (correction.fits(frame) ? 0 : 1)
    }
    var known: [String: (location: FilePath, correction: Correction)] = [:]
    // A rejection may mean one of two equal files.
    for (location, correction) in all where !correction.isRejection {
      guard let content = correction.entry.content else { continue }
      if let best = known[content], rank(best.location, best.correction) <= rank(location, correction) { continue }
      known[content] = (location, correction)
    }
    var moved: Set<FilePath> = []
    for (input, version) in open {
      guard let digest = search.digest(of: input.path) else { continue }
      let origin = origins[input.location]
      // One of several equal images may have no correction.
      if let origin, former[origin] == nil, moved.insert(origin).inserted { continue }
      let own = origin.flatMap { place in former[place].map { (location: place, correction: $0) } }
      guard var found = own ?? known[digest] else { continue }
      found.correction.file = version
      corrections[input.location] = found.correction
      placed.insert(digest)
      moved.formUnion([found.location])
      settled.insert(input.location)
    }
    // The corrected image has another name now, and the one with its old name is a new image.
    for (input, _) in open where moved.contains(input.location) && !settled.contains(input.location) {
      corrections[input.location] = nil
    }
    let locations = Set(inputs.map(\.location))
    lost = all.filter { !locations.contains($0.key) && $0.value.entry.content.map(placed.contains) != true }
      .map { ($0.key, $0.value) }
  }

  /// Returns the former locations of moved images, by their new ones.
  private mutating func origins(
    of inputs: [(input: BatchInput, version: FileVersion)], but unmoved: Set<FilePath>
  ) -> [FilePath: FilePath] {
    let files = inputs.map { input, version in
      KnownFile(location: input.location, version: version, content: search.digest(of: input.path))
    }
    let former = entries.filter { !unmoved.contains($0.key) }.map { location, entry in
      let correction = corrections[location]
      return KnownFile(
        location: location, version: correction?.file ?? entry.file,
        content: correction?.entry.content ?? entry.content)
    }
    return MovedFiles.origins(of: files, among: former)
  }

  /// The corrected outputs that this run can neither make again nor give up.
  var keptOutputs: Set<FilePath> { lostOutputs.union(blocked.flatMap(\.outputs)) }
  /// Those of missing images.
  var lostOutputs: Set<FilePath> { Set(lost.flatMap(\.correction.outputs)) }

  /// Names the corrections that are not used, and removes them.
  mutating func giveUp(_ inputs: [BatchInput]) {
    let given = inputs.filter { self.given[$0.location] == nil && corrections[$0.location] != nil }
    BatchProgress.warn(
      of: given.map(\.path), "its corrected frame is given up, because of --no-resume (apply it again with --plan-in)"
    ) { "\(DisplayText.count($0, "more corrected frame", "is", "are")) given up (apply them again with --plan-in)" }
    (corrections, lost) = ([:], [])
  }

  /// Removes the corrections of inputs that are made again without a plan.
  mutating func takeBack(_ locations: Set<FilePath>) {
    for location in locations where given[location] == nil { corrections[location] = nil }
  }

  /// Protects inputs whose corrected frames no longer fit, so that their outputs stay, or follows the policy. It names the
  /// corrections that it drops.
  mutating func protect(_ inputs: inout [BatchInput], by policy: CorrectionPolicy) {
    guard !corrections.isEmpty else { return }
    for index in inputs.indices where given[inputs[index].location] == nil && inputs[index].obstacle == nil {
      let input = inputs[index]
      guard let correction = corrections[input.location], let (reason, isRetake) = misfit(of: input, correction)
      else { continue }
      switch policy {
      case .apply where isRetake: corrections[input.location]?.file = FileVersion(input.path)
      case .drop:
        Console.say("facecrop: \(input.path): warning: \(reason), and this correction is given up")
        corrections[input.location] = nil
      case .fail, .apply, .keep:
        let apply = isRetake ? "use it for the new file with --corrections apply, " : ""
        let kept = correction.isRejection ? "it stays rejected" : "its output was kept"
        let ways = "correct the frame again, \(apply)drop it with --corrections drop, or pass --corrections keep"
        inputs[index].obstacle =
          policy == .keep
          ? .skipped(Correction.kind, "\(reason), and \(kept)")
          : .failed(Correction.kind, "\(reason) (\(kept); \(ways))", isTransient: true)
        blocked.append(correction)
      }
    }
  }

  /// Returns why the correction of an input does not fit, as a clause, and whether a new file is the reason.
  private mutating func misfit(of input: BatchInput, _ correction: Correction) -> (reason: String, isRetake: Bool)? {
    guard correction.fits(frame) else {
      return ("its corrected frame does not fit the options, which place frames in another way", false)
    }
    guard correction.fits(animation) else {
      return (
        "its corrected frame was made with --animation \(correction.entry.animation ?? ""), and --animation \(animation.rawValue) takes other frames of the animation",
        false
      )
    }
    if correction.isOf(FileVersion(input.path), digest: { search.digest(of: input.path) }) { return nil }
    return correction.isRejection
      ? ("it was rejected, but the file was changed since", true)
      : ("its corrected frame is for another image, since the file was changed", true)
  }

  /// Protects the outputs of corrections that this run does not make again: no other image replaces them. With
  /// `overwrites` it only names them. A rejected image that returns with other content is named, too.
  func protectOutputs(_ plan: inout BatchPlan, in folder: FilePath, overwrites: Bool) {
    guard !lost.isEmpty || !blocked.isEmpty else { return }
    var owners: [FilePath: Correction] = [:]
    var rejected: [FilePath.Component: Correction] = [:]
    for correction in lost.map(\.correction) + blocked {
      for output in correction.outputs where FileStatus(folder.pushing(output)) != nil { owners[output] = correction }
    }
    for (location, correction) in lost {
      if correction.isRejection, let name = location.lastComponent { rejected[name] = correction }
    }
    for index in plan.items.indices where plan.items[index].input.obstacle == nil && plan.items[index].plan == nil {
      let item = plan.items[index]
      let isKnown = isKnown(item.input, FileVersion(item.input.path))
      // Those of an earlier run replaced the corrected ones already.
      let own = isKnown ? Set((entries[item.input.location]?.outcome.outputs ?? []).map(\.path)) : []
      if let owner = item.outputs.firstPaths.lazy.filter({ !own.contains($0) }).compactMap({ owners[$0] }).first {
        let reason =
          "its output would replace the corrected one of '\(owner.entry.input)', which this run does not make again"
        if overwrites {
          Console.say("facecrop: \(item.input.path): warning: \(reason)")
        } else {
          let ways = "choose another folder with -d, or pass --overwrite to replace it, and all changed outputs"
          plan.items[index].input.obstacle = .failed(
            Correction.kind, "\(reason) (the corrected output was kept; \(ways))", isTransient: true)
        }
      } else if !isKnown, let name = item.input.path.lastComponent, let owner = rejected[name] {
        Console.say(
          "facecrop: \(item.input.path): warning: '\(owner.entry.input)' was rejected, but this image has other content and is cropped (reject it in the report)"
        )
      }
    }
  }

  /// Returns whether the manifest has a result of this version of a file.
  private func isKnown(_ input: BatchInput, _ version: FileVersion?) -> Bool {
    entries[input.location]?.isResult(of: version) == true
  }
}
