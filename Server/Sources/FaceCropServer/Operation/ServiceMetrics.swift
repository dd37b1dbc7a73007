import FaceCrop
import Metrics
import Synchronization

/// What the service measures of itself.
final class ServiceMetrics: Sendable {
  let exporter: PrometheusMetrics
  private let inFlight: Meter
  private let lastStatistics = Mutex<ImageManager.Statistics?>(nil)

  static let help = [
    "facecrop_requests_total": "Requests answered, by route and status; 499 is a client that hung up.",
    "facecrop_requests_in_flight": "Requests being answered.",
    "facecrop_request_duration_seconds": "Time from a request's header to its answer, by route.",
    "facecrop_requests_shared_total": "Requests that found an equal one running and shared its decode.",
    "facecrop_headers_running": "Pictures whose headers are being read, to know what they may take.",
    "facecrop_decodes_running": "Pictures being decoded.",
    "facecrop_decodes_total": "Pictures opened to be decoded.",
    "facecrop_decodes_cancelled_total": "Decodes that ended because no one waited any more.",
    "facecrop_decodes_abandoned_total":
      "Decodes and headers that did not end within 1.5 times the deadline, and whose places others got.",
    "facecrop_decodes_abandoned_running": "Those of them that still run.",
    "facecrop_looks_total": "Pictures searched for faces.",
    "facecrop_queue_waiting": "Requests that wait for a decode, or to have their header read.",
    "facecrop_reserved_bytes": "Memory that the pictures being decoded may take, by their headers.",
    "facecrop_body_bytes": "Bodies held in memory.",
    "process_resident_memory_bytes": "Resident memory size in bytes.",
  ]

  init(exporter: PrometheusMetrics) {
    self.exporter = exporter
    inFlight = Meter(label: "facecrop_requests_in_flight", factory: exporter)
  }

  func begin() {
    inFlight.increment()
  }

  func end(route: String, status: Int, duration: Duration) {
    inFlight.decrement()
    Counter(
      label: "facecrop_requests_total", dimensions: [("route", route), ("status", "\(status)")], factory: exporter
    ).increment()
    let (seconds, attoseconds) = duration.components
    Timer(label: "facecrop_request_duration_seconds", dimensions: [("route", route)], factory: exporter)
      .recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// Takes over what is counted elsewhere, before the metrics are read.
  func update(_ statistics: ImageManager.Statistics, bodyBytes: Int) {
    lastStatistics.withLock { last in
      count("facecrop_requests_shared_total", statistics.shared, last?.shared)
      count("facecrop_decodes_total", statistics.decodes, last?.decodes)
      count("facecrop_decodes_cancelled_total", statistics.cancelledDecodes, last?.cancelledDecodes)
      count("facecrop_decodes_abandoned_total", statistics.abandoned, last?.abandoned)
      count("facecrop_looks_total", statistics.looks, last?.looks)
      last = statistics
    }
    set("facecrop_headers_running", statistics.readingHeaders)
    set("facecrop_decodes_running", statistics.running)
    set("facecrop_decodes_abandoned_running", statistics.abandonedRunning)
    set("facecrop_queue_waiting", statistics.waiting)
    set("facecrop_reserved_bytes", statistics.reservedBytes)
    set("facecrop_body_bytes", bodyBytes)
    if let bytes = residentMemory() { set("process_resident_memory_bytes", bytes) }
  }

  private func count(_ label: String, _ now: Int, _ before: Int?) {
    Counter(label: label, factory: exporter).increment(by: now - (before ?? 0))
  }

  private func set(_ label: String, _ value: Int) {
    Meter(label: label, factory: exporter).set(value)
  }
}
