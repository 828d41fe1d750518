internal import Locking

/// How long the sample upstreams take to answer in the demo, so that parallel calls, deadlines and retries
/// can be seen.
///
/// Each route has a typical latency, and its answers vary by up to a quarter of it. The variation depends
/// only on the route and on how many answers it has given since the start, so every run has the same
/// latencies.
final class SampleLatency: Sendable {
    private let counts = Lock<[FaultSwitch: Int]>([:])

    /// Returns the milliseconds before the next answer of a route.
    func next(of route: FaultSwitch) -> Int {
        let number = counts.withLock { counts in
            counts[route, default: 0] += 1
            return counts[route, default: 0]
        }
        let typical = route.typicalMilliseconds
        return Int((typical * (1 + Noise.value(number, seed: UInt64(typical)) / 4)).rounded())
    }
}

extension FaultSwitch {
    /// The typical latency of a route; with its variation, 40 to 180 ms. No two routes have the same, as it
    /// is also the seed.
    fileprivate var typicalMilliseconds: Double {
        switch self {
        case .users: 55
        case .diary, .day: 60
        case .tags: 65
        case .weights, .recent: 70
        case .picture: 75
        case .weather, .now: 80
        case .received: 85
        case .record: 90
        case .places, .piechart: 100
        case .path: 110
        case .total: 120
        case .forecast: 140
        }
    }
}
