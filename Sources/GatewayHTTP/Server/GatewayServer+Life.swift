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
                scheduler: site.transport.scheduler, executor: BackgroundExecutor(),
                report: { site.report($0) }))
    }
}

extension GatewayServer {
    /// Runs the hooks of the start. Blocks until they have ended, or a drain has cancelled them.
    ///
    /// - Throws: `GatewayStartError` if one fails. The gateway has stopped then.
    func begin() throws(GatewayStartError) {
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

    /// Runs the hooks of the stop, after the last request. Blocks until they have ended.
    func runStopHooks() {
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
