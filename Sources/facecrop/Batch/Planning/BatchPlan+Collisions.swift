import ArgumentParser
import SystemPackage

/// The treatment of images whose outputs would have the same name, such as a.heic and a.jpg, which both give a.jpg.
enum CollisionPolicy: String, CaseIterable, ExpressibleByArgument {
  /// Refuses the run before it begins.
  case fail
  /// Keeps the name of the first, and names the others' outputs as if they were a-2, a-3.
  case number
  /// Crops the first, and skips the others.
  case first
  /// Adds the input's extension to the names of all their outputs: a.heic.jpg.
  case keepExtension = "keep-extension"
}

/// Only files that will be cropped can collide, not other files beside a photo with its name. The first is determined
/// by the byte order of the paths, not by the order on the command line.
extension BatchPlan {
  struct Collision: Equatable {
    var first: FilePath
    var second: FilePath
    var output: FilePath
    /// The first one's output, if it differs in case or in its Unicode form.
    var variant: FilePath?
  }

  /// Removes inputs that will not be cropped from collisions, and applies the policy to the rest. `obstacle` returns
  /// the reason why an input cannot be cropped. Returns the unresolved collisions.
  mutating func settleCollisions(
    by policy: CollisionPolicy, obstacle: (BatchInput) async -> Outcome.Obstacle?
  ) async -> [Collision] {
    for index in crowded() {
      if let found = await obstacle(items[index].input) { items[index].input.obstacle = found }
    }
    numberUnnamed()
    switch policy {
    case .fail: break
    case .number: number()
    case .first: keepFirst()
    case .keepExtension: for index in crowded() { items[index].outputs.keepsExtension = true }
    }
    return collisions()
  }

  /// Returns the collisions in the inputs' order. Names that differ only in case collide, as on some file systems.
  func collisions() -> [Collision] {
    var owners: [String: Int] = [:]
    var collisions: [Collision] = []
    for (index, item) in items.enumerated() where item.claimsNames {
      for (key, output) in zip(item.outputs.keys, item.outputs.firstPaths) {
        if let owner = owners[key], !share(owner, index) {
          let other = zip(items[owner].outputs.keys, items[owner].outputs.firstPaths).first { $0.0 == key }?.1
          collisions.append(
            Collision(
              first: items[owner].input.path, second: item.input.path, output: output,
              variant: other == output ? nil : other))
          break
        }
        if owners[key] == nil || !item.isSpare { owners[key] = index }
      }
    }
    return collisions
  }

  /// Returns the indices of all colliding items.
  private func crowded() -> [Int] {
    var owners: [String: Set<Int>] = [:]
    for (index, item) in items.enumerated() where item.claimsNames {
      for key in item.outputs.keys { owners[key, default: []].insert(index) }
    }
    let crowded = owners.values.filter { group in
      group.count { !items[$0].isSpare } > 1 || Set(group.map { items[$0].moment }).count > 1
    }
    return Set(crowded.joined()).sorted()
  }

  /// Returns whether two items can have one name, because they are photos of a moment, of which one is cropped.
  private func share(_ one: Int, _ other: Int) -> Bool {
    let (first, second) = (items[one], items[other])
    return one != other && first.moment != nil && first.moment == second.moment && (first.isSpare || second.isSpare)
  }

  /// Returns the indices of items in the byte order of their paths.
  private func byPath(_ indices: [Int]) -> [Int] {
    indices.sorted { items[$0].input.path.bytes.lexicographicallyPrecedes(items[$1].input.path.bytes) }
  }

  /// Numbers the names of faces without one of their own. Only the work can find such faces, so their names are no reason
  /// to refuse a run, or to give people other names.
  private mutating func numberUnnamed() {
    let unnamed = items.indices.filter { items[$0].input.obstacle == nil && !items[$0].outputs.unnamedKeys.isEmpty }
    guard !unnamed.isEmpty else { return }
    let taken = Set(items.filter { $0.input.obstacle == nil }.flatMap(\.outputs.namedKeys))
    number(byPath(unnamed), besides: taken, \.unnamedKeys) { $0.outputs.unnamedCopy = $1 }
  }

  private mutating func number() {
    let crowded = byPath(crowded())
    let others = Set(items.indices).subtracting(crowded).filter { items[$0].input.obstacle == nil }
    number(crowded, besides: Set(others.flatMap { items[$0].outputs.keys }), \.keys) {
      $0.outputs.place = OutputName.numbered($0.input.place, $1)
      $0.outputs.copy = $1
    }
  }

  /// Sets numbers of items in order, until none of their keys is taken.
  private mutating func number(
    _ order: [Int], besides others: Set<String>, _ names: KeyPath<OutputPattern, [String]>,
    _ set: (inout Item, Int) -> Void
  ) {
    var owners: [String: Int] = [:]
    // The last number of each name is cached, so that numbering stays linear.
    var numbers: [[String]: Int] = [:]
    for index in order {
      let own = items[index].outputs[keyPath: names]
      var keys = own
      while keys.contains(where: { others.contains($0) || owners[$0].map { !share($0, index) } == true }) {
        let number = (numbers[own] ?? 1) + 1
        numbers[own] = number
        set(&items[index], number)
        let before = keys
        keys = items[index].outputs[keyPath: names]
        // A number beside {index} does not distinguish outputs.
        if keys == before { break }
      }
      for key in keys { owners[key] = index }
    }
  }

  private mutating func keepFirst() {
    var owners: [String: Int] = [:]
    for index in byPath(crowded()) {
      let keys = items[index].outputs.keys
      if let owner = keys.lazy.compactMap({ owners[$0] }).first(where: { !share($0, index) }) {
        items[index].input.obstacle = .skipped(
          "collision", "the outputs would be those of '\(items[owner].input.path)', which comes first")
      } else {
        for key in keys { owners[key] = index }
      }
    }
  }
}
