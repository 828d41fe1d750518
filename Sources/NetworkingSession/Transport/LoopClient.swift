import EventIO
package import HTTPOutbound
package import Networking
package import Rx

/// What one loop keeps for each upstream: where its calls go, and how.
package final class LoopClient {
    private let client: HTTPClient
    private let routes: UpstreamRoutes
    // Touched by the loop's thread alone, each time for one step that calls nobody.
    @exclusivity(unchecked) private var upstreams: [UpstreamPool?] = []

    package init(_ client: HTTPClient, routes: UpstreamRoutes = UpstreamRoutes()) {
        self.client = client
        self.routes = routes
    }

    package func send(
        _ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver
    ) -> any Disposable {
        let outbound: UpstreamPool
        if let known = pool(of: call.upstream) {
            outbound = known
        } else {
            do throws(TransportError) {
                outbound = try open(call.upstream)
            } catch {
                receiver.attemptFailed(error)
                return Disposables.create()
            }
        }
        if let streaming = receiver.streaming {
            return StreamingAttempt.start(call, to: outbound, within: TimeAmount(limit), for: streaming)
        }
        let attempt = LoopAttempt(call, to: outbound, within: TimeAmount(limit), for: receiver)
        attempt.start(at: outbound)
        return attempt
    }

    /// All upstreams together.
    package var report: PoolReport { client.report }

    func callsInFlight(to upstream: Networking.Upstream) -> Int {
        guard let report = pool(of: upstream)?.report else { return 0 }
        return report.leased + report.waiting
    }

    package func close() {
        client.close()
    }

    private func pool(of upstream: Networking.Upstream) -> UpstreamPool? {
        upstream.id < upstreams.count ? upstreams[upstream.id] : nil
    }

    private func open(_ upstream: Networking.Upstream) throws(TransportError) -> UpstreamPool {
        let outbound = client.upstream(try routes.origin(of: upstream)).local
        while upstreams.count <= upstream.id { upstreams.append(nil) }
        upstreams[upstream.id] = outbound
        return outbound
    }
}
