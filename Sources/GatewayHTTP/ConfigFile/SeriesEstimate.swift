import EndpointPlans
import GatewayConfig
import GatewayCore
import Metrics

/// How many series the metrics of a file have at most: each route, part and upstream with as many outcomes as
/// its metrics tell apart. Usual traffic has a fraction of them. Series of code in Swift are not in it.
struct SeriesEstimate {
    /// The series of one route, and how many of them its parts have.
    struct Route {
        let path: String
        let series: Int
        let parts: Int
    }

    /// From here on, `check` warns.
    static let most = 20_000
    /// Routes that a warning names.
    private static let named = 3

    /// The largest first.
    let routes: [Route]
    let total: Int

    init(_ document: ConfigDocument) {
        let settings = document.settings
        var parts: [String: Set<String>] = [:]
        for endpoint in document.endpoints {
            parts[endpoint.path.value.shown, default: []].formUnion(
                (endpoint.first + endpoint.parts.list).flatMap(Self.names))
        }
        for proxy in document.proxies {
            parts[proxy.path.value.shown, default: []].insert(proxy.upstream.value)
        }
        let ofRoute = Self.ofRoute(bounds: settings.metrics.buckets.count)
        routes = parts.map { path, names in
            // Further parts are `_other`.
            let counted = min(names.count, RequestCounters.mostParts + 1)
            let ofParts = settings.metrics.parts ? counted * Self.ofPart : 0
            return Route(path: path, series: ofRoute + ofParts, parts: ofParts)
        }.sorted { ($1.series, $0.path) < ($0.series, $1.path) }
        // `_files`, `_health` and `_none` are routes, and `_other` is an upstream.
        let others = 3 * ofRoute + (document.upstreams.count + 1) * Self.ofUpstream
        let loops = settings.loops * 2
        // Requests without a credential have an entry of their own.
        let callers = document.auth.isEmpty ? 0 : (document.auth.count + 1) * Self.ofEntry
        let limits =
            document.rateLimits.count * Self.ofLimit + document.stores.count * Self.count(.storeErrors)
        total = routes.reduce(others + loops + callers + limits + Self.ofProcess) { $0 + $1.series }
    }

    /// The names of a part and, of a group, of its parts.
    private static func names(of part: PlannedPart) -> [String] {
        guard case .group(let group) = part.content else { return [part.name] }
        return [part.name] + group.parts.flatMap(names)
    }

    /// What `check` says about many series; nil up to `most`.
    var warning: String? {
        guard total > Self.most else { return nil }
        let largest = routes.prefix(Self.named).map { route in
            "\(route.path) has \(route.series)" + (route.parts > 0 ? ", \(route.parts) of them of parts" : "")
        }
        let advice =
            routes.contains { $0.parts > 0 } ? "; metrics.parts: off leaves the series of parts out" : ""
        return "the metrics have up to \(total) series, more than \(Self.most): "
            + largest.joined(separator: "; ") + advice
    }

    // MARK: Series of one name

    private static func ofRoute(bounds: Int) -> Int {
        count(.httpRequests) + bounds + 3 + count(.httpRequestBytes) + count(.httpResponseBytes)
            + count(.endpointFaults) + SlowPhase.Phase.allCases.count
    }

    private static let ofPart = count(.parts) + count(.partDuration)

    private static let ofUpstream: Int = {
        let free: [MetricFamily] = [
            .upstreamAttempts, .upstreamAttemptDuration, .upstreamPoolWait, .upstreamConnectionsClosed,
            .upstreamRetries,
            .upstreamCircuitState, .upstreamCircuitOpenings, .upstreamEjections,
            .upstreamConnectionsOpened, .upstreamWaitingCalls, .upstreamCallsInFlight, .upstreamBodyBytes,
        ]
        // Reasons of refusals, rules about retries, states of addresses and connections, results of checks,
        // kinds of certificates.
        return free.reduce(4 + 5 + 3 + 3 + 2 + 2) { $0 + count($1) }
    }()

    private static let ofEntry = AccessNote.Result.allCases.count

    private static let ofLimit = AccessCounters.LimitResult.allCases.count

    /// Rounded up: what the process has once.
    private static let ofProcess = 150

    private static func count(_ family: MetricFamily) -> Int {
        let combinations = family.labels.isEmpty ? 1 : family.limit + 1
        switch family.kind {
        case .counter, .time, .gauge: return combinations
        // With the bucket that has no bound, the sum and the count.
        case .durations(let buckets): return combinations * (buckets.bounds.count + 3)
        case .values(let bounds): return combinations * (bounds.count + 3)
        }
    }
}
