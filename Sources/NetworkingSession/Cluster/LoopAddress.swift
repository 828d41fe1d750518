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
    private let context: ClusterContext
    private let ended: (ClusterContext) -> Void
    private var lastClient: OriginClient
    /// Attempts that began after an ejection, before one succeeded, and whose outcome is not known.
    private var trials = 0

    /// - Parameter ended: called at the end of its use.
    init(
        _ record: AddressRecord, number: Int, origin: Origin, in context: ClusterContext,
        ended: @escaping (ClusterContext) -> Void
    ) {
        self.record = record
        self.number = number
        self.origin = origin
        self.context = context
        self.ended = ended
        addresses = context.addresses
        lastClient = context.connections(to: origin)
    }

    deinit { ended(context) }

    /// The connections. They are opened again if the client has forgotten them.
    var originClient: OriginClient {
        if lastClient.pool.isForgotten { lastClient = context.connections(to: origin) }
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

    /// Whether another attempt may go here: after an ejection one at a time, until one has succeeded.
    func isUsable(at now: MonotonicTime) -> Bool {
        record.isInService(at: now) && (!record.isOnTrial || trials == 0)
    }

    /// Whether the attempt that begins is a trial. Then call `trialEnded` once.
    @inline(__always)
    func beginsTrial() -> Bool {
        guard record.isOnTrial else { return false }
        trials += 1
        return true
    }

    func trialEnded() { trials -= 1 }

    @inline(__always)
    func attemptEnded(isFailure: Bool, isProbe: Bool, at now: MonotonicTime) {
        if isFailure {
            addresses.attemptFailed(record, at: now)
        } else if record.awaitsSuccess {
            addresses.attemptSucceeded(record, isProbe: isProbe, at: now)
        }
    }

    /// Whether the address fails while others work, so that its failures say nothing about the upstream.
    func failsAlone(at now: MonotonicTime) -> Bool {
        guard record.isFailing || !record.isInService(at: now) else { return false }
        return addresses.isAnyWorking(at: now)
    }

    /// Whether an address of the upstream has not failed since `time`, in nanoseconds.
    func isAnySound(since time: Int64) -> Bool { addresses.isAnySound(since: time) }

    /// Closes the connections to other addresses than these. Those in use finish their calls.
    func retire(except others: Set<SocketAddress> = []) { lastClient.pool.closeConnections(except: others) }
}
