import Metrics

/// Metrics of the tests.
enum Families {
    static let requests = MetricFamily(
        "test_requests_total", .counter, of: .route, labels: ["method", "status"], limit: 16,
        help: "Requests by outcome.")
    static let durations = MetricFamily(
        "test_duration_seconds", .durations(Buckets(milliseconds: 1, 1000)), of: .route,
        help: "How long requests took.")
    static let open = MetricFamily("test_connections", .gauge, of: .upstream, help: "Open connections.")
    static let lookups = MetricFamily(
        "test_lookups_total", .counter, labels: ["result"], help: "A \"quoted\" \\ word\nand a line.")
    static let amounts = MetricFamily(
        "test_order_amount", .values(bounds: [1, 2.5, 1e6]), labels: ["kind"], help: "What orders cost.")
    static let memory = MetricFamily("test_memory_bytes", .gauge, help: "Memory in use.")
}

extension MetricTable {
    func lines(_ format: MetricsFormat = .prometheus, _ readings: [MetricReading] = []) -> [Substring] {
        String(decoding: text(format, readings), as: UTF8.self).split(separator: "\n")
    }
}
