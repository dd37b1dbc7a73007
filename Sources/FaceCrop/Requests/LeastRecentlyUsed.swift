/// A cache with a budget, which drops the least recently used values.
public struct LeastRecentlyUsed<Key: Hashable, Value> {
  /// The upper bound of all costs together.
  public let budget: Int
  /// The cost of all values.
  public private(set) var cost = 0
  private var nodes: [Key: Node] = [:]
  /// The most and the least recently used keys.
  private var first: Key?
  private var last: Key?

  private struct Node {
    var value: Value
    var cost: Int
    var before: Key?
    var after: Key?
  }

  /// Creates an empty cache.
  public init(budget: Int) {
    self.budget = budget
  }

  /// The number of values.
  public var count: Int { nodes.count }

  /// Returns a value, and marks it as used.
  public mutating func value(for key: Key) -> Value? {
    guard let node = nodes[key] else { return nil }
    if first != key {
      unlink(key)
      link(key)
    }
    return node.value
  }

  /// Stores a value, unless its cost exceeds the budget.
  public mutating func insert(_ value: Value, for key: Key, cost newCost: Int) {
    remove(key)
    guard newCost <= budget else { return }
    nodes[key] = Node(value: value, cost: newCost)
    link(key)
    cost += newCost
    while cost > budget, let last { remove(last) }
  }

  /// Removes a value.
  public mutating func remove(_ key: Key) {
    guard let node = nodes[key] else { return }
    unlink(key)
    cost -= node.cost
    nodes[key] = nil
  }

  /// Removes all values.
  public mutating func removeAll() {
    self = LeastRecentlyUsed(budget: budget)
  }

  /// Removes the values of these keys.
  public mutating func removeAll(where isUnwanted: (Key) -> Bool) {
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
