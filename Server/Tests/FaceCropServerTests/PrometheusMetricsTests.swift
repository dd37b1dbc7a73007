import Metrics
import Testing

@testable import FaceCropServer

struct PrometheusMetricsTests {
  @Test func values() throws {
    let metrics = PrometheusMetrics(help: ["jobs_total": "Jobs,\nwith \\ and \"."])
    Counter(label: "jobs_total", dimensions: [("kind", "a")], factory: metrics).increment(by: 3)
    Counter(label: "jobs_total", dimensions: [("kind", "a")], factory: metrics).increment()
    Counter(label: "jobs_total", dimensions: [("kind", "b")], factory: metrics).increment()
    let meter = Meter(label: "level", factory: metrics)
    meter.set(2.5)
    meter.decrement()
    Gauge(label: "temperature", factory: metrics).record(-4)
    #expect(
      metrics.exposition == #"""
        # HELP jobs_total Jobs,\nwith \\ and ".
        # TYPE jobs_total counter
        jobs_total{kind="a"} 4
        jobs_total{kind="b"} 1
        # TYPE level gauge
        level 1.5
        # TYPE temperature gauge
        temperature -4

        """#)
    _ = try Exposition(metrics.exposition)
  }

  @Test func labelsAreEscapedAndNamesMadeValid() throws {
    let metrics = PrometheusMetrics()
    Counter(label: "9 lives.total", dimensions: [("a-b:c", "x\"y\\z\n")], factory: metrics).increment()
    #expect(
      metrics.exposition == #"""
        # TYPE _9_lives_total counter
        _9_lives_total{a_b_c="x\"y\\z\n"} 1

        """#)
    _ = try Exposition(metrics.exposition)
  }

  @Test func histograms() throws {
    let metrics = PrometheusMetrics(buckets: [0.1, 1])
    let timer = Timer(label: "seconds", factory: metrics)
    for milliseconds in [50, 100, 101, 2_000] { timer.recordMilliseconds(milliseconds) }
    let samples = try Exposition(metrics.exposition).samples
    #expect(samples[#"seconds_bucket{le="0.1"}"#] == 2)
    #expect(samples[#"seconds_bucket{le="1"}"#] == 3)
    #expect(samples[#"seconds_bucket{le="+Inf"}"#] == 4)
    #expect(samples["seconds_count"] == 4)
    #expect(abs(samples["seconds_sum", default: 0] - 2.251) < 1e-9)
  }

  /// A name that another kind uses is not exported twice.
  @Test func oneNameIsOneKind() throws {
    let metrics = PrometheusMetrics()
    Counter(label: "x", factory: metrics).increment()
    Meter(label: "x", factory: metrics).set(7)
    #expect(metrics.exposition == "# TYPE x counter\nx 1\n")
  }
}
