import EventIO
import Locking

/// Logs which endpoints use the main queue, by `MainScheduler` or by code of the main actor: one line for
/// each endpoint.
final class MainQueueLog: Sendable {
    /// With more endpoints, no other is logged. Only reloads bring new ones.
    static let mostNames = 1024

    private let log: Log
    private let names = Lock<Set<String>>([])

    init(_ log: Log) { self.log = log }

    /// - Parameter endpoint: its name: `GET /products/{id}`.
    func add(_ endpoint: String) {
        let isNew = names.withLock { names in
            guard names.count < Self.mostNames else { return false }
            return names.insert(endpoint).inserted
        }
        guard isNew else { return }
        log.write(
            .warning, "main queue used",
            ["what": Self.description(of: endpoint, isServed: MainThread.isServing), "by": endpoint])
    }

    /// - Parameter isServed: whether the main thread waits for a gateway, and serves the main queue.
    static func description(of endpoint: String, isServed: Bool) -> String {
        isServed
            ? "\(endpoint) changes to the main thread and back, and all loops share that thread"
            : "\(endpoint) waits for the main queue, which the gateway does not serve: the program has to"
    }
}
