import FaceCrop
import SystemPackage

/// The plans of a sheet's inputs, from a report, `batch`, or `crop`.
struct SheetPlans: Sendable {
  /// The plans by the inputs' indices. An input without one is searched for faces.
  private let plans: [CropPlan?]
  /// The number of plans for other inputs.
  let others: Int

  /// Reads a list of plans, or the one plan of a single input.
  init(reading path: FilePath, for inputs: [FilePath], limits: Limits) throws(FileError) {
    if inputs.count == 1, PlanFile.isPlan(path) {
      (plans, others) = ([try PlanFile.read(path, limits: limits)], 0)
      return
    }
    let locator = InputLocator(manifest: path)
    var list = try PlanLog.read(path, locator, limits: limits)
    let named = inputs.map { (location: locator.location(of: $0), path: $0) }
    let files = named.filter { $0.path != FilePath(Input.standard) }
    let edited = list.dropEdited(files, limits: limits)
    others = list.settle(files, limits: limits)
    list.name(edited)
    plans = named.map { list.plans[$0.location] }
  }

  subscript(input: Int) -> CropPlan? { plans[input] }

  /// Whether each input has a plan.
  var coverAll: Bool { plans.allSatisfy { $0 != nil } }
}
