import EventIO

/// Logs the TLS handshakes of clients that fail: each at `debug`, and once a second their sum: a warning
/// if some made room for others.
typealias HandshakeLog = CountedLog<FailedHandshakes>

/// Handshakes that have failed, with the latest of them.
struct FailedHandshakes: LogCounts {
    struct Handshake: Equatable {
        let reason: String
        let peer: SocketAddress
    }

    private(set) var count = 0
    /// Those among them that made room for newcomers.
    private(set) var shed = 0
    private(set) var latest: Handshake?

    static var none: FailedHandshakes { FailedHandshakes() }

    private init() {}

    init(_ reason: String, from peer: SocketAddress, isShed: Bool = false) {
        count = 1
        shed = isShed ? 1 : 0
        latest = Handshake(reason: reason, peer: peer)
    }

    static func + (one: FailedHandshakes, other: FailedHandshakes) -> FailedHandshakes {
        var sum = one
        sum.count += other.count
        sum.shed += other.shed
        sum.latest = other.latest ?? one.latest
        return sum
    }
}

extension CountedLog<FailedHandshakes> {
    convenience init(_ log: Log) {
        self.init { failed in
            guard let latest = failed.latest else { return }
            log.write(
                failed.shed > 0 ? .warning : .info, "TLS handshakes failed",
                [
                    "handshakes": failed.count, "shed": failed.shed, "remote": "\(latest.peer)",
                    "reason": latest.reason,
                ])
        }
    }
}
