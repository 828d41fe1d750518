import EventIO
import HTTPOutbound
import Metrics
import Networking
import Resilience

/// An upstream on one loop. A class, so that an attempt pays for one reference count.
final class LoopUpstream {
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
    /// What all loops share; nil without a breaker and a limit.
    let protection: UpstreamProtection?
    let circuit: Circuit?
    /// This loop's part of the circuit, so that loops share no reference count.
    let attempts: LoopAttempts?
    /// The window of `attempts`.
    let window: AttemptWindow?
    /// Its share of the memory for bodies; nil for no limit.
    let memory: FairBudget.Share?
    let counts: UpstreamCounts
    /// Nil once nobody can call it.
    weak let upstream: Upstream?
    /// One of each URL.
    let origins: [Origin]
    /// Whether only requests of an earlier generation call it.
    var isRetired = false

    init(
        _ upstream: Upstream?, _ origins: [Origin], route: Route, protection: UpstreamProtection?,
        loop index: Int, memory: FairBudget.Share?, counts: UpstreamCounts
    ) {
        self.upstream = upstream
        self.origins = origins
        self.route = route
        self.protection = protection
        circuit = protection?.circuit
        attempts = circuit?.attempts(ofLoop: index)
        window = attempts?.all
        self.memory = memory
        self.counts = counts
    }

    var isCircuitClosed: Bool { circuit?.isClosed ?? true }

    func isCircuitOpen(for endpoint: Int, at now: MonotonicTime) -> Bool {
        circuit?.refuses(endpoint, at: now) ?? false
    }

    var isForgotten: Bool {
        switch route {
        case .pool(let pool): pool.isForgotten
        case .cluster(let cluster): cluster.isForgotten
        }
    }
}

/// A loop's upstreams by upstream ID.
final class UpstreamTable {
    /// The least number of upstreams that are added between two calls of `makeRoom`.
    private static var leastRoom: Int { 256 }
    /// The first IDs of the process, which those in the code have.
    private static var smallIDs: Int { 1024 }

    /// Those with small IDs, which nearly all have.
    private var first: [LoopUpstream?] = []
    private var others: [Int: LoopUpstream] = [:]
    private(set) var count = 0 { didSet { gauge.add(count - oldValue) } }
    private let gauge: Gauge
    /// How many are added between two calls of `makeRoom`.
    private var room = UpstreamTable.leastRoom
    private var added = 0

    init(on loop: EventLoop) {
        gauge = loop.metrics.name().gauge(.upstreamTables, ["upstreams"], on: loop.page)
    }

    var isFull: Bool { added >= room }

    var clusters: [UpstreamCluster] {
        all.compactMap { entry in
            if case .cluster(let cluster) = entry.upstream.route { cluster } else { nil }
        }
    }

    var all: [(id: Int, upstream: LoopUpstream)] {
        first.enumerated().compactMap { id, upstream in upstream.map { (id, $0) } }
            + others.map { (id: $0.key, upstream: $0.value) }
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

    func remove(_ id: Int) {
        guard self[id] != nil else { return }
        count -= 1
        if id < first.count { first[id] = nil } else { others[id] = nil }
    }

    func removeAll() {
        first = []
        others = [:]
        count = 0
        room = Self.leastRoom
        added = 0
    }

    /// Removes forgotten upstreams. If many calls last long, there is room for as many further upstreams, to
    /// spread the cost of a removal.
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
