package import EventIO
import FoundationEssentials
package import HTTPModel
import HTTPOutbound
package import Networking
package import Rx
import Synchronization

/// Carries the reactive client's calls over pooled connections. A call that is made on one of its loops stays there; the
/// calls of tasks and other threads go to the loops in turn.
package final class LoopTransport: ObservedTransport {
    private let loops: [SingleLoopTransport]
    private let turn = Atomic(0)
    package let fields: HTTPFields
    package let fieldsWithoutContext: HTTPFields
    package let upstreamObserver: (any UpstreamObserver)?

    /// - Parameters:
    ///   - clients: one a loop.
    ///   - retryBudget: what each upstream begins with on each loop.
    ///   - fields: what every call says unless its target or a plugin says otherwise. Default: a gateway's.
    ///   - fieldsWithoutContext: what a call adds that is made for no request of a client. Default: a gateway's `Via`.
    ///   - observer: hears how calls go.
    ///   - lifetime: held until the last call has ended. Default nil: the loops outlive every call.
    package init(
        _ clients: [LoopBound<LoopClient>], retryBudget: RetryBudget = RetryBudget(),
        fields: HTTPFields = CallContext.standardFields,
        fieldsWithoutContext: HTTPFields = CallContext.fieldsWithoutContext(.standard),
        observer: (any UpstreamObserver)? = nil, lifetime: (any LoopLifetime)? = nil
    ) {
        self.fields = fields
        self.fieldsWithoutContext = fieldsWithoutContext
        upstreamObserver = observer
        loops = clients.map { client in
            SingleLoopTransport(
                client, retryBudget: retryBudget, fields: fields, fieldsWithoutContext: fieldsWithoutContext,
                lifetime: lifetime)
        }
    }

    package func forOneCall() -> any Transport {
        if let loop = thisLoop { return loop }
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
    }

    package func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        forOneCall().send(call, within: limit, for: receiver)
    }

    package var scheduler: any SchedulerType { (thisLoop ?? loops[0]).scheduler }

    /// The system's clock, by `CLOCK_REALTIME`.
    package var wallTime: RxTime { Date() }

    package var isOnLoop: Bool { thisLoop != nil }

    package func beginRetry(to upstream: Networking.Upstream) -> Bool {
        (thisLoop ?? loops[0]).beginRetry(to: upstream)
    }

    package func endRetry(to upstream: Networking.Upstream) {
        (thisLoop ?? loops[0]).endRetry(to: upstream)
    }

    private var thisLoop: SingleLoopTransport? {
        // A handful of loops: comparing each with this thread is quicker than any table.
        for index in loops.indices where loops[index].isOnLoop { return loops[index] }
        return nil
    }
}

/// Keeps a transport's loops running for as long as a provider or a call refers to it.
package protocol LoopLifetime: AnyObject, Sendable {
    /// Whether calls are refused.
    var isClosed: Bool { get }
}
