import EventIO
import HTTPOutbound
import Resilience

/// One address of an upstream on one loop, and its connections.
final class LoopAddress {
    let record: AddressRecord
    /// Marks the address in `TriedAddresses`.
    let number: Int
    private let origin: Origin
    private let addresses: UpstreamAddresses
    private let client: HTTPClient
    private let memory: MemoryBudget.Share?
    private var lastClient: OriginClient

    init(
        _ record: AddressRecord, number: Int, origin: Origin, of addresses: UpstreamAddresses,
        on client: HTTPClient, memory: MemoryBudget.Share?
    ) {
        self.record = record
        self.number = number
        self.origin = origin
        self.addresses = addresses
        self.client = client
        self.memory = memory
        lastClient = client.origin(origin, memory: memory)
    }

    /// The connections. They are opened again if the client has forgotten them.
    var originClient: OriginClient {
        if lastClient.pool.isForgotten { lastClient = client.origin(origin, memory: memory) }
        return lastClient
    }

    var pool: UpstreamPool { originClient.pool }

    /// The only address of its connections; nil if they go to all addresses of a name.
    var address: SocketAddress? { origin.address }

    /// The address of the last connection; nil before the first.
    var lastOpened: SocketAddress? { lastClient.pool.lastOpened }

    var isForgotten: Bool { lastClient.pool.isForgotten }

    var callsInFlight: Int { lastClient.pool.callsInFlight }

    func load(at now: MonotonicTime) -> AddressLoad {
        AddressLoad(
            callsInFlight: callsInFlight, ramp: record.ramp(at: now, slowStart: addresses.slowStart))
    }

    @inline(__always)
    func attemptEnded(isFailure: Bool, at now: MonotonicTime) {
        if isFailure {
            addresses.attemptFailed(record, at: now)
        } else if record.awaitsSuccess {
            addresses.attemptSucceeded(record, at: now)
        }
    }

    /// Closes the connections to other addresses than these. Those in use finish their calls.
    func retire(except others: Set<SocketAddress> = []) { lastClient.pool.closeConnections(except: others) }
}

extension HTTPClient {
    /// Returns the client of the origin. Names that share an origin share its connections: the first one's memory is
    /// charged.
    func origin(_ origin: Origin, memory: MemoryBudget.Share?) -> OriginClient {
        let client = self.origin(origin)
        if client.pool.bodyMemory == nil { client.pool.bodyMemory = memory }
        return client
    }
}
