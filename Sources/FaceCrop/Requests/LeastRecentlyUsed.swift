/// Values by key, within a budget; those that were not used for longest go first.
struct LeastRecentlyUsed<Key: Hashable, Value> {
  /// What all values may cost together, in the unit of their costs.
  let budget: Int
  private(set) var cost = 0
  private var nodes: [Key: Node] = [:]
  /// The most recently used, and the least.
  private var first: Key?
  private var last: Key?

  private struct Node {
    var value: Value
    var cost: Int
    var before: Key?
    var after: Key?
  }

  init(budget: Int) {
    self.budget = budget
  }

  var count: Int { nodes.count }

  /// Counts as a use.
  mutating func value(for key: Key) -> Value? {
    guard let node = nodes[key] else { return nil }
    if first != key {
      unlink(key)
      link(key)
    }
    return node.value
  }

  /// A value that costs more than the budget is not kept.
  mutating func insert(_ value: Value, for key: Key, cost newCost: Int) {
    remove(key)
    guard newCost <= budget else { return }
    nodes[key] = Node(value: value, cost: newCost)
    link(key)
    cost += newCost
    while cost > budget, let last { remove(last) }
  }

  mutating func remove(_ key: Key) {
    guard let node = nodes[key] else { return }
    unlink(key)
    cost -= node.cost
    nodes[key] = nil
  }

  mutating func removeAll() {
    self = LeastRecentlyUsed(budget: budget)
  }

  mutating func removeAll(where isUnwanted: (Key) -> Bool) {
    for key in nodes.keys.filter(isUnwanted) { remove(key) }
  }

  private mutating func unlink(_ key: Key) {
    guard let node = nodes[key] else { return }
    if let before = node.before { nodes[before]!.after = node.after } else { first = node.after }
    if let after = node.after { nodes[after]!.before = node.before } else { last = node.before }
  }

  private mutating func link(_ key: Key) {
    nodes[key]!.before = nil
    nodes[key]!.after = first
    if let first { nodes[first]!.before = key } else { last = key }
    first = key
  }
}
