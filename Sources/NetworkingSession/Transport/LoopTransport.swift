package import EventIO
import FoundationEssentials
package import HTTPModel
import HTTPOutbound
package import Networking
package import Rx
import Synchronization

/// Sends the reactive client's calls over pooled connections. A call made on one of the loops stays there;
/// calls from tasks and other threads are spread over the loops.
package final class LoopTransport: ObservedTransport, ProtectingTransport {
    private let loops: [SingleLoopTransport]
    private let nextLoop = Atomic(0)
    /// Nil for a gateway's, which depend on the upstream's policy.
    private let fixedFields: HTTPFields?
    package let fieldsWithoutContext: HTTPFields
    package let upstreamObserver: (any UpstreamObserver)?
    private let protections: UpstreamProtections?

    /// - Parameters:
    ///   - clients: one for each loop.
    ///   - retryBudget: the initial budget of each upstream on each loop.
    ///   - fields: fields of every call unless its target or a plugin overrides them. Default nil: a
    ///     gateway's, with the codings that the upstream's policy accepts.
    ///   - fieldsWithoutContext: additional fields for calls outside a client's request. Default: a gateway's
    ///     `Via`.
    ///   - observer: learns how calls go.
    ///   - protections: the clients' policies. Default nil: none.
    ///   - lifetime: retained until the last call has ended. Default nil, for loops that outlive all calls.
    package init(
        _ clients: [LoopBound<LoopClient>], retryBudget: RetryBudget = RetryBudget(),
        fields: HTTPFields? = nil,
        fieldsWithoutContext: HTTPFields = CallContext.fieldsWithoutContext(.standard),
        observer: (any UpstreamObserver)? = nil, protections: UpstreamProtections? = nil,
        lifetime: (any LoopLifetime)? = nil
    ) {
        fixedFields = fields
        self.fieldsWithoutContext = fieldsWithoutContext
        upstreamObserver = observer
        self.protections = protections
        loops = clients.map { client in
            SingleLoopTransport(
                client, retryBudget: retryBudget, fields: fields ?? CallContext.standardFields,
                fieldsWithoutContext: fieldsWithoutContext,
                lifetime: lifetime)
        }
    }

    package var fields: HTTPFields { fixedFields ?? CallContext.standardFields }

    package var compressionFields: HTTPFields? {
        fixedFields == nil ? CallContext.compressionFields : nil
    }

    package func acceptsCompression(from upstream: Upstream) -> Bool {
        let compression = protections?.policy(of: upstream).compression ?? .unlessNearby
        return compression.accepts(from: upstream)
    }

    package func forOneCall() -> any Transport {
        if let loop = thisLoop { return loop }
        let index = nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: index) % UInt(loops.count))]
    }

    package func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        forOneCall().send(call, within: limit, for: receiver)
    }

    package var scheduler: any SchedulerType { (thisLoop ?? loops[0]).scheduler }

    /// The system clock (`CLOCK_REALTIME`).
    package var wallTime: RxTime { Date() }

    package var isOnLoop: Bool { thisLoop != nil }

    package func beginRetry(to upstream: Upstream) -> RetryObstacle? {
        (thisLoop ?? loops[0]).beginRetry(to: upstream)
    }

    package var hasOpenCircuits: Bool { protections?.openCircuits.areThere ?? false }

    package func isCircuitOpen(of upstream: Upstream, for endpoint: Int) -> Bool {
        thisLoop?.isCircuitOpen(of: upstream, for: endpoint) ?? false
    }

    package func hasOtherAddress(of upstream: Upstream, than tried: TriedAddresses, orOut: Bool) -> Bool {
        thisLoop?.hasOtherAddress(of: upstream, than: tried, orOut: orOut) ?? false
    }

    package func endRetry(to upstream: Upstream) {
        (thisLoop ?? loops[0]).endRetry(to: upstream)
    }

    package func protect(_ upstream: String, by policy: UpstreamPolicy) {
        protections?.set(policy, of: upstream)
    }

    package func prepare(_ upstream: Upstream) {
        for loop in loops { loop.prepare(upstream) }
    }

    package func hasRoom(for bytes: Int, inBodyTo upstream: Upstream) -> Bool {
        protections?.shares(of: upstream).memory?.hasRoom(for: bytes) ?? true
    }

    package func charge(_ bytes: Int, composedIn context: CallContext) -> Bool {
        guard let memory = protections?.composedMemory(of: context.endpointName ?? "") else { return true }
        let loop = (thisLoop ?? loops[0]).loop
        guard let charge = memory.charge(bytes) else {
            // What was composed is freed.
            loop.reportLargeMemoryFreed()
            return false
        }
        context.holdKept(HeldCharge(charge, on: loop))
        return true
    }

    private var thisLoop: SingleLoopTransport? {
        // With a handful of loops, comparing each one with this thread is faster than a table.
        for index in loops.indices where loops[index].isOnLoop { return loops[index] }
        return nil
    }
}

/// Keeps a transport's loops running while a provider or a call refers to it.
package protocol LoopLifetime: AnyObject, Sendable {
    /// Whether calls are refused.
    var isClosed: Bool { get }
}
