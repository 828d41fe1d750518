import Metrics

/// What is measured for metrics.
public struct MetricsSettings: Sendable, Hashable {
    /// The upper bounds of the buckets of `sluice_http_request_duration_seconds`: 1 to 20 times from 0.1 ms
    /// to 1 h, each above the one before. The bound of a service level objective belongs to them. Default:
    /// 0.5 ms to 15 s.
    public var buckets = Buckets.usual.bounds.map { Duration.nanoseconds($0) }
    /// Whether the parts of answers have metrics. Default true.
    public var parts = true

    /// Creates settings with the defaults.
    public init() {}

    package static let bucketCounts = 1...20
    package static let bucketRange = Duration.microseconds(100)...(.seconds(3600))

    /// What is wrong with the buckets; nil if they can be used.
    package var fault: String? {
        guard Self.bucketCounts.contains(buckets.count), buckets.allSatisfy(Self.bucketRange.contains),
            zip(buckets, buckets.dropFirst()).allSatisfy(<)
        else { return "metrics.buckets must be 1 to 20 rising times from 0.1 ms to 1 h" }
        return nil
    }
}
