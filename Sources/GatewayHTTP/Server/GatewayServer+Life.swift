import Dispatch
import EventIO
import GatewayCore
import Locking
import NetworkingSession
import Rx

extension GatewayLife {
    /// The hooks of the first generation, and the jobs of each.
    convenience init(_ generation: Generation, at site: Generation.Site) {
        self.init(
            generation.lifecycle,
            in: Surroundings(
                scheduler: site.transport.scheduler, executor: BackgroundExecutor(), loads: site.sharedLoads,
                report: { site.report($0) }))
    }
}

extension GatewayServer {
    /// Runs the hooks of the start. Blocks until they have ended, or a drain has cancelled them.
    ///
    /// - Throws: `GatewayStartError` if one fails. The gateway has stopped then.
    func begin() throws(GatewayStartError) {
        let hooks = life.hookCounts.start
        if hooks > 0 {
            // Health checks learn meanwhile that the process lives, but is not ready.
            admin?.accept(for: self)
            logs.diagnostics.write(.info, "starting", ["hooks": hooks])
        }
        let ended = DispatchGroup()
        ended.enter()
        let result = Lock<BackgroundFault?>(nil)
        life.start { fault in
            result.withLock { $0 = fault }
            ended.leave()
        }
        MainThread.wait(for: ended)
        guard let fault = result.withLock({ $0 }) else { return }
        stop()
        waitUntilStopped()
        throw GatewayStartError(fault.description)
    }

    /// Waits after a drain until the last request has ended. Returns false if that takes longer.
    package func waitForRequests(within limit: Duration) -> Bool {
        stopped.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
    }

    /// Runs the hooks of the stop, after the last request. Blocks until they have ended.
    func runStopHooks() {
        let hooks = life.hookCounts.stop
        if hooks > 0, !phase.isStopped { logs.diagnostics.write(.info, "stopping", ["hooks": hooks]) }
        let ended = DispatchGroup()
        ended.enter()
        life.stop { ended.leave() }
        MainThread.wait(for: ended)
    }

    /// Closes the connections to upstreams, which hooks may have used.
    func closeClients() {
        for worker in workers { worker.loop.runBlocking { worker.value.closeClient() } }
    }
}
