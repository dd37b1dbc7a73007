import Synchronization

/// A pool of objects for one thread at a time. It creates as many as are in use at once, and can keep them for later.
///
/// OpenCV's classifiers and networks have state while they run, and crash if two threads share one.
final class ObjectPool<Item>: Sendable {
  private let make: @Sendable () throws(FaceCropError) -> Item
  private let keepsItems: Bool
  private let idle = Mutex<[Loan]>([])

  /// Creates a pool, which keeps used items with `keepsItems`.
  init(keepsItems: Bool, make: @escaping @Sendable () throws(FaceCropError) -> Item) {
    self.keepsItems = keepsItems
    self.make = make
  }

  /// Returns a pool that keeps used items: this one, or else a new one.
  func keepingItems() -> ObjectPool { keepsItems ? self : ObjectPool(keepsItems: true, make: make) }

  /// A carrier of an item between threads. Sendable because a loan is either in `idle` or with one borrower.
  private struct Loan: @unchecked Sendable {
    let item: Item
  }

  /// Prepares an item with `body`, and keeps it.
  func prepare(_ body: (Item) throws(FaceCropError) -> Void = { _ in }) throws(FaceCropError) {
    let loan = try take()
    defer { giveBack(loan) }
    try body(loan.item)
  }

  func withItem<Result>(_ body: (Item) throws(FaceCropError) -> Result) throws(FaceCropError) -> Result {
    let loan = try take()
    defer { if keepsItems { giveBack(loan) } }
    return try body(loan.item)
  }

  private func take() throws(FaceCropError) -> Loan {
    if let loan = idle.withLock({ $0.popLast() }) { return loan }
    return Loan(item: try make())
  }

  private func giveBack(_ loan: Loan) {
    idle.withLock { $0.append(loan) }
  }
}
