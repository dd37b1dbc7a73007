/// The results of the same work for many inputs, in the order of the inputs. A failed input does not stop the others.
///
/// Only `concurrency` inputs are in memory with their results: those in work, and those that wait for the reader or for
/// an earlier input. All work is cancelled if you drop the iterator or cancel its task. <doc:CropperOrManager> has an
/// example.
public struct OrderedResults<Value: Sendable, Fault: Error>: AsyncSequence, Sendable {
  /// The outcome of one input.
  public struct Item: Sendable {
    /// The value, or the error.
    public var result: Result<Value, Fault>
    /// The index of the input.
    public var index: Int
    /// The number of all inputs.
    public var total: Int

    /// The number of completed inputs, this one included.
    public var completed: Int { index + 1 }
  }

  private let total: Int
  private let concurrency: Int
  private let work: @Sendable (_ index: Int) async throws(Fault) -> Value

  /// Creates the results, without starting any work.
  ///
  /// - Parameters:
  ///   - inputs: The inputs.
  ///   - concurrency: The number of inputs in memory, 1 or more; below that, it is 1.
  ///   - work: The work for one input. Its task is cancelled when the reader stops.
  public init<Input: Sendable>(
    of inputs: [Input], concurrency: Int, _ work: @escaping @Sendable (Input) async throws(Fault) -> Value
  ) {
    (total, self.concurrency) = (inputs.count, Swift.max(concurrency, 1))
    self.work = { (index) async throws(Fault) in try await work(inputs[index]) }
  }

  /// Creates an iterator, which starts the work again.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator that works on demand.
  public final class Iterator: AsyncIteratorProtocol {
    private let results: OrderedResults
    private var completed = 0
    /// The running work, in order.
    private var running: [Task<Result<Value, Fault>, Never>] = []

    init(_ results: OrderedResults) {
      self.results = results
    }

    deinit {
      for task in running { task.cancel() }
    }

    /// Returns the next outcome; nil at the end, and after the task is cancelled. A call during which it is cancelled
    /// returns the failure of its input.
    public func next() async -> Item? {
      let total = results.total
      guard completed < total, !Task.isCancelled else { return nil }
      for index in completed + running.count..<Swift.min(completed + results.concurrency, total) {
        running.append(
          Task { [work = results.work] in
            do throws(Fault) {
              return .success(try await work(index))
            } catch {
              return .failure(error)
            }
          })
      }
      let result = await withTaskCancellationHandler { [running] in
        await running[0].value
      } onCancel: { [running] in
        for task in running { task.cancel() }
      }
      running.removeFirst()
      completed += 1
      return Item(result: result, index: completed - 1, total: total)
    }
  }
}
