import FaceCrop
import SystemPackage

/// Which input gives which outputs, decided before anything is decoded.
struct BatchPlan: Sendable {
  struct Item: Sendable {
    var input: BatchInput
    var outputs: OutputPattern
    /// Stored, to be applied instead of looking.
    var plan: CropPlan?
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
  }

  var items: [Item]

  init(_ inputs: [BatchInput], naming: Naming, plans: [FilePath: CropPlan] = [:]) {
    items = inputs.map { input in
      let plan = plans[input.path]
      let standard = NameTemplate.standard(
        isNumbered: naming.isNumbered || (plan?.crops.count ?? 0) > 1, isSized: naming.sizes.count > 1)
      let outputs = OutputPattern(
        template: naming.template ?? standard, place: input.place,
        format: naming.format ?? Self.format(byNameOf: input.place), sizes: naming.sizes)
      var input = input
      if input.obstacle == nil, let outside = outputs.firstPaths.first(where: { !OutputFolder.isInside($0) }) {
        input.obstacle = .failed(
          "name", "the output '\(outside)' would lie outside the output folder (choose other names with --name)")
      }
      return Item(input: input, outputs: outputs, plan: plan)
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
