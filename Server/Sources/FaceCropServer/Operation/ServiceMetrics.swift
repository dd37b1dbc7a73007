import FaceCrop
import Metrics
import Synchronization

final class ServiceMetrics: Sendable {
  let exporter: PrometheusMetrics
  private let inFlight: Meter
  /// The counts of others at their last copy, by the names of their metrics.
  private let copied = Mutex<[String: Int]>([:])

  static let help = [
    "facecrop_requests_total": "Responses, by route and status; 499 is a client that hung up.",
    "facecrop_requests_in_flight": "Requests in progress.",
    "facecrop_request_duration_seconds": "Time from header to response, by route.",
    "facecrop_requests_shared_total": "Requests that shared the work of an equal request.",
    "facecrop_headers_running": "Images whose headers are being read.",
    "facecrop_decodes_running": "Images being decoded.",
    "facecrop_decodes_total": "Images decoded.",
    "facecrop_decodes_cancelled_total": "Decodes stopped because no client waited.",
    "facecrop_decodes_abandoned_total": "Decodes and headers over 1.5 times the deadline.",
    "facecrop_decodes_abandoned_running": "Abandoned decodes that still run.",
    "facecrop_decodes_long": "Decodes and headers over 10 ms, including paused ones.",
    "facecrop_looks_total": "Images searched for faces.",
    "facecrop_queue_waiting": "Requests waiting for a header or a decode.",
    "facecrop_reserved_bytes": "Memory reserved by running decodes.",
    "facecrop_body_bytes": "Memory held by image files.",
    "facecrop_cache_hits_total": "Responses found in a cache, by cache: memory or folder.",
    "facecrop_cache_misses_total": "Responses that no cache had, while there is a cache folder.",
    "facecrop_cache_errors_total": "Responses that the cache folder could not keep.",
    "facecrop_connections": "Open connections.",
    "facecrop_log_dropped_total": "Lines of the log that its reader was too slow for.",
    "facecrop_build_info": "1, with the version of the server.",
    "process_open_fds": "Number of open file descriptors.",
    "process_max_fds": "Maximum number of open file descriptors.",
    "process_resident_memory_bytes": "Resident memory size in bytes.",
  ]

  init(exporter: PrometheusMetrics) {
    self.exporter = exporter
    inFlight = Meter(label: "facecrop_requests_in_flight", factory: exporter)
    Meter(
      label: "facecrop_build_info", dimensions: [("version", ServerCommand.configuration.version)], factory: exporter
    ).set(1)
  }

  func begin() { inFlight.increment() }

  func end(route: String, status: Int, duration: Duration) {
    inFlight.decrement()
    Counter(
      label: "facecrop_requests_total", dimensions: [("route", route), ("status", "\(status)")], factory: exporter
    ).increment()
    Timer(label: "facecrop_request_duration_seconds", dimensions: [("route", route)], factory: exporter)
      .record(duration: duration)
  }

  /// Copies the counts of others before the metrics are read.
  func update(
    _ statistics: ImageManager.Statistics, _ cache: ResultCache.Statistics, bodyBytes: Int, connections: Int
  ) {
    count("facecrop_requests_shared_total", statistics.shared + cache.shared)
    count("facecrop_decodes_total", statistics.decodes)
    count("facecrop_decodes_cancelled_total", statistics.cancelledDecodes)
    count("facecrop_decodes_abandoned_total", statistics.abandoned)
    count("facecrop_looks_total", statistics.detections)
    set("facecrop_headers_running", statistics.readingHeaders)
    set("facecrop_decodes_running", statistics.running)
    set("facecrop_decodes_long", statistics.long)
    set("facecrop_decodes_abandoned_running", statistics.abandonedRunning)
    set("facecrop_queue_waiting", statistics.waiting)
    set("facecrop_reserved_bytes", statistics.reservedBytes)
    set("facecrop_body_bytes", bodyBytes)
    set("process_resident_memory_bytes", residentMemory())
    count("facecrop_cache_hits_total", cache.memoryHits, cache: "memory")
    count("facecrop_cache_hits_total", cache.folderHits, cache: "folder")
    count("facecrop_cache_misses_total", cache.folderMisses)
    count("facecrop_cache_errors_total", cache.folderErrors)
    count("facecrop_log_dropped_total", LogQueue.standardError.dropped)
    set("facecrop_connections", connections)
    set("process_open_fds", Descriptors.open)
    set("process_max_fds", Descriptors.limit)
  }

  private func count(_ label: String, _ now: Int, cache: String? = nil) {
    let before = copied.withLock { $0.updateValue(now, forKey: label + (cache ?? "")) } ?? 0
    let dimensions = cache.map { [("cache", $0)] } ?? []
    Counter(label: label, dimensions: dimensions, factory: exporter).increment(by: now - before)
  }

  private func set(_ label: String, _ value: Int?) {
    if let value { Meter(label: label, factory: exporter).set(value) }
  }
}
