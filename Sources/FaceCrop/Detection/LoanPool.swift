import Synchronization

/// Things that one thread at a time may use, lent out: as many are made as were ever in use at once, and kept for the next
/// use, if they are to be.
///
/// OpenCV's classifiers and networks keep state while they run; a single one used by two threads crashes.
final class LoanPool<Item>: Sendable {
  private let make: @Sendable () throws(FaceCropError) -> Item
  private let keepsItems: Bool
  private let idle = Mutex<[Loan]>([])

  /// - Parameter keepsItems: whether an item that was used stays.
  init(keepsItems: Bool, make: @escaping @Sendable () throws(FaceCropError) -> Item) {
    self.keepsItems = keepsItems
    self.make = make
  }

  /// Carries an item from thread to thread. Sendable because a loan is either in `idle` or with one borrower.
  private struct Loan: @unchecked Sendable {
    let item: Item
  }

  /// Sees to it that an item is ready, in the state that `body` brings it to.
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
