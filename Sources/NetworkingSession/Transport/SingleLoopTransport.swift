import Dispatch
import EventIO
import FoundationEssentials
import HTTPModel
import Locking
import LoopScheduling
import Networking
import Rx

/// Sends the calls of one loop, from any thread. Attempts, timers and retries stay on that loop.
final class SingleLoopTransport: OffloadingTransport {
    private let client: LoopBound<LoopClient>
    private let budgets: RetryBudgets
    let fields: HTTPFields
    let fieldsWithoutContext: HTTPFields
    /// Nil if the loops outlive all calls.
    private let lifetime: (any LoopLifetime)?

    init(
        _ client: LoopBound<LoopClient>, retryBudget: RetryBudget, fields: HTTPFields,
        fieldsWithoutContext: HTTPFields, lifetime: (any LoopLifetime)?
    ) {
        self.client = client
        self.fields = fields
        self.fieldsWithoutContext = fieldsWithoutContext
        self.lifetime = lifetime
        budgets = RetryBudgets(retryBudget)
    }

    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        if lifetime?.isClosed == true {
            return fail(TransportError(.destinationUnavailable, "the session is closed"), for: receiver)
        }
        if isOnLoop { return client.value.send(call, within: limit, for: receiver) }
        let attempt = SingleAssignmentDisposable()
        let isAccepted = client.loop.execute { [client] in
            guard !attempt.isDisposed else { return }
            attempt.setDisposable(client.value.send(call, within: limit, for: receiver))
        }
        if isAccepted { return attempt }
        return fail(TransportError(.destinationUnavailable, "the event loop has ended"), for: receiver)
    }

    /// Fails the attempt asynchronously, so that an immediate retry by the receiver does not recurse.
    private func fail(_ error: TransportError, for receiver: any AttemptReceiver) -> any Disposable {
        let attempt = BooleanDisposable()
        let tell: @Sendable () -> Void = { if !attempt.isDisposed { receiver.attemptFailed(error) } }
        if !client.loop.execute(tell) { DispatchQueue.global().async(execute: tell) }
        return attempt
    }

    var loop: EventLoop { client.loop }

    var scheduler: any SchedulerType { client.loop }

    var wallTime: RxTime { Date() }

    var isOnLoop: Bool { client.loop.isCurrent }

    func workApart(for client: String?, _ work: @escaping @Sendable () -> Void) -> Bool {
        WorkThreads.submit(.responses, for: client, work)
    }

    func continueOnLoop(_ work: @escaping @Sendable () -> Void) -> Bool { client.loop.execute(work) }

    func beginRetry(to upstream: Upstream) -> RetryObstacle? {
        let isOnLoop = isOnLoop
        if isOnLoop, !client.value.isCircuitClosed(of: upstream) { return .circuit }
        let isGranted = budgets.beginRetry(
            to: upstream, callsInFlight: isOnLoop ? client.value.callsInFlight(to: upstream) : nil)
        return isGranted ? nil : .budget
    }

    var hasOpenCircuits: Bool { isOnLoop && client.value.protections?.openCircuits.areThere ?? false }

    func isCircuitOpen(of upstream: Upstream, for endpoint: Int) -> Bool {
        isOnLoop && client.value.isCircuitOpen(of: upstream, for: endpoint)
    }

    func hasOtherAddress(of upstream: Upstream, than tried: TriedAddresses, orOut: Bool) -> Bool {
        guard isOnLoop, client.value.isCircuitClosed(of: upstream) else { return false }
        return client.value.hasOtherAddress(of: upstream, than: tried, orOut: orOut)
    }

    func prepare(_ upstream: Upstream) {
        client.loop.execute { [client] in client.value.prepare(upstream) }
    }

    func endRetry(to upstream: Upstream) { budgets.endRetry(to: upstream) }

    /// The number of upstreams with a retry in flight.
    var retriedUpstreamCount: Int { budgets.count }
}

/// The retries in flight from one loop, by upstream. Locked, because calls may be disposed on any thread.
private final class RetryBudgets: Sendable {
    private let budgets = Lock<[Int: RetryBudget]>([:])
    private let fresh: RetryBudget

    init(_ fresh: RetryBudget) { self.fresh = fresh }

    /// - Parameter callsInFlight: nil if this thread cannot count them; then the last count applies.
    func beginRetry(to upstream: Upstream, callsInFlight: Int?) -> Bool {
        budgets.withLock { budgets in
            var budget = budgets[upstream.id] ?? fresh
            let isGranted =
                callsInFlight.map { budget.beginRetry(callsInFlight: $0) } ?? budget.beginRetry()
            if budget.retriesInFlight > 0 { budgets[upstream.id] = budget }
            return isGranted
        }
    }

    /// Removes the upstream after its last retry, so that the next one starts with a new count of calls.
    func endRetry(to upstream: Upstream) {
        budgets.withLock { budgets in
            guard var budget = budgets[upstream.id] else { return }
            budget.endRetry()
            budgets[upstream.id] = budget.retriesInFlight > 0 ? budget : nil
        }
    }

    var count: Int { budgets.withLock { $0.count } }
}
