import Dispatch
import EventIO
import HTTPModel
import HTTPOutbound
import Resilience
import Rx

/// Checks the addresses of an upstream, on one loop for all loops of the process.
final class HealthChecks: TimerTarget {
    private let policy: HealthCheckPolicy
    private weak let cluster: UpstreamCluster?
    private let addresses: UpstreamAddresses
    private let loop: EventLoop
    private let request: OutboundRequest
    /// The checks under way, by the number of their address.
    private var underWay: [Int: any Disposable] = [:]
    /// The numbers of the addresses that were there in the last round.
    private var known: Set<Int> = []

    init(
        _ policy: HealthCheckPolicy, of cluster: UpstreamCluster, _ addresses: UpstreamAddresses,
        on loop: EventLoop
    ) {
        self.policy = policy
        self.cluster = cluster
        self.addresses = addresses
        self.loop = loop
        request = OutboundRequest(target: policy.path, fields: [.userAgent: "Sluice health check"])
        _ = loop.setTimer(at: loop.wakeTime, target: self)
    }

    /// Ends the checks, so that the next cluster of the upstream can make them.
    func stop() {
        for check in underWay.values { check.dispose() }
        underWay = [:]
        addresses.endChecks()
    }

    /// Begins the next round, unless the cluster is gone.
    func timerFired(_ token: TimerToken) {
        guard let cluster else { return }
        known = Set(cluster.all.map(\.number))
        for address in cluster.all where underWay[address.number] == nil { check(address) }
        // At random, so that several gateways do not check together.
        let interval = policy.interval * Double.random(in: 0.9...1.1)
        _ = loop.setTimer(at: loop.wakeTime + TimeAmount(interval), target: self)
    }

    /// Checks new addresses, which should not get calls for a whole interval if they are down.
    func addressesChanged(_ all: [LoopAddress]) {
        for address in all where known.insert(address.number).inserted { check(address) }
    }

    /// A reference for the ends of checks, which come on the loop.
    private final class Owner {
        weak let checks: HealthChecks?

        init(_ checks: HealthChecks) { self.checks = checks }
    }

    private func check(_ address: LoopAddress) {
        // Calls that wait for a connection tell more than a check that waits behind them.
        guard address.pool.report.waiting == 0 else { return }
        let record = address.record
        let number = address.number
        let owner = LoopBound(Owner(self), loop: loop)
        underWay[number] = address.originClient.send(request)
            .timeout(.nanoseconds(Int(policy.timeout.nanoseconds)), scheduler: loop)
            .subscribe(
                onSuccess: { response in
                    let passed = (200..<400).contains(response.head.status.code)
                    owner.value.checks?.ended(number, record, passed: passed)
                },
                onFailure: { error in
                    // A limit of this process says nothing about the upstream.
                    let isOwn = (error as? OutboundError).map { !$0.reason.tellsTrouble } ?? false
                    owner.value.checks?.ended(number, record, passed: isOwn ? nil : false)
                })
    }

    private func ended(_ number: Int, _ record: AddressRecord, passed: Bool?) {
        underWay[number] = nil
        if let passed { addresses.checkEnded(record, passed: passed, at: loop.wakeTime) }
    }
}
