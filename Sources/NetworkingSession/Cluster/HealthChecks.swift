import EventIO
import HTTPModel
import HTTPOutbound
import Metrics
import Resilience
import Rx

/// Checks the addresses of an upstream, on one loop for all loops of the process.
final class HealthChecks: TimerTarget {
    private let policy: HealthCheckPolicy
    private weak let cluster: UpstreamCluster?
    private let addresses: UpstreamAddresses
    private let loop: EventLoop
    private let request: OutboundRequest
    /// The checks under way.
    private var underWay: [ObjectIdentifier: PendingCall] = [:]
    /// The addresses that were there in the last round, or were checked since; nil before the first round.
    private var known: Set<ObjectIdentifier>?
    /// The begin of the next round.
    private var timer: TimerToken?

    init(
        _ policy: HealthCheckPolicy, of cluster: UpstreamCluster, _ addresses: UpstreamAddresses,
        on loop: EventLoop
    ) {
        self.policy = policy
        self.cluster = cluster
        self.addresses = addresses
        self.loop = loop
        request = OutboundRequest(target: policy.path, fields: [.userAgent: "Sluice health check"])
        timer = loop.setTimer(at: loop.wakeTime, target: self)
    }

    /// Ends the checks, so that the next cluster of the upstream can make them.
    func stop() {
        for check in underWay.values { check.dispose() }
        underWay = [:]
        if let timer { loop.cancelTimer(timer) }
        timer = nil
        addresses.endChecks()
    }

    /// Begins the next round, unless no provider can call the upstream.
    func timerFired(_ token: TimerToken) {
        timer = nil
        guard let cluster, cluster.upstream != nil else { return }
        cluster.followRaces()
        known = Set(cluster.all.map { ObjectIdentifier($0.record) })
        for address in cluster.all { check(address) }
        // At random, so that several gateways do not check together.
        let interval = policy.interval * Double.random(in: 0.9...1.1)
        timer = loop.setTimer(at: loop.wakeTime + TimeAmount(interval), target: self)
    }

    /// Checks new addresses at once, so a dead one is found an interval earlier. The first round, which is
    /// about to begin, has them anyway.
    func addressesChanged(_ all: [LoopAddress]) {
        guard let last = known else { return }
        let records = Set(all.map { ObjectIdentifier($0.record) })
        known = last.union(records)
        for address in all where !last.contains(ObjectIdentifier(address.record)) { check(address) }
    }

    /// A reference for the ends of checks, which come on the loop.
    private final class Owner {
        weak let checks: HealthChecks?

        init(_ checks: HealthChecks) { self.checks = checks }
    }

    private func check(_ address: LoopAddress) {
        let record = address.record
        let id = ObjectIdentifier(record)
        // A check that waits for a connection would tell nothing about the address; the calls on the others
        // do.
        guard underWay[id] == nil, !address.pool.isFull else { return }
        let owner = LoopBound(Owner(self), loop: loop)
        underWay[id] = address.originClient.send(request, within: TimeAmount(policy.timeout)) { result in
            let passed: Bool?
            switch result {
            case .success(let response): passed = (200..<400).contains(response.head.status.code)
            case .failure(let error):
                // A limit of this process, or its standstill, says nothing about the upstream.
                let isLate = error.reason.isTimeout && owner.loop.areTimersLate
                passed = !error.reason.tellsTrouble || isLate ? nil : false
            }
            owner.value.checks?.ended(record, passed: passed)
        }
    }

    private func ended(_ record: AddressRecord, passed: Bool?) {
        underWay[ObjectIdentifier(record)] = nil
        guard let passed else { return }
        loop.metrics.name(.upstream, addresses.upstream)
            .counter(.upstreamHealthChecks, [passed ? "success" : "failure"], on: loop.page).add()
        addresses.checkEnded(record, passed: passed, at: loop.wakeTime)
    }
}
