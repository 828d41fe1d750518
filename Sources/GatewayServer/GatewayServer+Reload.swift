import Dispatch
import EventIO
import NetworkingSession
import Synchronization

extension GatewayServer {
    /// Reads the certificates, keys and authorities of its upstreams anew. Connections that are opened from here on go by what
    /// the files hold now; open ones serve their calls to the end. Blocks while the files are read. From any thread.
    ///
    /// - Throws: `GatewayStartError`, for a file that cannot be read or used. Nothing changes then.
    public func reloadCertificates() throws {
        let routes = try Self.routes(configuration.connections)
        for client in clients { client.loop.execute { client.value.use(routes) } }
    }

    /// Reloads on a thread of its own, as files are read; one line in the log for each SIGHUP. On a loop.
    @Sendable func hangUp() {
        guard reloads.begin() else {
            return logs.diagnostics.write(.info, "SIGHUP: certificates are about to be read anew")
        }
        // The log is open until then.
        stopped.enter()
        reloads.queue.async { [self] in
            reloads.started()
            do {
                try reloadCertificates()
                logs.diagnostics.write(.info, "SIGHUP: certificates were read anew")
            } catch {
                logs.diagnostics.write(
                    .error, "SIGHUP: certificates were not read anew, the old ones stay", ["what": "\(error)"]
                )
            }
            stopped.leave()
        }
    }
}

/// Reloads, one after the other: one that runs, and one that waits at most.
final class Reloads: Sendable {
    let queue = DispatchQueue(label: "reload")
    private let isWaiting = Atomic(false)

    /// Whether none was waiting: now one is.
    func begin() -> Bool { !isWaiting.exchange(true, ordering: .relaxed) }

    /// The one that waited runs.
    func started() { isWaiting.store(false, ordering: .relaxed) }
}
