import Synchronization
import SystemPackage

/// Cascades made from one file, lent to one thread at a time: as many as were ever in use at once.
final class CascadePool: Sendable {
  let name: String
  private let folder: FilePath?
  private let idle = Mutex<[Loan]>([])

  init(name: String, folder: FilePath?) {
    self.name = name
    self.folder = folder
  }

  /// Carries a cascade from thread to thread. Sendable because a loan is either in `idle` or with one borrower.
  private struct Loan: @unchecked Sendable {
    let cascade: Cascade
  }

  /// Sees to it that a cascade is ready.
  func prepare() throws(FaceCropError) {
    giveBack(try take())
  }

  func withCascade<Result>(
    _ body: (Cascade) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    let loan = try take()
    defer { giveBack(loan) }
    return try body(loan.cascade)
  }

  private func take() throws(FaceCropError) -> Loan {
    if let loan = idle.withLock({ $0.popLast() }) { return loan }
    let (path, xml) = try ModelFile.read(name, folder: folder)
    return Loan(cascade: try Cascade(xml: xml, path: path))
  }

  private func giveBack(_ loan: Loan) {
    idle.withLock { $0.append(loan) }
  }
}
