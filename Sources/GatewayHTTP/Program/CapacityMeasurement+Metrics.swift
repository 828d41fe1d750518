import GatewayConfig
import JSONBytes

extension CapacityMeasurement {
    /// The names of the metrics that the measurement reads.
    private enum Name {
        static let requests = "sluice_http_requests_total"
        static let requestTime = "sluice_http_request_duration_seconds_sum"
        static let attempts = "sluice_upstream_attempt_duration_seconds_count"
        static let attemptTime = "sluice_upstream_attempt_duration_seconds_sum"
        static let poolWait = "sluice_upstream_pool_wait_seconds_sum"
        static let processorTime = "process_cpu_seconds_total"
        static let start = "process_start_time_seconds"
        static let resident = "process_resident_memory_bytes"
    }

    /// Routes that belong to nobody's load.
    private static let ownRoutes: Set = ["_health"]

    /// Computes what happened between two readings; since the start of the process if no request was over in
    /// between, or if the process is another one.
    ///
    /// - Parameters:
    ///   - before: the first reading.
    ///   - after: the second reading.
    ///   - seconds: the time between them.
    ///   - now: seconds since 1970 at the second reading.
    ///   - status: the answer of `/status`.
    /// - Returns: nil if the texts are not the metrics of a gateway.
    init?(
        before: MetricSamples, after: MetricSamples, seconds: Double, now: Double, _ status: JSONFragment
    ) {
        guard let start = after.sum(Name.start), let resident = after.sum(Name.resident),
            let loops = status[member: "loops"]?.elements.count, loops > 0
        else { return nil }
        let isSame = before.sum(Name.start) == start
        let isIdle = Self.requests(after) - Self.requests(before) < 1
        let first = isSame && !isIdle ? before : nil
        func change(_ name: String, _ labels: [String: String] = [:]) -> Double {
            max(0, (after.sum(name, labels) ?? 0) - (first?.sum(name, labels) ?? 0))
        }
        var upstreams: [String: Upstream] = [:]
        for name in after.labels("upstream", of: Name.attempts) {
            let labels = ["upstream": name]
            let calls = change(Name.attempts, labels)
            // An attempt holds its connection for the time that it did not wait for one.
            let time = max(0, change(Name.attemptTime, labels) - change(Name.poolWait, labels))
            upstreams[name] = Upstream(calls: calls, latency: calls > 0 ? Int(time / calls * 1e9) : 0)
        }
        let requests = Self.requests(after) - (first.map(Self.requests) ?? 0)
        let times = after.labels("route", of: Name.requestTime).subtracting(Self.ownRoutes).map {
            change(Name.requestTime, ["route": $0])
        }
        let limits = (status[member: "limits"]?.members ?? []).compactMap { member -> LimitUse? in
            guard let used = member.value[member: "used"]?.intValue,
                let limit = member.value[member: "limit"]?.intValue
            else { return nil }
            return LimitUse(member.name, used: used, limit: limit)
        }
        self.init(
            seconds: first == nil ? max(1, now - start) : seconds, isSinceStart: first == nil,
            requests: requests, processorTime: change(Name.processorTime),
            latency: requests > 0 ? Int(times.reduce(0, +) / requests * 1e9) : 0,
            busiestRoute: times.max() ?? 0, upstreams: upstreams, resident: Int(resident), loops: loops,
            limits: limits)
    }

    /// The requests that are over, without health checks.
    private static func requests(_ samples: MetricSamples) -> Double {
        samples[Name.requests].filter { sample in
            sample.labels["route"].map { !ownRoutes.contains($0) } ?? true
        }.reduce(0) { $0 + $1.value }
    }
}
