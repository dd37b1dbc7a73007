import CoreMetrics
import Synchronization

/// The metrics of swift-metrics, exported in Prometheus's text format, version 0.0.4.
///
/// Counters stay counters; meters and gauges become gauges; recorders and timers (in seconds) become histograms.
final class PrometheusMetrics: MetricsFactory {
  static let mediaType = "text/plain; version=0.0.4"

  private enum Kind: String {
    case counter, gauge, histogram
  }

  private struct Family {
    let kind: Kind
    /// The series by their labels as written.
    var series: [String: Series] = [:]
  }

  /// The help texts by metric name.
  private let help: [String: String]
  /// The upper bounds of the buckets.
  private let buckets: [Double]
  private let families = Mutex<[String: Family]>([:])

  init(
    help: [String: String] = [:],
    buckets: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  ) {
    self.help = help
    self.buckets = buckets
  }

  /// All metrics as text, with families and series sorted by name.
  var exposition: String {
    let families = families.withLock { $0 }
    var text = ""
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      if let help = help[name] { text += "# HELP \(name) \(escaped(help, quotes: false))\n" }
      text += "# TYPE \(name) \(family.kind.rawValue)\n"
      for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) { series.write(name, labels, to: &text) }
    }
    return text
  }

  /// Returns the series with that name and those labels, or nil if the name has another kind.
  private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Kind) -> Series? {
    let labels = dimensions.map { "\(sanitized($0, colons: false))=\"\(escaped($1, quotes: true))\"" }
    return families.withLock { families in
      let name = sanitized(label, colons: true)
      guard families[name, default: Family(kind: kind)].kind == kind else { return nil }
      let key = labels.joined(separator: ",")
      if let known = families[name]?.series[key] { return known }
      let made = Series(bounds: kind == .histogram ? buckets : nil)
      families[name, default: Family(kind: kind)].series[key] = made
      return made
    }
  }

  // MARK: MetricsFactory

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, .counter) ?? NOOPMetricsHandler.instance
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, .gauge) ?? NOOPMetricsHandler.instance
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    series(label, dimensions, aggregate ? .histogram : .gauge) ?? NOOPMetricsHandler.instance
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions, .histogram) ?? NOOPMetricsHandler.instance
  }

  // A series stays once it was exported: one that disappears and comes back looks like a restart.
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

/// The value of a counter or a gauge, or the counts of a histogram.
private final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  /// The upper bounds of a histogram's buckets; nil for a value.
  private let bounds: [Double]?
  private let state: Mutex<State>

  private struct State {
    /// The value, or the sum of a histogram.
    var value = 0.0
    /// One more than the bounds.
    var counts: [Int]
  }

  init(bounds: [Double]?) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: (bounds?.count ?? 0) + 1)))
  }

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) { state.withLock { $0.value += amount } }
  func decrement(by amount: Double) { state.withLock { $0.value -= amount } }
  func set(_ new: Int64) { set(Double(new)) }
  func set(_ new: Double) { state.withLock { $0.value = new } }
  func reset() { set(0.0) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    guard let bounds else { return set(value) }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock {
      $0.counts[bucket] += 1
      $0.value += value
    }
  }

  func write(_ name: String, _ labels: String, to text: inout String) {
    let state = state.withLock { $0 }
    guard let bounds else { return writeSample(name, labels, state.value, to: &text) }
    var total = 0
    for (count, bound) in zip(state.counts, bounds + [.infinity]) {
      total += count
      let bucket = "le=\"\(number(bound))\""
      writeSample("\(name)_bucket", labels.isEmpty ? bucket : "\(labels),\(bucket)", Double(total), to: &text)
    }
    writeSample("\(name)_sum", labels, state.value, to: &text)
    writeSample("\(name)_count", labels, Double(total), to: &text)
  }
}

// MARK: Text

private func writeSample(_ name: String, _ labels: String, _ value: Double, to text: inout String) {
  text += labels.isEmpty ? "\(name) \(number(value))\n" : "\(name){\(labels)} \(number(value))\n"
}

private func number(_ value: Double) -> String {
  if value.isNaN { return "NaN" }
  if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
  return Int(exactly: value).map(String.init) ?? "\(value)"
}

/// Returns a valid name of a metric, which may have colons, or of a label, which may not.
private func sanitized(_ name: String, colons: Bool) -> String {
  let valid = name.unicodeScalars.map { scalar in
    scalar.isASCII && UInt8(scalar.value).isPlain(or: colons ? "_:" : "_") ? Character(scalar) : "_"
  }
  return valid.first?.isNumber == false ? String(valid) : "_" + String(valid)
}

private func escaped(_ text: String, quotes: Bool) -> String {
  text.unicodeScalars.map { character in
    switch character {
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\"" where quotes: "\\\""
    default: String(character)
    }
  }.joined()
}
