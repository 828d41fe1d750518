/// A metric: its name, its labels and what it measures. Its series differ in the values of the labels.
public struct MetricFamily: Sendable {
    /// How the values of a family grow.
    public enum Kind: Sendable, Equatable {
        /// A number that only grows. Its name ends with `_total`.
        case counter
        /// A counter of nanoseconds, told in seconds.
        case time
        /// A number that grows and falls, added up over the loops.
        case gauge
        /// Times in nanoseconds, told in seconds.
        case durations(Buckets)
        /// Any values, in buckets with these upper bounds.
        case values(bounds: [Double])
    }

    /// With its prefix, such as `sluice_http_requests_total`.
    public let name: String
    /// What the metric means, as its `HELP` line says it.
    public let help: String
    /// How the values grow.
    public let kind: Kind
    /// What the leading labels of a series name.
    public let scope: MetricScope
    /// The names of the other labels.
    public let labels: [String]
    /// The most series of a name. Additional ones are counted as `_other`.
    public let limit: Int

    /// Creates a family. `limit` is the most series of a name; additional ones are counted as `_other`.
    public init(
        _ name: String, _ kind: Kind, of scope: MetricScope = .process, labels: [String] = [],
        limit: Int = 64, help: String
    ) {
        self.name = name
        self.kind = kind
        self.scope = scope
        self.labels = labels
        self.limit = limit
        self.help = help
    }

    /// Returns the same histogram of times with other bounds.
    func with(_ buckets: Buckets) -> MetricFamily {
        MetricFamily(name, .durations(buckets), of: scope, labels: labels, limit: limit, help: help)
    }

    /// Whether the series of both may stand under one name.
    func hasSeries(like other: MetricFamily) -> Bool {
        kind == other.kind && scope == other.scope && labels == other.labels
    }

    /// The base unit at the end of the name, or nil.
    var unit: String? {
        ["seconds", "bytes", "ratio"].first { baseName.hasSuffix("_\($0)") }
    }

    /// The name without `_total`: what OpenMetrics calls the family.
    var baseName: Substring {
        switch kind {
        case .counter, .time: name.hasSuffix("_total") ? name.dropLast("_total".count) : name[...]
        case .gauge, .durations, .values: name[...]
        }
    }

    var typeName: String {
        switch kind {
        case .counter, .time: "counter"
        case .gauge: "gauge"
        case .durations, .values: "histogram"
        }
    }

    /// How many cells one of its series has: a histogram has one for each bucket, and the sum.
    var cellCount: Int {
        switch kind {
        case .counter, .time, .gauge: 1
        case .durations(let buckets): buckets.bounds.count + 2
        case .values(let bounds): bounds.count + 2
        }
    }
}

/// What the series of a metric describe, and the labels that name it.
public enum MetricScope: Hashable, Sendable {
    case process
    case route
    /// A part of a route.
    case part
    case upstream
    /// A way of telling who calls: the name of an entry of `auth`.
    case entry
    /// A rate limit, by its name.
    case limit
    /// A store that several gateways count in, by its name.
    case store

    /// The labels that every series of the scope has.
    public var labels: [String] {
        switch self {
        case .process: []
        case .route: ["route"]
        case .part: ["route", "part"]
        case .upstream: ["upstream"]
        case .entry: ["entry"]
        case .limit: ["limit"]
        case .store: ["store"]
        }
    }
}

/// The buckets of a histogram of times.
public struct Buckets: Sendable, Equatable {
    /// The upper bounds in nanoseconds, which the buckets include.
    public let bounds: [Int64]
    /// For each number of leading zeros of a time, the first bucket that may hold it. A step of the search
    /// that is left compares with one bound, and few bounds lie between two powers of two.
    private let first: [UInt8]

    /// - Parameter bounds: 1 to 20 times in nanoseconds, each above the one before and above 0.
    public init(nanoseconds bounds: [Int64]) {
        precondition((1...20).contains(bounds.count), "a histogram has 1 to 20 bounds")
        precondition(
            bounds[0] > 0 && zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds must be positive and rise"
        )
        self.bounds = bounds
        first = (0...64).map { zeros in
            // The smallest time with so many leading zeros.
            let least: Int64 = zeros >= 64 ? 0 : zeros == 0 ? .max : Int64(1) << (63 - zeros)
            return UInt8(bounds.firstIndex { $0 >= least } ?? bounds.count)
        }
    }

    /// Creates buckets with these upper bounds, in milliseconds.
    public init(milliseconds bounds: Double...) {
        self.init(nanoseconds: bounds.map { Int64(($0 * 1e6).rounded()) })
    }

    /// Of requests, attempts and DNS.
    public static let usual = Buckets(
        milliseconds: 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 15_000)
    /// Of parts, of which there are many.
    public static let parts = Buckets(milliseconds: 5, 25, 100, 250, 1000, 2500, 10_000)

    /// Returns the bucket of a time; the last one has no bound.
    @inline(__always)
    func index(of time: UInt64) -> Int {
        var index = Int(first[time.leadingZeroBitCount])
        while index < bounds.count, UInt64(bounds[index]) < time { index += 1 }
        return index
    }
}
