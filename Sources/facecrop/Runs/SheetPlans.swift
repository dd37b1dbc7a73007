import FaceCrop
import SystemPackage

/// The plans of a sheet's inputs, from a report, `batch`, or `crop`.
struct SheetPlans: Sendable {
  /// The plans by the inputs' indices. An input without one is searched for faces.
  private let plans: [Int: CropPlan]
  /// The number of plans for other inputs.
  let others: Int

  /// Reads a list of plans, or the one plan of a single input.
  init(reading path: FilePath, for inputs: [FilePath], limits: Limits) throws(FileError) {
    if inputs.count == 1, PlanFile.isPlan(path) {
      (plans, others) = ([0: try PlanFile.read(path, limits: limits)], 0)
      return
    }
    let locator = InputLocator(manifest: path)
    var list = try PlanLog.read(path, locator, limits: limits)
    let named = inputs.map { (location: locator.location(of: $0), path: $0) }
    let files = named.filter { $0.path != FilePath(Input.standard) }
    let edited = list.dropEdited(files, limits: limits)
    others = list.settle(files, limits: limits)
    list.name(edited)
    var plans: [Int: CropPlan] = [:]
    for (index, input) in named.enumerated() { plans[index] = list.plans[input.location] }
    self.plans = plans
  }

  subscript(input: Int) -> CropPlan? { plans[input] }

  /// Returns whether each of a number of inputs has a plan.
  func coverAll(_ inputs: Int) -> Bool { plans.count == inputs }
}
