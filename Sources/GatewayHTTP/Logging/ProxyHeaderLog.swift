import EventIO

/// Logs the connections of trusted proxies that do not begin with a header of the PROXY protocol.
typealias ProxyHeaderLog = CountedLog<ProxyHeaderCounts>

struct ProxyHeaderCounts: LogCounts {
    /// One that was closed.
    struct Connection: Equatable {
        let reason: String
        let peer: SocketAddress
    }

    private(set) var connections = 0
    private(set) var latest: Connection?

    static var none: ProxyHeaderCounts { ProxyHeaderCounts() }

    private init() {}

    init(_ reason: String, from peer: SocketAddress) {
        connections = 1
        latest = Connection(reason: reason, peer: peer)
    }

    static func + (one: ProxyHeaderCounts, other: ProxyHeaderCounts) -> ProxyHeaderCounts {
        var sum = one
        sum.connections += other.connections
        sum.latest = other.latest ?? one.latest
        return sum
    }
}

extension CountedLog<ProxyHeaderCounts> {
    convenience init(_ log: Log) {
        self.init { counts in
            guard let latest = counts.latest else { return }
            log.write(
                .warning, "connections without a PROXY header closed",
                [
                    "connections": counts.connections, "remote": "\(latest.peer)", "reason": latest.reason,
                ])
        }
    }
}
