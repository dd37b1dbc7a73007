import FaceCrop
import SystemPackage

/// Which input gives which outputs, decided before anything is decoded.
struct BatchPlan: Sendable {
  struct Item: Sendable {
    var input: BatchInput
    var outputs: OutputPattern
    /// Stored, to be applied instead of looking.
    var plan: CropPlan?
    /// What an earlier run knew the plan by, where the plan is that run's.
    var correction: String?

    /// What the plan is known by; nil without one.
    var planID: String? { correction ?? plan.map(Fingerprint.of) }
  }

  /// How outputs are named and written, the same for all.
  struct Naming {
    /// Nil names them by the standard.
    var template: NameTemplate?
    /// Nil keeps that of the input's name.
    var format: ImageFormat?
    var sizes: [Int]
    /// Whether a picture may have several crops.
    var isNumbered: Bool
    /// Below the output folder, for outputs of images without a face; nil for the output folder itself.
    var noFaceFolder: FilePath? = nil
    /// The names of the people in the inputs; nil without any.
    var names: NameList? = nil
  }

  var items: [Item]

  /// - Parameters:
  ///   - inputs: In their order.
  ///   - naming: How outputs are named and written.
  ///   - plans: Those that are given now, by their inputs' locations.
  ///   - corrections: Those that were given to earlier runs.
  ///   - facts: What names of outputs need to know, by the inputs' locations.
  init(
    _ inputs: [BatchInput], naming: Naming, plans: [FilePath: CropPlan] = [:],
    corrections: [FilePath: Correction] = [:], facts: [FilePath: InputFacts] = [:]
  ) {
    items = inputs.map { input in
      let correction = plans[input.location] == nil ? corrections[input.location] : nil
      let plan = plans[input.location] ?? correction?.plan
      let standard = NameTemplate.standard(
        isNumbered: naming.isNumbered || plan?.isNumbered == true, isSized: naming.sizes.count > 1,
        hasPersons: naming.names != nil)
      let outputs = OutputPattern(
        template: naming.template ?? standard, place: input.place,
        format: naming.format ?? Self.format(byNameOf: input.place), sizes: naming.sizes,
        noFaceFolder: naming.noFaceFolder, facts: facts[input.location] ?? InputFacts())
      var input = input
      if let names = naming.names, outputs.template.has(.person), outputs.facts.persons == nil, input.obstacle == nil {
        input.obstacle =
          input.obstacleByBeginning
          ?? .failed(
            "name", "'\(names.name)' does not name the people in it (add a line with the file's name and theirs)",
            isTransient: true)
      }
      if input.obstacle == nil, let outside = outputs.firstPaths.first(where: { !OutputFolder.isInside($0) }) {
        input.obstacle = .failed(
          "name", "the output '\(outside)' would lie outside the output folder (choose other names with --name)")
      }
      return Item(input: input, outputs: outputs, plan: plan, correction: correction?.id)
    }
  }

  /// The format that a name says; JPEG for a name that says none, or one that is not written.
  private static func format(byNameOf path: FilePath) -> ImageFormat {
    if case .written(let format) = OutputName.format(of: path) { format.usualFormat } else { .jpeg }
  }

  /// What of it is in a shard.
  func part(_ shard: Shard) -> BatchPlan {
    var part = self
    part.items = items.filter { shard.has($0.input.place) }
    return part
  }
}
