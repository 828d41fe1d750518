import EventIO
package import HTTPOutbound
package import Networking
package import Rx

/// What one loop keeps for each upstream: where its calls go, and how.
package final class LoopClient {
    private let client: HTTPClient
    private var routes: UpstreamRoutes
    private let decodesContent: Bool
    // Touched by the loop's thread alone, each time for one step that calls nobody.
    private var upstreams = UpstreamTable()

    package init(
        _ client: HTTPClient, routes: UpstreamRoutes = UpstreamRoutes(),
        contentDecoding: ContentDecoding = .automatic
    ) {
        self.client = client
        self.routes = routes
        decodesContent = contentDecoding == .automatic
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
                return FailedAttempt(error, for: receiver, on: client.loop)
            }
        }
        let decodes = decodesContent && call.contentDecoding == .automatic
        if let streaming = receiver.streaming {
            return StreamingAttempt.start(
                call, to: outbound, within: TimeAmount(limit), decodesContent: decodes, for: streaming)
        }
        let attempt = LoopAttempt(
            call, to: outbound, within: TimeAmount(limit), decodesContent: decodes, for: receiver)
        attempt.start(at: outbound)
        return attempt
    }

    /// Opens connections by these routes from now on. Where an upstream's TLS has changed, its open connections serve their calls
    /// to the end; idle ones over TLS are closed.
    package func use(_ routes: UpstreamRoutes) {
        self.routes = routes
        client.forgetUnused { $0.tls != nil }
        upstreams = UpstreamTable()
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

    private func pool(of upstream: Networking.Upstream) -> UpstreamPool? { upstreams[upstream.id] }

    private func open(_ upstream: Networking.Upstream) throws(TransportError) -> UpstreamPool {
        if upstreams.isFull {
            client.forgetUnused()
            upstreams.removeForgotten()
        }
        let outbound = client.upstream(try routes.origin(of: upstream)).local
        upstreams[upstream.id] = outbound
        return outbound
    }
}

/// The pools of a loop by the numbers of their upstreams.
private struct UpstreamTable {
    /// Upstreams that are kept whether they are in use or not. Beyond it those without a call are forgotten.
    static var kept: Int { 512 }

    /// By the number, as nearly all are.
    private var first: [UpstreamPool?] = []
    private var others: [Int: UpstreamPool] = [:]
    private var count = 0
    private var limit = Self.kept

    var isFull: Bool { count >= limit }

    subscript(id: Int) -> UpstreamPool? {
        get { id < first.count ? first[id] : others.isEmpty ? nil : others[id] }
        set {
            count += 1
            guard id < 2 * Self.kept else { return others[id] = newValue }
            while first.count <= id { first.append(nil) }
            first[id] = newValue
        }
    }

    /// Looks again when there are twice as many as are in use now, so that a look is paid for by the upstreams since the last.
    mutating func removeForgotten() {
        for id in first.indices where first[id]?.isForgotten == true { first[id] = nil }
        others = others.filter { !$0.value.isForgotten }
        count = others.count + first.count { $0 != nil }
        limit = max(Self.kept, 2 * count)
    }
}

/// An attempt that failed as it was made. It says so in a turn of its own: a receiver that sends again at once is not called
/// from within its own call.
private final class FailedAttempt: LoopDisposable, DeferredWork, @unchecked Sendable {
    private let error: TransportError
    // The loop's alone.
    private var receiver: (any AttemptReceiver)?

    init(_ error: TransportError, for receiver: any AttemptReceiver, on loop: EventLoop) {
        self.error = error
        self.receiver = receiver
        super.init(on: loop)
        loop.defer(self)
    }

    func runDeferred() { receiver.take()?.attemptFailed(error) }

    override func cancel() { receiver = nil }
}
