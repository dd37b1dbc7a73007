import Synchronization

/// Things that one thread at a time may use, lent out: as many are made as were ever in use at once.
///
/// OpenCV's classifiers and networks keep state while they run; a single one used by two threads crashes.
final class LoanPool<Item>: Sendable {
  private let make: @Sendable () throws(FaceCropError) -> Item
  private let idle = Mutex<[Loan]>([])

  init(make: @escaping @Sendable () throws(FaceCropError) -> Item) {
    self.make = make
  }

  /// Carries an item from thread to thread. Sendable because a loan is either in `idle` or with one borrower.
  private struct Loan: @unchecked Sendable {
    let item: Item
  }

  /// Sees to it that an item is ready.
  func prepare() throws(FaceCropError) {
    giveBack(try take())
  }

  func withItem<Result>(_ body: (Item) throws(FaceCropError) -> Result) throws(FaceCropError) -> Result {
    let loan = try take()
    defer { giveBack(loan) }
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
