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
    private let upstreams = UpstreamTable()
    private var isClosed = false

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
        // The table and not the client: references to objects with weak references are slow to count.
        client.forgetVacant { [weak upstreams] in upstreams?.removeForgotten() }
    }

    package func send(
        _ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver
    ) -> any Disposable {
        let outbound: UpstreamPool
        let permit: AttemptPermit
        do throws(TransportError) {
            let upstream = try upstream(call)
            var admitted =
                try upstream.protection?.admit(at: client.loop.wakeTime) ?? AttemptPermit.unprotected
            switch upstream.route {
            case .pool(let pool): outbound = pool
            case .cluster(let cluster):
                outbound = cluster.poolOfAttempt(&admitted, for: receiver, at: client.loop.wakeTime)
            }
            permit = admitted
        } catch {
            return FailedAttempt(error, for: receiver, on: client.loop)
        }
        let decodes = decodesContent && call.contentDecoding == .automatic
        if let streaming = receiver.streaming {
            let attempt = StreamingAttempt(
                call, to: outbound, within: TimeAmount(limit), decodesContent: decodes, permit,
                for: streaming)
            outbound.start(attempt)
            return attempt
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
        let clusters = upstreams.clusters.compactMap(\.upstream)
        upstreams.removeAll()
        // At once, so that their checks go on.
        for upstream in clusters { prepare(upstream) }
    }

    /// Resolves the upstream's names and begins its checks, before the first call.
    func prepare(_ upstream: Upstream) {
        // A fault is reported by the first call.
        if upstreams[upstream.id] == nil { _ = try? open(upstream) }
    }

    package var report: PoolReport { client.report }

    func callsInFlight(to upstream: Upstream) -> Int {
        upstreams[upstream.id]?.route.callsInFlight ?? 0
    }

    func isCircuitClosed(of upstream: Upstream) -> Bool {
        upstreams[upstream.id]?.protection?.isCircuitClosed ?? true
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

    private func open(_ upstream: Upstream) throws(TransportError) -> LoopUpstream {
        guard !isClosed else { throw TransportError(.destinationUnavailable, "the client is closed") }
        if upstreams.isFull {
            // Not those that are called all the time, because then many others would cost them their connections.
            client.forgetUncalled()
            upstreams.makeRoom()
        }
        let opened = LoopUpstream(
            route: try route(to: upstream),
            protection: protections?.protection(of: upstream).map { LoopProtection($0, loop: index) })
        upstreams[upstream.id] = opened
        return opened
    }

    private func route(to upstream: Upstream) throws(TransportError) -> LoopUpstream.Route {
        let origins = try routes.origins(of: upstream)
        let shares = protections?.shares(of: upstream) ?? UpstreamShares()
        guard let protections, let addresses = protections.addresses(of: upstream),
            origins.count > 1 || origins[0].resolvedName != nil || addresses.checks != nil
        else {
            let pool = client.origin(origins[0]).pool
            pool.use(shares)
            return .pool(pool)
        }
        let context = ClusterContext(client, addresses, protections.records, shares)
        return .cluster(UpstreamCluster(upstream, origins, context))
    }
}

/// An upstream on one loop. A class, so that an attempt pays for one reference count.
private final class LoopUpstream {
    enum Route {
        case pool(UpstreamPool)
        /// Of an upstream that has or may get several addresses.
        case cluster(UpstreamCluster)

        var callsInFlight: Int {
            switch self {
            case .pool(let pool): pool.callsInFlight
            case .cluster(let cluster): cluster.callsInFlight
            }
        }
    }

    let route: Route
    /// Nil without a breaker and a limit.
    let protection: LoopProtection?

    init(route: Route, protection: LoopProtection?) {
        self.route = route
        self.protection = protection
    }

    var isForgotten: Bool {
        switch route {
        case .pool(let pool): pool.isForgotten
        case .cluster(let cluster): cluster.isForgotten
        }
    }
}

/// A loop's upstreams by upstream ID.
private final class UpstreamTable {
    /// The least number of upstreams that are added between two calls of `makeRoom`.
    private static var leastRoom: Int { 256 }
    /// The first IDs of the process, which those in the code have.
    private static var smallIDs: Int { 1024 }

    /// Those with small IDs, which nearly all have.
    private var first: [LoopUpstream?] = []
    private var others: [Int: LoopUpstream] = [:]
    private(set) var count = 0
    /// How many are added between two calls of `makeRoom`.
    private var room = UpstreamTable.leastRoom
    private var added = 0

    var isFull: Bool { added >= room }

    var clusters: [UpstreamCluster] {
        (first.compactMap { $0 } + others.values).compactMap { upstream in
            if case .cluster(let cluster) = upstream.route { cluster } else { nil }
        }
    }

    subscript(id: Int) -> LoopUpstream? {
        @inline(__always) get { id < first.count ? first[id] : others.isEmpty ? nil : others[id] }
        set {
            count += 1
            added += 1
            guard id < Self.smallIDs else { return others[id] = newValue }
            while first.count <= id { first.append(nil) }
            first[id] = newValue
        }
    }

    func removeAll() {
        first = []
        others = [:]
        count = 0
        room = Self.leastRoom
        added = 0
    }

    /// Removes forgotten upstreams. If many calls last long, there is room for as many further upstreams, to spread the
    /// cost of a removal.
    func makeRoom() {
        removeForgotten()
        // Nearly all that were added are still here; the others are in use.
        room = max(Self.leastRoom, count - added)
        added = 0
    }

    /// Removes forgotten upstreams.
    func removeForgotten() {
        for id in first.indices where first[id]?.isForgotten == true { first[id] = nil }
        others = others.filter { !$0.value.isForgotten }
        count = others.count + first.count { $0 != nil }
        room = max(Self.leastRoom, min(room, count))
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
