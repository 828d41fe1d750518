import EventIO

/// Logs the TLS handshakes of clients that fail: each at `debug`, and once a second their sum.
typealias HandshakeLog = CountedLog<FailedHandshakes>

/// Handshakes that have failed, with the latest of them.
struct FailedHandshakes: LogCounts {
    struct Handshake: Equatable {
        let reason: String
        let peer: SocketAddress
    }

    private(set) var count = 0
    private(set) var latest: Handshake?

    static var none: FailedHandshakes { FailedHandshakes() }

    private init() {}

    init(_ reason: String, from peer: SocketAddress) {
        count = 1
        latest = Handshake(reason: reason, peer: peer)
    }

    static func + (one: FailedHandshakes, other: FailedHandshakes) -> FailedHandshakes {
        var sum = one
        sum.count += other.count
        sum.latest = other.latest ?? one.latest
        return sum
    }
}

extension CountedLog<FailedHandshakes> {
    convenience init(_ log: Log) {
        self.init { failed in
            guard let latest = failed.latest else { return }
            log.write(
                .info, "TLS handshakes failed",
                ["handshakes": failed.count, "remote": "\(latest.peer)", "reason": latest.reason])
        }
    }
}
