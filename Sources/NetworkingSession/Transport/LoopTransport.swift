import Dispatch
package import EventIO
import HTTPModel
package import HTTPOutbound
import Locking
package import Networking
package import Rx

/// Carries the reactive client's calls over pooled connections: each call on the loop that makes it.
package final class LoopTransport: Transport {
    private let clients: [LoopBound<LoopClient>]
    /// One a loop, and not its alone: a retry may be asked for outside the loops.
    private let budgets: [RetryBudgets]

    /// - Parameters:
    ///   - clients: one a loop.
    ///   - retryBudget: what each upstream begins with on each loop.
    package init(_ clients: [LoopBound<LoopClient>], retryBudget: RetryBudget = RetryBudget()) {
        self.clients = clients
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
        clients.indices.first { clients[$0].loop.isCurrent }
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

/// What one loop keeps for each upstream: where its calls go.
package final class LoopClient {
    private let client: HTTPClient
    // Touched by the loop's thread alone, each time for one step that calls nobody.
    @exclusivity(unchecked) private var upstreams: [UpstreamPool?] = []

    package init(_ client: HTTPClient) {
        self.client = client
    }

    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        guard let outbound = outbound(of: call.upstream) else {
            let message = "the address of upstream \(call.upstream.name) is not one that can be connected to"
            receiver.attemptFailed(TransportError(.destinationUnavailable, message))
            return Disposables.create()
        }
        if case .stream = call.body {
            receiver.attemptFailed(
                TransportError(.requestError, "a streamed body is not sent by this transport"))
            return Disposables.create()
        }
        let attempt = LoopAttempt(call, to: outbound, within: TimeAmount(limit), for: receiver)
        attempt.start(at: outbound)
        return attempt
    }

    /// All upstreams together.
    package var report: PoolReport { client.report }

    func callsInFlight(to upstream: Networking.Upstream) -> Int {
        guard let report = outbound(of: upstream)?.report else { return 0 }
        return report.leased + report.waiting
    }

    package func close() {
        client.close()
    }

    private func outbound(of upstream: Networking.Upstream) -> UpstreamPool? {
        if upstream.id < upstreams.count, let outbound = upstreams[upstream.id] { return outbound }
        let url = upstream.baseURL
        guard let origin = Origin(host: url.host, port: UInt16(exactly: url.port)) else { return nil }
        let outbound = client.upstream(origin).local
        while upstreams.count <= upstream.id { upstreams.append(nil) }
        upstreams[upstream.id] = outbound
        return outbound
    }
}

/// An attempt on the wire, its end told in the reactive client's terms.
private final class LoopAttempt: OutboundCall, @unchecked Sendable {
    private let call: TransportCall
    // Given up with the end, which is told once. The loop's alone.
    @exclusivity(unchecked) private var receiver: (any AttemptReceiver)?

    init(
        _ call: TransportCall, to upstream: borrowing UpstreamPool, within limit: TimeAmount,
        for receiver: any AttemptReceiver
    ) {
        self.call = call
        self.receiver = receiver
        super.init(
            to: upstream, isIdempotent: call.method.isIdempotent, connectTimeout: call.limits.connect,
            firstByteTimeout: call.limits.firstByte, readTimeout: call.limits.firstByte, total: limit)
    }

    override func sendRequest(to sink: any RequestSink) {
        sink.send(
            call.method, target: call.target, fields: call.fields, sharedFields: call.contextFields,
            body: call.body.inMemory)
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        receiver.take()?.attemptSucceeded(
            TransportResponse(status: head.status, fields: head.fields, body: body))
    }

    override func failed(_ error: OutboundError) {
        receiver.take()?.attemptFailed(
            TransportError(FailureReason(token: error.reason.token), error.detail, underlying: error))
    }
}
