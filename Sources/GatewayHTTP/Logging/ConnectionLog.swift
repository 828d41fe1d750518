import EventIO
import HTTPModel
import HTTPOutbound

/// Logs upstream connections at `debug`. Exists only at that level, so that connections have no observer
/// otherwise.
final class ConnectionLog: ConnectionObserver {
    private let log: Log

    /// Nil unless messages at `debug` are written.
    init?(_ log: Log) {
        guard log.isDebug else { return nil }
        self.log = log
    }

    func connectionOpened(to origin: Origin, address: PeerAddress?, after time: TimeAmount) {
        log.write(
            .debug, "upstream connection opened",
            [
                "origin": "\(origin)", "address": address?.description,
                "connectMs": time.nanoseconds / 1_000_000,
            ])
    }

    func connectionReused(to origin: Origin, address: PeerAddress?) {
        log.write(
            .debug, "upstream connection reused", ["origin": "\(origin)", "address": address?.description])
    }

    func responseTolerated(from origin: Origin, address: PeerAddress?, _ rules: [String]) {
        log.write(
            .debug, "upstream response tolerated",
            [
                "origin": "\(origin)", "address": address?.description,
                "rules": rules.joined(separator: "; "),
            ])
    }

    func connectionDiscarded(to origin: Origin, address: PeerAddress?, _ reason: DiscardReason) {
        log.write(
            .debug, "upstream connection discarded",
            ["origin": "\(origin)", "address": address?.description, "reason": reason.token])
    }
}
