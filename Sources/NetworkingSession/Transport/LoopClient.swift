import EventIO
package import HTTPOutbound
package import Networking
package import Rx

/// The upstreams of one loop and their connection pools.
package final class LoopClient {
    private let client: HTTPClient
    private var routes: UpstreamRoutes
    private let decodesContent: Bool
    // Used only on the loop, in steps that never call back.
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
        outbound.start(attempt)
        return attempt
    }

    /// Uses these routes for new connections. Idle TLS connections are closed; those in use finish their calls.
    package func use(_ routes: UpstreamRoutes) {
        self.routes = routes
        client.forgetUnused { $0.tls != nil }
        upstreams = UpstreamTable()
    }

    package var report: PoolReport { client.report }

    func callsInFlight(to upstream: Upstream) -> Int {
        guard let report = pool(of: upstream)?.report else { return 0 }
        return report.leased + report.waiting
    }

    package func close() {
        client.close()
    }

    private func pool(of upstream: Upstream) -> UpstreamPool? { upstreams[upstream.id] }

    private func open(_ upstream: Upstream) throws(TransportError) -> UpstreamPool {
        if upstreams.isFull {
            client.forgetUnused()
            upstreams.removeForgotten()
        }
        let outbound = client.origin(try routes.origin(of: upstream)).pool
        upstreams[upstream.id] = outbound
        return outbound
    }
}

/// A loop's pools by upstream ID.
private struct UpstreamTable {
    /// Number of upstreams above which those without a call are removed, until `removeForgotten` adapts it.
    static var initialLimit: Int { 512 }

    /// The pools with small IDs, which nearly all have.
    private var first: [UpstreamPool?] = []
    private var others: [Int: UpstreamPool] = [:]
    private var count = 0
    private var limit = Self.initialLimit

    var isFull: Bool { count >= limit }

    subscript(id: Int) -> UpstreamPool? {
        get { id < first.count ? first[id] : others.isEmpty ? nil : others[id] }
        set {
            count += 1
            guard id < 2 * Self.initialLimit else { return others[id] = newValue }
            while first.count <= id { first.append(nil) }
            first[id] = newValue
        }
    }

    /// Removes forgotten pools and sets the limit to twice the rest, to spread the cost over added upstreams.
    mutating func removeForgotten() {
        for id in first.indices where first[id]?.isForgotten == true { first[id] = nil }
        others = others.filter { !$0.value.isForgotten }
        count = others.count + first.count { $0 != nil }
        limit = max(Self.initialLimit, 2 * count)
    }
}

/// An attempt that failed before it started. Reports that in a later turn of the loop, so that an immediate retry by
/// the receiver does not recurse. Unchecked like `LoopDisposable`: its state is used only on the loop.
private final class FailedAttempt: LoopDisposable, DeferredWork, @unchecked Sendable {
    private let error: TransportError
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
