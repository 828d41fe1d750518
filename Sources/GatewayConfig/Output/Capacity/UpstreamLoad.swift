import EndpointPlans

/// The load of one upstream.
package struct UpstreamLoad: Sendable {
    package var name: String
    /// Calls a second from all loops, without retries in an estimate.
    package var callRate: Double
    /// Nanoseconds from a call to its response.
    package var latency: Nanoseconds
    package var latencySource: Source
    /// Calls in flight of one loop (Little's law).
    package var inFlight: Double
    /// The connections that one loop may have to all addresses of the upstream.
    package var connections: Int
    /// The connections that calls may have whose responses pass through; nil without such calls.
    package var relays: Int?
    /// Calls in flight of one loop whose responses pass through.
    package var relaysInFlight: Double
    /// The calls that may be in flight from the whole gateway; nil for no limit.
    package var concurrency: Int?
    /// Nanoseconds that a call waits for a connection.
    package var wait: Nanoseconds
    package var silence: SilentUpstream?

    package enum Source: String, Sendable {
        case assumed, given, measured
    }
}

/// One limit, and how much of it a load uses.
package struct LimitUse: Sendable, Equatable {
    /// `diary's connections`.
    package var name: String
    package var used: Double
    package var limit: Double

    package var ratio: Double { used / max(1, limit) }
}

extension UpstreamLoad {
    /// How much of each limit is used.
    func limits(loops: Int) -> [LimitUse] {
        var limits = [LimitUse(name: "\(name)'s connections", used: inFlight, limit: Double(connections))]
        if let relays {
            limits.append(
                LimitUse(
                    name: "\(name)'s connections for responses that pass through", used: relaysInFlight,
                    limit: Double(relays)))
        }
        if let concurrency {
            limits.append(
                LimitUse(
                    name: "\(name)'s concurrency", used: inFlight * Double(loops), limit: Double(concurrency))
            )
        }
        return limits
    }

    /// The connections of one loop that leave room for peaks: a quarter more than the mean, or two standard
    /// deviations of arrivals at random.
    static func enough(for mean: Double) -> Int {
        let count = Int(max(1.25 * mean, mean + 2 * mean.squareRoot()).rounded(.up))
        return count > 20 ? (count + 9) / 10 * 10 : count
    }

    /// Whether calls of arrivals at random wait now and then.
    static func waitsAtPeaks(_ mean: Double, limit: Int) -> Bool {
        mean + 2 * mean.squareRoot() > Double(limit)
    }
}
