import GatewayCore
import JSONBytes
import Metrics

/// Who was let in since the start, and who was not.
public struct AccessReport: Sendable, Hashable {
    /// Requests to endpoints that require an identity: by the entry of `auth` that decided, `_none` for
    /// requests without a credential, and by the result, such as `ok` or `expired`, as the access log has it.
    public var callers: [String: [String: Int]] = [:]
    /// Requests that each rate limit counted or refused.
    public var limits: [String: RateLimitReport] = [:]
    /// Checks that each store did not answer (`sluice_store_errors_total`).
    public var storeErrors: [String: Int] = [:]

    /// Creates a report of nothing.
    public init() {}

    /// Reads what one loop has counted.
    ///
    /// - Parameter count: returns the value of a series.
    init(_ names: AccessNames, _ count: (MetricFamily, String, String) -> Int) {
        if !names.entries.isEmpty {
            for entry in names.entries + [AccessCounters.noEntry] {
                for result in AccessNote.Result.allCases {
                    let requests = count(.auth, entry, result.rawValue)
                    if requests > 0 { callers[entry, default: [:]][result.rawValue] = requests }
                }
            }
        }
        for limit in names.limits {
            limits[limit] = RateLimitReport(
                allowed: count(.rateLimit, limit, AccessCounters.LimitResult.allowed.rawValue),
                limited: count(.rateLimit, limit, AccessCounters.LimitResult.limited.rawValue))
        }
    }

    /// The sum of two loops. The stores belong to the process.
    static func + (one: AccessReport, other: AccessReport) -> AccessReport {
        var sum = one
        for (entry, results) in other.callers {
            sum.callers[entry, default: [:]].merge(results, uniquingKeysWith: +)
        }
        for (name, limit) in other.limits {
            sum.limits[name, default: RateLimitReport()].allowed += limit.allowed
            sum.limits[name, default: RateLimitReport()].limited += limit.limited
        }
        return sum
    }
}

/// What a rate limit did since the start.
public struct RateLimitReport: Sendable, Hashable {
    /// Requests that it allowed.
    public var allowed = 0
    /// Requests that it refused.
    public var limited = 0
}

extension AccessReport {
    /// Whether the gateway has neither entries nor limits.
    var isEmpty: Bool { self == AccessReport() }

    /// For the status that operators read.
    var json: JSONLiteral {
        func object<Value>(
            _ values: [String: Value], _ json: (Value) -> JSONLiteral
        ) -> JSONLiteral {
            JSONLiteral(members: values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
        }
        return [
            "callers": object(callers) { object($0) { JSONLiteral($0) } },
            "limits": object(limits) {
                ["allowed": JSONLiteral($0.allowed), "limited": JSONLiteral($0.limited)]
            },
            "storeErrors": object(storeErrors) { JSONLiteral($0) },
        ]
    }
}
