import FaceCrop
import Foundation
import NIOPosix
import ServiceLifecycle

/// The state of a review: the report's data, the corrections, and what is still to be made. Each correction is on the
/// disk before it is confirmed.
actor ReviewDesk {
  struct Change: Sendable {
    var index: Int
    var state: ReviewHistory.State
    var fault: String?
    /// The entry's JSON.
    var line: [UInt8]
  }

  /// The outcome of a change.
  enum Answer: Sendable {
    case taken(Change)
    /// Another tab was faster.
    case conflict(Change)
  }

  nonisolated let engine: ReviewEngine
  nonisolated let plansPath: String
  private let folder: String
  private let lock: FolderLock
  private var data: ReviewData
  private var history: ReviewHistory
  /// The lines of the plans file by their entries' indices.
  private var planLines: [Int: [UInt8]] = [:]
  private var indices: [String: Int] = [:]
  /// The reasons why outputs were not made.
  private var faults: [String: String] = [:]
  /// A counter of all news, and its value at the latest news of each entry.
  private var sequence = 0
  private var news: [Int: Int] = [:]
  private var isWorking = false
  private var hasPlans = false
  private let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Opens an output folder. A report that is older than the manifest is written again first.
  init(_ folder: String, environment: [String: String]) throws(SettingsError) {
    let record = try ReportRecord(of: folder)
    self.folder = record.outputs
    engine = ReviewEngine(program: try ReviewEngine.find(environment), record: record)
    plansPath = record.outputs + "/plans.ndjson"
    guard let lock = FolderLock(record.outputs) else {
      throw SettingsError(description: "\(folder): another review has the folder (end it, or use its page)")
    }
    self.lock = lock
    (history, hasPlans) = try Self.history(in: record.outputs)
    var read = record.isOutdated ? nil : ReviewData(page: record.page)
    if read == nil {
      let empty = record.outputs + "/.facecrop-review.list"
      do throws(ServiceError) { try ReviewFile.write([], to: empty) } catch {
        throw SettingsError(description: "\(folder): the folder cannot be written")
      }
      let fault = engine.run(plans: nil, list: empty)
      read = ReviewData(page: record.page)
      if let fault { throw SettingsError(description: "\(folder): its report cannot be written again: \(fault)") }
    }
    guard let read else { throw Self.wrongPage(record) }
    data = read
    indices = read.indices
    for (key, state) in history.states where !Self.isCurrent(state, indices[key].map { read.lines[$0] }) {
      history.forget(key)
    }
  }

  /// Checks an output folder as opening it does, but without its lock, which a running server has, and without writing
  /// an older report again.
  static func check(_ folder: String, environment: [String: String]) throws(SettingsError) {
    let record = try ReportRecord(of: folder)
    _ = try ReviewEngine.find(environment)
    _ = try history(in: record.outputs)
    guard record.isOutdated || ReviewData(page: record.page) != nil else { throw wrongPage(record) }
  }

  private static func wrongPage(_ record: ReportRecord) -> SettingsError {
    SettingsError(description: "\(record.page): the page is not a report of this version (run the batch again)")
  }

  /// Reads the history of earlier reviews, and whether they saved plans.
  private static func history(in folder: String) throws(SettingsError) -> (ReviewHistory, hasPlans: Bool) {
    let (path, plans) = (folder + "/" + ReviewHistory.name, folder + "/plans.ndjson")
    let hasPlans = FileManager.default.fileExists(atPath: plans)
    guard let saved = FileManager.default.contents(atPath: path) else {
      guard !hasPlans else {
        throw SettingsError(
          description: "\(plans): the file is not from a review (apply it with --plan-in, and move it)")
      }
      return (ReviewHistory(), false)
    }
    guard let history = ReviewHistory(saved) else {
      throw SettingsError(description: "\(path): the file is not a review's history (move it)")
    }
    return (history, hasPlans)
  }

  /// Returns whether a state is that of an image: its content is the same, and no other run has changed its frames.
  private static func isCurrent(_ state: ReviewHistory.State, _ line: [UInt8]?) -> Bool {
    guard let entry = line.flatMap({ ReportEntry($0) }), entry.content == state.content else { return false }
    if state.isPending { return true }
    return state.crops.map { $0 == entry.crops ?? [] } ?? (entry.planned == nil)
  }

  // MARK: Reading

  var count: Int { data.lines.count }

  func entry(_ index: Int) -> ReportEntry? { data.lines.indices.contains(index) ? ReportEntry(data.lines[index]) : nil }

  /// The page's data, and the changes that it does not have.
  var page: (data: [UInt8], changes: [Change], sequence: Int, isBusy: Bool) {
    let changed = history.states.keys.compactMap { indices[$0] }.sorted()
    return (data.object, changed.compactMap(change), sequence, isBusy)
  }

  func changes(after sequence: Int) -> (changes: [Change], sequence: Int, isBusy: Bool) {
    let newer = news.filter { $0.value > sequence }.keys.sorted()
    return (newer.compactMap(change), self.sequence, isBusy)
  }

  private var isBusy: Bool { isWorking || history.states.values.contains { $0.isPending } }

  private func change(_ index: Int) -> Change? {
    guard data.lines.indices.contains(index) else { return nil }
    let key = data.keys[index]
    // An image that no review has changed has version 0.
    let state = history.states[key] ?? ReviewHistory.State(frames: nil)
    return Change(index: index, state: state, fault: faults[key], line: data.lines[index])
  }

  private func note(_ index: Int) {
    sequence += 1
    news[index] = sequence
  }

  // MARK: Changing

  /// Takes new frames of an image.
  func correct(_ index: Int, version: Int, _ frames: [ReviewHistory.Frame]) throws(ServiceError) -> Answer {
    guard let entry = entry(index) else { throw .notFound }
    guard entry.isEditable else { throw .invalidQuery("the image cannot be cropped") }
    let crops = frames.filter { !$0.isRejected }.map(\.crop)
    guard entry.plan(frames.map(\.crop)) != nil, let line = entry.planLine(crops) else {
      throw .invalidQuery("the frames do not fit the image")
    }
    return try update(index, version) { history, key in
      let before: ReviewHistory.Frames =
        entry.planned == true ? (entry.crops ?? []).map { ReviewHistory.Frame(crop: $0, isRejected: false) } : nil
      history.change(key, to: frames, before: before, content: entry.content)
      return line
    }
  }

  /// Takes a step back or forward in an image's history.
  func step(_ step: ReviewHistory.Step, _ index: Int, version: Int) throws(ServiceError) -> Answer {
    guard let entry = entry(index) else { throw .notFound }
    return try update(index, version) { history, key in
      history.step(step, key)
      return history.states[key]?.crops.flatMap(entry.planLine)
    }
  }

  private func update(
    _ index: Int, _ version: Int, _ body: (inout ReviewHistory, String) -> [UInt8]?
  ) throws(ServiceError) -> Answer {
    let key = data.keys[index]
    let known = history.states[key]?.version ?? 0
    guard version == known else { return .conflict(change(index)!) }
    let before = (history, planLines)
    planLines[index] = body(&history, key)
    guard (history.states[key]?.version ?? 0) != known else { return .taken(change(index)!) }
    do throws(ServiceError) {
      try savePlans()
      try saveHistory()
    } catch {
      (history, planLines) = before
      throw error
    }
    faults[key] = nil
    note(index)
    signal.yield()
    return .taken(change(index)!)
  }

  // MARK: Saving

  /// Writes the plans of all corrected images, those of earlier runs included, as the static report would. Returns their
  /// number.
  @discardableResult
  func savePlans() throws(ServiceError) -> Int {
    var bytes = Array("{\"format\":\"facecrop-plans\",\"version\":1}\n".utf8)
    var wanted = data.planned
    for (key, state) in history.states {
      guard let index = indices[key] else { continue }
      if state.frames == nil { wanted.remove(index) } else { wanted.insert(index) }
    }
    var count = 0
    for index in wanted.sorted() {
      guard let line = planLines[index] ?? planLine(index) else { continue }
      planLines[index] = line
      bytes += line
      count += 1
    }
    try ReviewFile.write(bytes, to: plansPath)
    hasPlans = true
    return count
  }

  private func planLine(_ index: Int) -> [UInt8]? {
    guard let entry = entry(index) else { return nil }
    return entry.planLine(history.states[data.keys[index]]?.crops ?? entry.crops ?? [])
  }

  private func saveHistory() throws(ServiceError) {
    guard let json = try? JSONEncoder.review.encode(history) else {
      throw .internalFault("the history cannot be written as JSON")
    }
    try ReviewFile.write(Array(json), to: folder + "/" + ReviewHistory.name)
  }

  /// Writes the plans, and returns their number and the command that applies them.
  func finish() throws(ServiceError) -> (count: Int, command: String, isBusy: Bool) {
    (try savePlans(), data.command(applying: plansPath), isBusy)
  }

  // MARK: Making

  /// Makes the outputs of corrected images, until the task is cancelled. Images that were corrected meanwhile are made
  /// together in the next run.
  func work() async {
    signal.yield()
    var pause = 1
    for await _ in signals {
      while !Task.isCancelled, history.states.values.contains(where: \.isPending) {
        if await make() {
          pause = 1
        } else {
          // Another run may use the manifest, or the disk may be full.
          try? await Task.sleep(for: .seconds(pause))
          pause = min(pause * 2, 60)
        }
      }
    }
  }

  private func make() async -> Bool {
    isWorking = true
    defer { isWorking = false }
    let pending = history.states.filter { $0.value.isPending }.mapValues(\.version)
    var list: [UInt8] = []
    for index in pending.keys.compactMap({ indices[$0] }).sorted() {
      guard let entry = entry(index),
        let path = engine.record.path(of: entry.location, entry.locationBase64)
      else { continue }
      list += path + [0]
    }
    let listPath = folder + "/.facecrop-review.list"
    var fault: String?
    do throws(ServiceError) {
      if !hasPlans { try savePlans() }
      try ReviewFile.write(list, to: listPath)
      fault = await engine.run(plans: plansPath, list: listPath)
    } catch {
      fault = error.message
    }
    if Task.isCancelled { return false }
    guard fault == nil, let newer = await Self.read(engine.record.page) else {
      let text = "The outputs were not made: \(fault ?? "the report cannot be read"). The server tries again."
      for key in pending.keys where faults.updateValue(text, forKey: key) != text { indices[key].map(note) }
      return false
    }
    let changed = data.take(newer)
    indices = data.indices
    let count = count
    planLines = planLines.filter { $0.key < count && !changed.contains($0.key) }
    for (key, version) in pending {
      history.made(key, version: version)
      faults[key] = nil
      indices[key].map(note)
    }
    changed.forEach(note)
    try? saveHistory()
    return true
  }

  private static func read(_ page: String) async -> ReviewData? {
    try? await NIOThreadPool.singleton.runIfActive { ReviewData(page: page) }
  }
}

/// The service that makes outputs while the server runs.
struct ReviewService: Service {
  let desk: ReviewDesk

  func run() async throws {
    await cancelWhenGracefulShutdown { await desk.work() }
  }
}
