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

    /// Handles SIGHUP: reloads on a helper thread, since reading files blocks. Writes one line to the log for each signal.
    @Sendable func hangUp() {
        guard reloads.begin() else {
            return logs.diagnostics.write(.info, "SIGHUP: certificates are about to be read anew")
        }
        // Keeps the log open until the outcome is written.
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

/// The queue of reloads: at most one runs and one waits.
final class Reloads: Sendable {
    let queue = DispatchQueue(label: "reload")
    private let isWaiting = Atomic(false)

    /// Registers a waiting reload. Returns false if one waits already.
    func begin() -> Bool { !isWaiting.exchange(true, ordering: .relaxed) }

    /// Called as the waiting reload begins, so that another one may wait.
    func started() { isWaiting.store(false, ordering: .relaxed) }
}
