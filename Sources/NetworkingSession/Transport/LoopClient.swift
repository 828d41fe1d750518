import EventIO
package import HTTPOutbound
import LoopScheduling
import Metrics
@_spi(Records) package import Networking
package import Rx

/// The upstreams of one loop and their connection pools.
package final class LoopClient {
    let client: HTTPClient
    var routes: UpstreamRoutes
    private let decodesContent: Bool
    let protections: UpstreamProtections?
    let index: Int
    // Used only on the loop, in steps that never call back.
    let upstreams: UpstreamTable
    /// The IDs of the upstreams that the current generation calls at configured addresses.
    var configured: Set<Int> = []
    /// Of all upstreams that have no label of their own.
    private var otherCounts: UpstreamCounts?
    private(set) var isClosed = false

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
        upstreams = UpstreamTable(on: client.loop)
        // The table and not the client: references to objects with weak references are slow to count.
        client.forgetVacant { [weak upstreams] in upstreams?.removeForgotten() }
    }

    package func send(
        _ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver
    ) -> any Disposable {
        let outbound: UpstreamPool
        let permit: AttemptPermit
        let upstream: LoopUpstream
        do throws(TransportError) {
            upstream = try self.upstream(call)
        } catch {
            return FailedAttempt(error, nil, for: receiver, on: client.loop)
        }
        do throws(TransportError) {
            if let body = call.countedBody { try charge(body, to: upstream) }
            let route = upstream.route
            var admitted = try AttemptPermit(of: upstream, for: call, at: client.loop.wakeTime)
            switch route {
            case .pool(let pool): outbound = pool
            case .cluster(let cluster):
                outbound = cluster.poolOfAttempt(&admitted, for: receiver, at: client.loop.wakeTime)
            }
            permit = admitted
        } catch {
            return FailedAttempt(error, upstream.counts, for: receiver, on: client.loop)
        }
        let decodes = decodesContent && call.contentDecoding == .automatic
        if let streaming = receiver.streaming {
            let attempt = StreamingAttempt(
                call, to: outbound, within: TimeAmount(limit), decodesContent: decodes, permit,
                upstream.counts, for: streaming)
            outbound.start(attempt)
            return attempt
        }
        let attempt = LoopAttempt(
            call, to: outbound, within: TimeAmount(limit), decodesContent: decodes, permit, upstream.counts,
            for: receiver)
        outbound.start(attempt)
        return attempt
    }

    /// Uses these routes for new connections. Idle TLS connections are closed; those in use finish their
    /// calls.
    package func use(_ routes: UpstreamRoutes) {
        self.routes = routes
        client.forgetUnused { $0.tls != nil }
        let clusters = upstreams.clusters.compactMap(\.upstream)
        upstreams.removeAll()
        // At once, so that their checks go on.
        for upstream in clusters { prepare(upstream) }
    }

    /// Resolves the upstream's names and begins its checks, before the first call.
    func prepare(_ upstream: Upstream) {
        configured.insert(upstream.id)
        // A fault is reported by the first call.
        if upstreams[upstream.id] == nil { _ = try? open(upstream) }
    }

    package var report: PoolReport { client.report }

    /// Tells another observer of connections from now on, or none.
    package func observe(_ observer: (any ConnectionObserver)?) { client.observe(observer) }

    func callsInFlight(to upstream: Upstream) -> Int {
        upstreams[upstream.id]?.route.callsInFlight ?? 0
    }

    func isCircuitClosed(of upstream: Upstream) -> Bool {
        upstreams[upstream.id]?.isCircuitClosed ?? true
    }

    func isCircuitOpen(of upstream: Upstream, for endpoint: Int) -> Bool {
        upstreams[upstream.id]?.isCircuitOpen(for: endpoint, at: client.loop.wakeTime) ?? false
    }

    func hasOtherAddress(of upstream: Upstream, than tried: TriedAddresses, orOut: Bool) -> Bool {
        guard case .cluster(let cluster) = upstreams[upstream.id]?.route else { return false }
        return cluster.hasOther(than: tried, orOut: orOut, at: client.loop.wakeTime)
    }

    package var tables: UpstreamTables {
        var tables = UpstreamTables()
        tables.upstreams = upstreams.count
        (tables.pools, tables.names, tables.unreachable) = client.tableSizes
        return tables
    }

    /// The last failures of upstreams that have a label of their own, by it.
    package var lastFailures: [String: LastFailure] {
        var failures: [String: LastFailure] = [:]
        for (_, upstream) in upstreams.all where upstream.counts !== otherCounts {
            guard let failure = upstream.counts.lastFailure else { continue }
            // Two generations may have an upstream of the same name.
            if let known = failures[upstream.counts.label], known.at > failure.at { continue }
            failures[upstream.counts.label] = failure
        }
        return failures
    }

    /// Calls `body` once no cancelled call is left whose request must not be cut. None lasts longer than its
    /// time limits.
    package func afterUncutCalls(_ body: @escaping () -> Void) { client.afterUncutCalls(body) }

    package func close() {
        isClosed = true
        client.close()
        upstreams.removeAll()
    }

    @inline(__always)
    private func upstream(_ call: TransportCall) throws(TransportError) -> LoopUpstream {
        if let known = upstreams[call.upstreamID] { return known }
        return try open(call.upstream)
    }

    @discardableResult
    func open(_ upstream: Upstream) throws(TransportError) -> LoopUpstream {
        guard !isClosed else { throw TransportError(.destinationUnavailable, "the client is closed") }
        if upstreams.isFull {
            // Not those that are called all the time, because then many others would cost them their
            // connections.
            client.forgetUncalled()
            upstreams.makeRoom()
        }
        let origins = try routes.origins(of: upstream)
        let shares = protections?.shares(of: upstream) ?? UpstreamShares()
        let counts = counts(of: upstream)
        let opened = LoopUpstream(
            upstream, origins, route: route(to: upstream, at: origins, shares, counts),
            protection: protections?.protection(of: upstream), loop: index, memory: shares.memory,
            counts: counts)
        upstreams[upstream.id] = opened
        return opened
    }

    private func counts(of upstream: Upstream) -> UpstreamCounts {
        let label = upstream.label
        guard label == MetricName.other else { return UpstreamCounts(label, on: client.loop) }
        let counts = otherCounts ?? UpstreamCounts(label, on: client.loop)
        otherCounts = counts
        return counts
    }

    /// Charges what the request keeps in bodies of its calls. A large one is charged once, by its first
    /// attempt.
    private func charge(_ body: CountedBody, to upstream: LoopUpstream) throws(TransportError) {
        let bytes = body.bytesToCharge
        guard bytes > 0, let memory = upstream.memory else { return }
        guard let charge = memory.charge(bytes) else {
            // The body is freed with the call.
            client.loop.largeMemoryWasFreed()
            throw TransportError(
                .memoryLimit, "the memory for bodies is used up",
                summary: "too many large bodies are in memory",
                retryAfter: .seconds(Int.random(in: 1...3)), wasSent: false)
        }
        body.hold(HeldCharge(charge, on: client.loop), of: bytes)
    }

    private func route(
        to upstream: Upstream, at origins: [Origin], _ shares: UpstreamShares, _ counts: UpstreamCounts
    ) -> LoopUpstream.Route {
        guard let protections, let addresses = protections.addresses(of: upstream),
            UpstreamCluster.isNeeded(for: origins, addresses)
        else {
            let pool = client.origin(origins[0]).pool
            pool.use(shares, counts)
            return .pool(pool)
        }
        let context = ClusterContext(client, addresses, protections.records, shares, counts)
        return .cluster(UpstreamCluster(upstream, origins, context))
    }
}

/// An attempt that failed before it started. Reports that in a later turn of the loop, so that an immediate
/// retry by the receiver does not recurse. Unchecked like `LoopDisposable`: its state is used only on the
/// loop.
private final class FailedAttempt: LoopDisposable, DeferredWork, @unchecked Sendable {
    private let error: TransportError
    private let counts: UpstreamCounts?
    private var receiver: (any AttemptReceiver)?

    /// - Parameter counts: nil for an upstream that the client cannot open.
    init(
        _ error: TransportError, _ counts: UpstreamCounts?, for receiver: any AttemptReceiver,
        on loop: EventLoop
    ) {
        self.error = error
        self.counts = counts
        self.receiver = receiver
        super.init(on: loop)
        loop.defer(self)
    }

    func runDeferred() {
        guard let receiver = receiver.take() else { return }
        // A retry that the circuit refuses was not made.
        if error.reason != .circuitOpen || !receiver.wasRetried { counts?.attemptRefused(error.reason) }
        receiver.attemptFailed(error)
    }

    // The request's record shows a cancelled attempt, too.
    override func cancel() {
        if receiver.take() != nil { counts?.attemptCancelled() }
    }
}
