import EventIO
package import HTTPOutbound
package import Networking
package import Rx

/// The upstreams of one loop and their connection pools.
package final class LoopClient {
    private let client: HTTPClient
    private var routes: UpstreamRoutes
    private let decodesContent: Bool
    private let protections: UpstreamProtections?
    private let index: Int
    // Used only on the loop, in steps that never call back.
    private var upstreams = UpstreamTable()

    /// - Parameters:
    ///   - client: the connections.
    ///   - routes: how to reach each upstream.
    ///   - contentDecoding: whether responses' content codings are decoded.
    ///   - protections: the breakers and limits that all loops share. Default nil: none.
    ///   - index: the number of this loop among those that share `protections`.
    package init(
        _ client: HTTPClient, routes: UpstreamRoutes = UpstreamRoutes(),
        contentDecoding: ContentDecoding = .automatic, protections: UpstreamProtections? = nil,
        index: Int = 0
    ) {
        self.client = client
        self.routes = routes
        self.protections = protections
        self.index = index
        decodesContent = contentDecoding == .automatic
    }

    package func send(
        _ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver
    ) -> any Disposable {
        let outbound: UpstreamPool
        let permit: AttemptPermit
        do throws(TransportError) {
            let upstream = try upstream(call.upstream)
            outbound = upstream.pool
            if let protection = upstream.protection {
                permit = try protection.admit(at: client.loop.wakeTime)
            } else {
                permit = .unprotected
            }
        } catch {
            return FailedAttempt(error, for: receiver, on: client.loop)
        }
        let decodes = decodesContent && call.contentDecoding == .automatic
        if let streaming = receiver.streaming {
            return StreamingAttempt.start(
                call, to: outbound, within: TimeAmount(limit), decodesContent: decodes, permit,
                for: streaming)
        }
        let attempt = LoopAttempt(
            call, to: outbound, within: TimeAmount(limit), decodesContent: decodes, permit, for: receiver)
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
        guard let report = upstreams[upstream.id]?.pool.report else { return 0 }
        return report.leased + report.waiting
    }

    func isCircuitClosed(of upstream: Upstream) -> Bool {
        upstreams[upstream.id]?.protection?.isCircuitClosed ?? true
    }

    package func close() {
        client.close()
    }

    private func upstream(_ upstream: Upstream) throws(TransportError) -> LoopUpstream {
        if let known = upstreams[upstream.id] { return known }
        return try open(upstream)
    }

    private func open(_ upstream: Upstream) throws(TransportError) -> LoopUpstream {
        if upstreams.isFull {
            client.forgetUnused()
            upstreams.removeForgotten()
        }
        let pool = client.origin(try routes.origin(of: upstream)).pool
        // Names that share an origin share its connections: the first one's memory is charged.
        if let protections, pool.bodyMemory == nil { pool.bodyMemory = protections.memory(of: upstream) }
        let opened = LoopUpstream(
            pool: pool,
            protection: protections?.protection(of: upstream).map { LoopProtection($0, loop: index) })
        upstreams[upstream.id] = opened
        return opened
    }
}

/// An upstream on one loop.
private struct LoopUpstream {
    let pool: UpstreamPool
    /// Nil without a breaker and a limit.
    let protection: LoopProtection?
}

/// A loop's upstreams by upstream ID.
private struct UpstreamTable {
    /// Number of upstreams above which those without a call are removed, until `removeForgotten` adapts it.
    static var initialLimit: Int { 512 }

    /// Those with small IDs, which nearly all have.
    private var first: [LoopUpstream?] = []
    private var others: [Int: LoopUpstream] = [:]
    private var count = 0
    private var limit = Self.initialLimit

    var isFull: Bool { count >= limit }

    subscript(id: Int) -> LoopUpstream? {
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
        for id in first.indices where first[id]?.pool.isForgotten == true { first[id] = nil }
        others = others.filter { !$0.value.pool.isForgotten }
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
