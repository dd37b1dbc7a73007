import ArgumentParser
import SystemPackage

/// What becomes of pictures whose outputs would have one name, as a.heic and a.jpg, which both give a.jpg.
enum CollisionPolicy: String, CaseIterable, ExpressibleByArgument {
  /// The run is refused before it begins.
  case fail
  /// The first keeps its name; the others' outputs are named as if they were a-2, a-3.
  case number
  /// The first is cropped; the others are skipped.
  case first
  /// The outputs of all of them have the input's extension in their names: a.heic.jpg.
  case keepExtension = "keep-extension"
}

/// Only what is cropped can be in another's way: not the files that lie beside a photograph under its name. Which of several comes
/// first says the order of their paths' bytes, whatever the order in which they were found or named.
extension BatchPlan {
  /// Two inputs that would give one output.
  struct Collision: Equatable {
    var first: FilePath
    var second: FilePath
    var output: FilePath
  }

  /// Takes out what will not be cropped, among those that would have one name, and settles the rest by the policy.
  ///
  /// - Parameter obstacle: what keeps an input from being cropped.
  /// - Returns: those that no name was found for.
  mutating func settleCollisions(
    by policy: CollisionPolicy, obstacle: (BatchInput) async -> Outcome.Obstacle?
  ) async -> [Collision] {
    for index in crowded() {
      if let found = await obstacle(items[index].input) { items[index].input.obstacle = found }
    }
    switch policy {
    case .fail: break
    case .number: number()
    case .first: keepFirst()
    case .keepExtension: for index in crowded() { items[index].outputs.keepsExtension = true }
    }
    return collisions()
  }

  /// The collisions in the order of the inputs. Names that differ in case alone count as one: they are one on some file systems.
  func collisions() -> [Collision] {
    var owners: [String: Int] = [:]
    var collisions: [Collision] = []
    for (index, item) in items.enumerated() where item.input.obstacle == nil {
      for (key, output) in zip(item.outputs.keys, item.outputs.firstPaths) {
        if let owner = owners[key] {
          collisions.append(Collision(first: items[owner].input.path, second: item.input.path, output: output))
          break
        }
        owners[key] = index
      }
    }
    return collisions
  }

  /// All that share a name with another.
  private func crowded() -> [Int] {
    var owners: [String: [Int]] = [:]
    for (index, item) in items.enumerated() where item.input.obstacle == nil {
      for key in Set(item.outputs.keys) { owners[key, default: []].append(index) }
    }
    return Set(owners.values.filter { $0.count > 1 }.joined()).sorted()
  }

  /// The same, in the order of their paths' bytes.
  private func crowdedByPath() -> [Int] {
    crowded().sorted { items[$0].input.path.bytes.lexicographicallyPrecedes(items[$1].input.path.bytes) }
  }

  private mutating func number() {
    let crowded = crowdedByPath()
    let others = Set(items.indices).subtracting(crowded).filter { items[$0].input.obstacle == nil }
    var taken = Set(others.flatMap { items[$0].outputs.keys })
    // The last number of each name, so that ten thousand of one name are not counted through each time.
    var numbers: [[String]: Int] = [:]
    for index in crowded {
      let place = items[index].outputs.place
      let own = items[index].outputs.keys
      var keys = own
      while !taken.isDisjoint(with: keys) {
        let number = (numbers[own] ?? 1) + 1
        numbers[own] = number
        items[index].outputs.place = OutputName.numbered(place, number)
        items[index].outputs.copy = number
        let before = keys
        keys = items[index].outputs.keys
        // A number beside {index} tells nothing apart.
        if keys == before { break }
      }
      taken.formUnion(keys)
    }
  }

  private mutating func keepFirst() {
    var owners: [String: Int] = [:]
    for index in crowdedByPath() {
      let keys = items[index].outputs.keys
      if let owner = keys.lazy.compactMap({ owners[$0] }).first {
        items[index].input.obstacle = .skipped(
          "collision", "the outputs would be those of '\(items[owner].input.path)', which comes first")
      } else {
        for key in keys { owners[key] = index }
      }
    }
  }
}
