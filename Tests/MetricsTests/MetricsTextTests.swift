import Metrics
import Testing

@Suite("Metrics as text")
struct MetricsTextTests {
    private let table = MetricTable()

    /// Makes a series of each kind.
    private func fill() {
        let page = table.makePage()
        let route = table.name(.route, "/a\\b\"c\nd")
        route.counter(Families.requests, ["GET", "200"], on: page).add(3)
        for time in [1_000_000, 1_000_001, 2_000_000_000] as [Int64] {
            route.histogram(Families.durations, on: page).observe(nanoseconds: time)
        }
        table.name(.upstream, "diary").gauge(Families.open, on: page).set(4)
        table.name().shared(Families.lookups, ["success"]).add(2)
        for amount in [0.5, 2.5, 3e6, .nan] {
            table.name().sharedHistogram(Families.amounts, ["book"]).observe(amount)
        }
    }

    @Test("Prometheus reads names, help, labels with escapes, buckets, sums and counts")
    func prometheus() {
        fill()
        let text = String(
            decoding: table.text(.prometheus, [MetricReading(Families.memory, 1.5e9)]), as: UTF8.self)
        #expect(
            text == #"""
                # HELP test_connections Open connections.
                # TYPE test_connections gauge
                test_connections{upstream="diary"} 4
                # HELP test_duration_seconds How long requests took.
                # TYPE test_duration_seconds histogram
                test_duration_seconds_bucket{route="/a\\b\"c\nd",le="0.001"} 1
                test_duration_seconds_bucket{route="/a\\b\"c\nd",le="1.0"} 2
                test_duration_seconds_bucket{route="/a\\b\"c\nd",le="+Inf"} 3
                test_duration_seconds_sum{route="/a\\b\"c\nd"} 2.002000001
                test_duration_seconds_count{route="/a\\b\"c\nd"} 3
                # HELP test_lookups_total A "quoted" \\ word\nand a line.
                # TYPE test_lookups_total counter
                test_lookups_total{result="success"} 2
                # HELP test_memory_bytes Memory in use.
                # TYPE test_memory_bytes gauge
                test_memory_bytes 1500000000
                # HELP test_order_amount What orders cost.
                # TYPE test_order_amount histogram
                test_order_amount_bucket{kind="book",le="1.0"} 1
                test_order_amount_bucket{kind="book",le="2.5"} 2
                test_order_amount_bucket{kind="book",le="1000000.0"} 2
                test_order_amount_bucket{kind="book",le="+Inf"} 3
                test_order_amount_sum{kind="book"} 3000003
                test_order_amount_count{kind="book"} 3
                # HELP test_requests_total Requests by outcome.
                # TYPE test_requests_total counter
                test_requests_total{route="/a\\b\"c\nd",method="GET",status="200"} 3

                """#)
    }

    @Test("OpenMetrics names counters without _total, tells units, and ends with # EOF")
    func openMetrics() {
        fill()
        let text = String(
            decoding: table.text(.openMetrics, [MetricReading(Families.memory, 0.25)]), as: UTF8.self)
        #expect(
            text.contains(
                #"""
                # HELP test_lookups A \"quoted\" \\ word\nand a line.
                # TYPE test_lookups counter
                test_lookups_total{result="success"} 2
                # HELP test_memory_bytes Memory in use.
                # TYPE test_memory_bytes gauge
                # UNIT test_memory_bytes bytes
                test_memory_bytes 0.25
                """#))
        #expect(text.contains("# UNIT test_duration_seconds seconds\n"))
        #expect(text.hasSuffix("status=\"200\"} 3\n# EOF\n"))
    }

    @Test("Without series the text is empty, or in OpenMetrics only its end")
    func empty() {
        #expect(table.text(.prometheus).isEmpty)
        #expect(table.text(.openMetrics) == Array("# EOF\n".utf8))
    }
}
