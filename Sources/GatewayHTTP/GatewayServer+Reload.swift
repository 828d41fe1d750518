import Dispatch
import EventIO
import NetworkingSession
import Synchronization

extension GatewayServer {
    /// Reloads the certificates, keys and authorities for the upstreams. New connections use the files' current contents; open ones
    /// serve their calls to the end. Blocks while it reads the files. From any thread.
    ///
    /// - Throws: `GatewayStartError` if a file cannot be read or used. Nothing changes then.
    public func reloadCertificates() throws {
        let routes = try Self.routes(configuration.connections)
        for client in clients { client.loop.execute { client.value.use(routes) } }
    }

    /// Handles SIGHUP: reloads on a helper thread, since reading files blocks. Writes one line to the log for each signal.
    @Sendable func hangUp() {
        guard reloads.begin() else {
            return logs.diagnostics.write(.info, "SIGHUP: a reload of certificates is already waiting")
        }
        reloads.pending.enter()
        reloads.queue.async { [self] in
            reloads.started()
            do {
                try reloadCertificates()
                logs.diagnostics.write(.info, "SIGHUP: certificates reloaded")
            } catch {
                logs.diagnostics.write(
                    .error, "SIGHUP: certificates not reloaded, the old ones stay in use",
                    ["what": "\(error)"]
                )
            }
            reloads.pending.leave()
        }
    }
}

/// The queue of reloads: at most one runs and one waits.
final class Reloads: Sendable {
    /// How long the end of the gateway waits for them, so that their outcome is logged. A file system that does not
    /// answer may block a reload for longer.
    static let patience = DispatchTimeInterval.seconds(1)

    let queue = DispatchQueue(label: "reload")
    /// Entered once for each reload that waits or runs.
    let pending = DispatchGroup()
    private let isWaiting = Atomic(false)

    /// Registers a waiting reload. Returns false if one waits already.
    func begin() -> Bool { !isWaiting.exchange(true, ordering: .relaxed) }

    /// Called as the waiting reload begins, so that another one may wait.
    func started() { isWaiting.store(false, ordering: .relaxed) }
}
