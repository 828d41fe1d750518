import Dispatch
package import EventIO
package import HTTPModel
import HTTPOutbound
import Locking
package import Networking
package import Rx

/// Carries the reactive client's calls over pooled connections: each call on the loop that makes it.
package final class LoopTransport: ObservedTransport {
    private let clients: [LoopBound<LoopClient>]
    /// One a loop, and not its alone: a retry may be asked for outside the loops.
    private let budgets: [RetryBudgets]
    package let fieldsWithoutContext: HTTPFields
    package let upstreamObserver: (any UpstreamObserver)?

    /// - Parameters:
    ///   - clients: one a loop.
    ///   - retryBudget: what each upstream begins with on each loop.
    ///   - name: the gateway's, for `Via`.
    ///   - observer: hears how calls go.
    package init(
        _ clients: [LoopBound<LoopClient>], retryBudget: RetryBudget = RetryBudget(),
        name: GatewayName = .standard, observer: (any UpstreamObserver)? = nil
    ) {
        fieldsWithoutContext = CallContext.fieldsWithoutContext(name)
        self.clients = clients
        upstreamObserver = observer
        budgets = clients.map { _ in RetryBudgets(retryBudget) }
    }

    package func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        if let loop = thisLoop { return clients[loop].value.send(call, within: limit, for: receiver) }
        let client = clients[Self.loopForOthers]
        let attempt = SingleAssignmentDisposable()
        let isAccepted = client.loop.execute {
            guard !attempt.isDisposed else { return }
            attempt.setDisposable(client.value.send(call, within: limit, for: receiver))
        }
        if !isAccepted {
            receiver.attemptFailed(TransportError(.destinationUnavailable, "the event loop has ended"))
        }
        return attempt
    }

    package var scheduler: any SchedulerType {
        clients[thisLoop ?? Self.loopForOthers].loop
    }

    package var isOnLoop: Bool { thisLoop != nil }

    package func beginRetry(to upstream: Networking.Upstream) -> Bool {
        guard let loop = thisLoop else {
            return budgets[Self.loopForOthers].beginRetry(to: upstream)
        }
        return budgets[loop].beginRetry(
            to: upstream, callsInFlight: clients[loop].value.callsInFlight(to: upstream))
    }

    package func endRetry(to upstream: Networking.Upstream) {
        budgets[thisLoop ?? Self.loopForOthers].endRetry(to: upstream)
    }

    /// A task or thread outside the loops makes its calls on this one: attempts, timers and retries in one place.
    private static let loopForOthers = 0

    private var thisLoop: Int? {
        // A handful of loops: comparing each with this thread is quicker than any table.
        for index in clients.indices where clients[index].loop.isCurrent { return index }
        return nil
    }
}

/// The retries in flight of one loop's calls, by upstream.
private final class RetryBudgets: Sendable {
    private let budgets = Lock<[Int: RetryBudget]>([:])
    private let fresh: RetryBudget

    init(_ fresh: RetryBudget) { self.fresh = fresh }

    /// - Parameter callsInFlight: nil where they cannot be counted: then what was counted last stands.
    func beginRetry(to upstream: Networking.Upstream, callsInFlight: Int? = nil) -> Bool {
        budgets.withLock { budgets in
            let id = upstream.id
            guard let callsInFlight else { return budgets[id, default: fresh].beginRetry() }
            return budgets[id, default: fresh].beginRetry(callsInFlight: callsInFlight)
        }
    }

    func endRetry(to upstream: Networking.Upstream) {
        budgets.withLock { $0[upstream.id]?.endRetry() }
    }
}
