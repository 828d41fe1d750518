import GatewayCore

/// Logs requests that a limit of a rule refused. Clients cause them at will, so they are not errors of the
/// gateway.
typealias RefusalLog = CountedLog<RefusalCounts>

struct RefusalCounts: LogCounts {
    var requests = 0
    /// The first of them.
    var first: String?

    static var none: RefusalCounts { RefusalCounts() }

    private init() {}

    init(_ incident: GatewayIncident) {
        requests = 1
        first = "\(incident)"
    }

    static func + (one: RefusalCounts, other: RefusalCounts) -> RefusalCounts {
        var sum = one
        sum.requests += other.requests
        sum.first = one.first ?? other.first
        return sum
    }
}

extension CountedLog<RefusalCounts> {
    convenience init(_ log: Log) {
        self.init { counts in
            log.write(
                .warning, "request refused by a limit",
                ["count": counts.requests, "what": counts.first])
        }
    }
}
