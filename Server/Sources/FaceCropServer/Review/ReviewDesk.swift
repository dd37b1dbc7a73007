import FaceCrop
import Foundation
import Glibc
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

  /// The outcome of a change: a conflict if another tab was faster.
  typealias Answer = (change: Change, isConflict: Bool)

  nonisolated let engine: ReviewEngine
  nonisolated let plansPath: String
  private let folder: String
  private let lock: FolderLock
  /// Upper bound of all corrections, in bytes.
  private let mostBytes: Int
  private var data: ReviewData
  private var history: ReviewHistory
  private var log: ReviewLog
  /// The lines of the plans file by their entries' indices.
  private var planLines: [Int: [UInt8]] = [:]
  private var indices: [String: Int] = [:]
  /// The reasons why outputs were not made.
  private var faults: [String: String] = [:]
  /// The versions whose outputs could not be made by a run that was complete. They wait for the next change.
  private var unmade: [String: Int] = [:]
  /// Whether somebody at the page has asked for outputs. Nothing is run before: the folder may be from somebody else.
  private var isAsked = false
  /// Whether the report is older than the outputs.
  private var isOutdated: Bool
  /// Changes when the entries get other numbers, so that pages load them again.
  private(set) var start = UUID().uuidString
  /// A counter of all news, and its value at the latest news of each entry.
  private var sequence = 0
  private var news: [Int: Int] = [:]
  private var isWorking = false
  private var runFault: String?
  private var hasPlans = false
  private let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Opens an output folder. Nothing is run or written.
  init(
    _ folder: String, environment: [String: String], mostBytes: Int = ReviewHistory.mostBytes
  ) throws(SettingsError) {
    self.mostBytes = mostBytes
    let record = try ReportRecord(of: folder)
    self.folder = record.outputs
    engine = ReviewEngine(program: try ReviewEngine.find(environment), record: record)
    plansPath = record.outputs + "/plans.ndjson"
    log = ReviewLog(path: record.outputs + "/" + ReviewHistory.name)
    guard let lock = FolderLock(record.outputs) else {
      throw SettingsError("\(folder): another review has the folder (end it, or use its page)")
    }
    self.lock = lock
    (history, hasPlans) = try Self.history(in: record.outputs)
    isOutdated = record.isOutdated
    guard let read = ReviewData(page: record.page) else { throw Self.wrongPage(record) }
    data = read
    indices = read.indices
    for (key, state) in history.states where !Self.isCurrent(state, indices[key].map { read.lines[$0] }) {
      history.apply(.forgotten, key)
    }
  }

  /// Checks an output folder as opening it does, but without its lock, which a running server has.
  static func check(_ folder: String, environment: [String: String]) throws(SettingsError) {
    let record = try ReportRecord(of: folder)
    _ = try ReviewEngine.find(environment)
    _ = try history(in: record.outputs)
    guard ReviewData(page: record.page) != nil else { throw wrongPage(record) }
  }

  private static func wrongPage(_ record: ReportRecord) -> SettingsError {
    SettingsError("\(record.page): the page is not a report of this version (run the batch again)")
  }

  /// Reads the history of earlier reviews, and whether they saved plans.
  private static func history(in folder: String) throws(SettingsError) -> (ReviewHistory, hasPlans: Bool) {
    let (path, plans) = (folder + "/" + ReviewHistory.name, folder + "/plans.ndjson")
    let hasPlans = FileManager.default.fileExists(atPath: plans)
    guard FileManager.default.fileExists(atPath: path) else {
      guard !hasPlans else {
        throw SettingsError("\(plans): the file is not from a review (apply it with --plan-in, and move it)")
      }
      return (ReviewHistory(), false)
    }
    guard let history = ReviewLog.read(path) else {
      throw SettingsError("\(path): the file is not a review's history (move it)")
    }
    return (history, hasPlans)
  }

  /// Returns whether a state is that of an image: its content is the same, and no other run has changed its frames.
  private static func isCurrent(_ state: ReviewHistory.State, _ line: [UInt8]?) -> Bool {
    guard let entry = line.flatMap({ ReportEntry($0) }), entry.content == state.content else { return false }
    return state.isPending || isMade(state, entry)
  }

  /// Returns whether a report's entry has the frames of a state.
  private static func isMade(_ state: ReviewHistory.State, _ entry: ReportEntry) -> Bool {
    state.crops.map { $0 == entry.crops ?? [] } ?? (entry.planned == nil)
  }

  // MARK: Reading

  func entry(_ index: Int) -> ReportEntry? { data.lines.indices.contains(index) ? ReportEntry(data.lines[index]) : nil }

  /// The news for a page.
  struct News: Sendable {
    var start: String
    var sequence: Int
    var isBusy: Bool
    /// Whether outputs, or a newer report, wait until somebody asks for them.
    var isWaiting: Bool
    /// The reason why the last run failed; nil if it did not.
    var fault: String?
    var changes: [Change]
  }

  /// The page's data, and the changes that it does not have.
  var page: (data: [UInt8], news: News) {
    (data.object, news(of: history.states.keys.compactMap { indices[$0] }.sorted()))
  }

  func changes(after sequence: Int) -> News { news(of: news.filter { $0.value > sequence }.keys.sorted()) }

  private func news(of entries: [Int]) -> News {
    let isWaiting = !isAsked && (isOutdated || history.states.values.contains { $0.isPending })
    return News(
      start: start, sequence: sequence, isBusy: isWorking || isAsked && hasWork,
      isWaiting: isWaiting || !isWorking && !unmade.isEmpty, fault: runFault, changes: entries.compactMap(change))
  }

  private var hasWork: Bool { isOutdated || history.states.contains { isToMake($0.key, $0.value) } }

  private func isToMake(_ key: String, _ state: ReviewHistory.State) -> Bool {
    state.isPending && unmade[key] != state.version
  }

  private func change(_ index: Int) -> Change? {
    guard data.lines.indices.contains(index) else { return nil }
    let key = data.keys[index]
    // An image that no review has changed has version 0.
    let state = history.states[key] ?? ReviewHistory.State()
    return Change(index: index, state: state, fault: faults[key], line: data.lines[index])
  }

  private func note(_ index: Int) {
    sequence += 1
    news[index] = sequence
  }

  // MARK: Changing

  /// Takes new frames of an image.
  func correct(
    _ index: Int, version: Int, _ frames: [ReviewHistory.Frame], _ start: String?
  ) throws(ServiceError) -> Answer {
    let entry = try entry(index, of: start)
    guard entry.isEditable else { throw .invalidQuery("the image cannot be cropped") }
    let crops = frames.filter { !$0.isRejected }.map(\.crop)
    guard entry.plan(frames.map(\.crop)) != nil, let line = entry.planLine(crops) else {
      throw .invalidQuery("the frames do not fit the image")
    }
    let before: ReviewHistory.Frames =
      entry.planned == true ? (entry.crops ?? []).map { ReviewHistory.Frame(crop: $0, isRejected: false) } : nil
    return try update(index, version, .corrected(to: frames, before: before, content: entry.content)) { _ in line }
  }

  /// Takes a step back or forward in an image's history.
  func step(
    _ step: ReviewHistory.Step, _ index: Int, version: Int, _ start: String?
  ) throws(ServiceError) -> Answer {
    let entry = try entry(index, of: start)
    return try update(index, version, .stepped(by: step)) { (state) throws(ServiceError) in
      guard let crops = state?.crops else { return nil }
      // The image's file may have other pixels since.
      guard let line = entry.planLine(crops) else { throw .invalidQuery("the frames do not fit the image") }
      return line
    }
  }

  /// Returns an entry, and refuses a page whose numbers mean other images.
  private func entry(_ index: Int, of start: String?) throws(ServiceError) -> ReportEntry {
    guard start == nil || start == self.start else {
      throw .invalidQuery("the batch has other images now (reload the page)")
    }
    guard let entry = entry(index) else { throw .notFound }
    return entry
  }

  /// Makes the outputs that wait: those of an earlier session, and those that could not be made.
  func makeWaiting() {
    isAsked = true
    unmade = [:]
    signal.yield()
  }

  private func update(
    _ index: Int, _ version: Int, _ change: ReviewHistory.Change,
    _ line: (ReviewHistory.State?) throws(ServiceError) -> [UInt8]?
  ) throws(ServiceError) -> Answer {
    let key = data.keys[index]
    let known = history.states[key]?.version ?? 0
    guard version == known else { return (self.change(index)!, isConflict: true) }
    let before = (history, planLines)
    history.apply(change, key)
    guard (history.states[key]?.version ?? 0) != known else { return (self.change(index)!, isConflict: false) }
    do throws(ServiceError) {
      guard history.bytes <= max(mostBytes, before.0.bytes) else {
        throw .invalidQuery(
          "all corrections together have more than \(mostBytes >> 20) MiB (use fewer frames)")
      }
      planLines[index] = try line(history.states[key])
      try savePlans()
      try log.save(history, [(key, change)])
    } catch {
      (history, planLines) = before
      throw error
    }
    faults[key] = nil
    note(index)
    makeWaiting()
    return (self.change(index)!, isConflict: false)
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

  /// Writes the plans, and returns their number and the command that applies them.
  func finish() throws(ServiceError) -> (count: Int, command: String, news: News) {
    (try savePlans(), data.command(applying: plansPath), news(of: []))
  }

  // MARK: Making

  /// Makes the outputs of corrected images, once somebody has asked for outputs, and until the task is cancelled. Images
  /// that were corrected meanwhile are made together in the next run.
  func work() async {
    var pause = 1
    for await _ in signals {
      while !Task.isCancelled, isAsked, hasWork {
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
    let pending = history.states.filter { isToMake($0.key, $0.value) }.mapValues(\.version)
    let paths = pending.keys.compactMap { indices[$0] }.sorted().compactMap { index in
      entry(index).flatMap { engine.record.path(of: $0.location, $0.locationBase64) }
    }
    let listPath = folder + "/.facecrop-review.list"
    var fault: String?
    do throws(ServiceError) {
      if !hasPlans { try savePlans() }
      try ReviewFile.write(paths.flatMap { $0 + [0] }, to: listPath)
      fault = await engine.run(plans: plansPath, list: listPath)
    } catch {
      fault = error.message
    }
    if Task.isCancelled { return false }
    guard fault == nil, let newer = await Self.read(engine.record.page) else {
      let text = "The outputs were not made: \(fault ?? "the report cannot be read"). The server tries again."
      runFault = text
      for key in pending.keys where faults.updateValue(text, forKey: key) != text { indices[key].map(note) }
      return false
    }
    take(newer, after: pending)
    return true
  }

  /// Takes the report after a run, and the outcome of each image that was to be made.
  private func take(_ newer: ReviewData, after pending: [String: Int]) {
    (isOutdated, runFault) = (false, nil)
    if newer.keys != data.keys { start = UUID().uuidString }
    let changed = data.take(newer)
    indices = data.indices
    let count = data.lines.count
    planLines = planLines.filter { $0.key < count && !changed.contains($0.key) }
    var changes: [(key: String, change: ReviewHistory.Change)] = []
    for (key, version) in pending {
      guard let state = history.states[key], state.version == version else { continue }
      guard let index = indices[key], let entry = entry(index) else {
        // Neither the image nor an output of it is left.
        changes.append((key, .forgotten))
        continue
      }
      let outcome = outcome(of: state, entry)
      (faults[key], unmade[key]) = (outcome.fault, outcome.isMade ? nil : version)
      if entry.content != state.content {
        changes.append((key, .renewed(content: entry.content)))
      } else if outcome.isMade {
        changes.append((key, .made(version: version)))
      }
      note(index)
    }
    for index in changed where pending[data.keys[index]] == nil {
      guard let state = history.states[data.keys[index]], let entry = entry(index), entry.content != state.content
      else { continue }
      changes.append((data.keys[index], .renewed(content: entry.content)))
    }
    for (key, change) in changes { history.apply(change, key) }
    changed.forEach(note)
    try? log.save(history, changes)
  }

  /// Returns whether a run has taken the frames of an image, and the reason for a page if it has no new output.
  private func outcome(of state: ReviewHistory.State, _ entry: ReportEntry) -> (fault: String?, isMade: Bool) {
    let path = engine.record.path(of: entry.location, entry.locationBase64)
    guard let path,
      unsafe (path + [0]).withUnsafeBufferPointer({
        unsafe $0.withMemoryRebound(to: CChar.self) { unsafe access($0.baseAddress!, F_OK) == 0 }
      })
    else {
      return ("No output was made: the image is missing or has another name (restore it, and try again).", false)
    }
    guard entry.content == state.content else {
      return (
        "The correction had no effect: the file was changed, so the output has the batch's own frame"
          + " (press Undo to get your frame again, or correct the new image).", true
      )
    }
    guard Self.isMade(state, entry) else {
      return ("No output was made: \(entry.reason?.message ?? "the batch has not taken the image") (try again).", false)
    }
    let kept = (entry.outputs ?? []).filter { $0.kept == true }.map(\.file)
    return kept.isEmpty
      ? (nil, true) : ("\(kept.joined(separator: ", ")): the file was changed by hand, so it was kept.", true)
  }

  private static func read(_ page: String) async -> ReviewData? {
    try? await NIOThreadPool.singleton.runIfActive { ReviewData(page: page) }
  }
}

extension ReviewDesk: Service {
  /// Makes outputs while the server runs.
  nonisolated func run() async throws {
    await cancelWhenGracefulShutdown { await self.work() }
  }
}
