import FaceCrop
import SystemPackage

/// The outputs of each input, planned before anything is decoded.
struct BatchPlan: Sendable {
  struct Item: Sendable {
    var input: BatchInput
    var outputs: OutputPattern
    /// A stored plan to apply without a detection pass.
    var plan: CropPlan?
    /// The identifier of a plan from an earlier run.
    var correction: String?
    /// Whether the plan is as detection made it, so that it is no correction.
    var isDetected = false
    /// The request that chooses the people to hide in the image; nil for that of the run.
    var blur: BlurRequest?
    /// The names of the given options that have no effect on the frames of the plan; nil for none.
    var ignoredOptions: String?
    /// The time of the exposure in seconds since 1970, which only `--best-of` reads; nil if unknown.
    var time: Double?
    /// The number of the photo's moment; nil for a photo alone. And its rank among the photos of the moment, best first.
    var moment: Int?
    var rank = 0
    /// Whether it is cropped only if better photos of its moment fail.
    var isSpare = false

    /// The identifier of the plan; nil without one.
    var planID: String? { correction ?? plan.map(Fingerprint.of) }
    /// Whether a person made the plan.
    var isCorrected: Bool { plan != nil && !isDetected }
    /// Whether a person rejected all outputs.
    var isRejected: Bool { isCorrected && plan?.crops.isEmpty == true }
    /// Whether it can collide. A rejected photo leaves its name to the others of its moment.
    var claimsNames: Bool { input.obstacle == nil && (time == nil || !isRejected) }
  }

  /// The names and formats of outputs, common to all inputs.
  struct Naming {
    /// The template; nil for the default names.
    var template: NameTemplate?
    /// The format; nil keeps that of the input.
    var format: ImageFormat?
    /// The treatment of animations, which the format can depend on.
    var animation = AnimationPolicy.first
    var sizes: [String]
    /// Whether an image may have several crops.
    var isNumbered: Bool
    /// Whether each image has one output, whatever its plan has.
    var makesWholeImages = false
    /// The folder for outputs of images without a face, relative to the output folder; nil for the output folder
    /// itself.
    var noFaceFolder: FilePath? = nil
    /// The names of the people in the inputs; nil without any.
    var names: NameList? = nil
  }

  var items: [Item]
  /// The names of the people in the inputs, for the report; nil without any.
  var names: NameList?
  /// The locations of the whole run's inputs, also of those that are in other shards.
  let inputs: Set<FilePath>
  /// The outputs of earlier runs that stay, relative to the output folder.
  var keptOutputs: Set<FilePath> = []
  /// Those with a person's frame whose images are missing.
  var lostOutputs: Set<FilePath> = []
  /// The locations of named folders in which no file was found, because they may not be mounted.
  var emptyFolders: Set<FilePath> = []

  /// Creates a plan. `plans` are people's of this run, `corrections` those of earlier runs, and `detected` are plans for
  /// the other inputs that nobody corrected, all by their inputs' locations.
  ///   - facts: The facts for names of outputs, by the inputs' locations.
  init(
    _ inputs: [BatchInput], naming: Naming, plans: [FilePath: CropPlan] = [:],
    corrections: [FilePath: Correction] = [:], detected: [FilePath: CropPlan] = [:], facts: [FilePath: InputFacts] = [:]
  ) {
    (self.inputs, names) = (Set(inputs.map(\.location)), naming.names)
    items = inputs.map { input in
      let correction = plans[input.location] == nil ? corrections[input.location] : nil
      let own = plans[input.location] ?? correction?.plan
      let plan = own ?? detected[input.location]
      let standard = NameTemplate.standard(
        isNumbered: naming.isNumbered || (plan?.isNumbered == true && !naming.makesWholeImages),
        isSized: naming.sizes.count > 1,
        hasPersons: naming.names != nil)
      let outputs = OutputPattern(
        template: naming.template ?? standard, place: input.place,
        format: naming.format ?? Self.format(of: input, naming.animation), sizes: naming.sizes,
        noFaceFolder: naming.noFaceFolder, facts: facts[input.location] ?? InputFacts())
      var input = input
      if let names = naming.names, outputs.template.needsNames, input.obstacle == nil,
        let lack = names.lack(of: outputs.template.columns, for: input.path)
      {
        input.obstacle =
          input.obstacleByBeginning ?? .failed("name", "'\(names.name)' has no \(lack)", isTransient: true)
      }
      if input.obstacle == nil, let outside = outputs.firstPaths.first(where: { !OutputFolder.isInside($0) }) {
        input.obstacle = .failed(
          "name", "the output '\(outside)' would lie outside the output folder (choose other names with --name)")
      }
      return Item(
        input: input, outputs: outputs, plan: plan, correction: correction?.entry.plan,
        isDetected: own == nil && plan != nil)
    }
  }

  /// Returns the usual output format of an input, by its first bytes. A file that cannot be read yet has the format of
  /// its name, or else JPEG.
  private static func format(of input: BatchInput, _ animation: AnimationPolicy) -> ImageFormat {
    if input.obstacle == nil, FileStatus(input.path)?.isRegular == true,
      let own = try? ImageSource.file(input.path).format()
    {
      return own.usualFormat(for: animation)
    }
    guard case .written(let format) = OutputName.format(of: input.place) else { return .jpeg }
    return format.usualFormat(for: animation)
  }
}
