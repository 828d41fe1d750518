import EventIO
import HTTPOutbound
import Resilience

/// What the addresses of an upstream on one loop share.
final class ClusterContext {
    let client: HTTPClient
    let addresses: UpstreamAddresses
    private let records: AddressRecords
    private let memory: MemoryBudget.Share?
    private var count = 0

    init(
        _ client: HTTPClient, _ addresses: UpstreamAddresses, _ records: AddressRecords,
        memory: MemoryBudget.Share?
    ) {
        self.client = client
        self.addresses = addresses
        self.records = records
        self.memory = memory
    }

    /// Returns a new address, with the record that all loops share.
    ///
    /// - Parameters:
    ///   - origin: where its connections go.
    ///   - text: the address for logs.
    ///   - addedAt: nil for an address that the upstream has from the beginning.
    func address(_ origin: Origin, _ text: String, addedAt: MonotonicTime?) -> LoopAddress {
        let record = records.record("\(origin) \(text)", text, addedAt: addedAt)
        defer { count += 1 }
        return LoopAddress(
            record, number: count, origin: origin, of: addresses, on: client, memory: memory)
    }
}
