import EventIO
import HTTPOutbound
import Resilience

/// What the addresses of an upstream on one loop share.
final class ClusterContext {
    let client: HTTPClient
    let addresses: UpstreamAddresses
    private let records: AddressRecords
    private let shares: UpstreamShares
    private let counts: UpstreamCounts
    private let waiters = WaitingCalls()
    /// The numbers of the addresses in use.
    private var numbers: Set<Int> = []

    init(
        _ client: HTTPClient, _ addresses: UpstreamAddresses, _ records: AddressRecords,
        _ shares: UpstreamShares, _ counts: UpstreamCounts
    ) {
        self.client = client
        self.addresses = addresses
        self.records = records
        self.shares = shares
        self.counts = counts
    }

    /// Returns a new address, with the record that all loops share. Another upstream with the same address
    /// has its own record, because a server may answer one API and fail another one.
    ///
    /// - Parameters:
    ///   - origin: where its connections go.
    ///   - text: the address for logs.
    ///   - addedAt: nil for an address that the upstream has from the beginning.
    func address(_ origin: Origin, _ text: String, addedAt: MonotonicTime?) -> LoopAddress {
        let key = "\(addresses.upstream) \(origin) \(text)"
        var number = 0
        while numbers.contains(number) { number += 1 }
        numbers.insert(number)
        let record = records.retain(key, text, addedAt: addedAt)
        addresses.adopt(record, at: client.loop.wakeTime)
        return LoopAddress(
            record, number: number, origin: origin, in: self
        ) { [records] context in
            context.numbers.remove(number)
            records.release(key)
        }
    }

    /// Returns the connections to an origin, which count for the upstream.
    func connections(to origin: Origin) -> OriginClient {
        let client = client.origin(origin)
        client.pool.use(shares, counts)
        if client.pool.sharedWaiters == nil { client.pool.sharedWaiters = waiters }
        return client
    }
}

extension UpstreamPool {
    /// Charges an upstream for its connections and responses. Upstreams without a name of their own, which
    /// may share an origin, have one part together.
    func use(_ shares: UpstreamShares, _ counts: UpstreamCounts) {
        if bodyMemory == nil { bodyMemory = shares.memory }
        if connectionPlaces == nil { connectionPlaces = shares.connections }
        if self.counts == nil { self.counts = counts.pools }
    }
}
