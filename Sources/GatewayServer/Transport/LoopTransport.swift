import EventIO
import HTTPModel
import HTTPOutbound
import Networking
import Rx

/// Carries the reactive client's calls over pooled connections: each call on the loop that makes it.
final class LoopTransport: Transport {
    private let clients: [LoopBound<LoopClient>]

    /// - Parameter clients: one a loop.
    init(_ clients: [LoopBound<LoopClient>]) {
        self.clients = clients
    }

    func send(_ call: TransportCall, for receiver: any AttemptReceiver) -> any Disposable {
        if let client = clientOfThisLoop { return client.value.send(call, for: receiver) }
        // Called from a task or thread outside the loops: the call is made on one of them.
        let client = clients[call.upstream.id % clients.count]
        let attempt = SingleAssignmentDisposable()
        client.loop.execute {
            guard !attempt.isDisposed else { return }
            attempt.setDisposable(client.value.send(call, for: receiver))
        }
        return attempt
    }

    var scheduler: any SchedulerType {
        (clientOfThisLoop ?? clients[0]).loop
    }

    func beginRetry(to upstream: Networking.Upstream) -> Bool {
        clientOfThisLoop?.value.beginRetry(to: upstream) ?? true
    }

    func endRetry(to upstream: Networking.Upstream) {
        clientOfThisLoop?.value.endRetry(to: upstream)
    }

    private var clientOfThisLoop: LoopBound<LoopClient>? {
        // A handful of loops: comparing each with this thread is quicker than any table.
        guard let index = clients.indices.first(where: { clients[$0].loop.isCurrent }) else { return nil }
        return clients[index]
    }
}

/// What one loop keeps for each upstream: where its calls go, and how many of its retries are in flight.
final class LoopClient {
    /// Kept by reference, as a call looks at it and changes nothing.
    private final class Entry {
        let outbound: HTTPOutbound.Upstream
        var budget = RetryBudget()

        init(_ outbound: HTTPOutbound.Upstream) { self.outbound = outbound }
    }

    private let client: HTTPClient
    // Touched by the loop's thread alone, each time for one step that calls nobody.
    @exclusivity(unchecked) private var entries: [Entry?] = []
    @exclusivity(unchecked) private var standardFields: FieldBlock?

    init(_ client: HTTPClient) {
        self.client = client
    }

    func send(_ call: TransportCall, for receiver: any AttemptReceiver) -> any Disposable {
        guard let outbound = outbound(of: call.upstream) else {
            let message = "the address of upstream \(call.upstream.name) is not one that can be connected to"
            receiver.attemptFailed(TransportError(.destinationUnavailable, message))
            return Disposables.create()
        }
        let attempt = LoopAttempt(
            call, to: outbound, standardFields: call.hasStandardFields ? standardFields(of: call) : nil,
            for: receiver)
        attempt.start()
        return LoopDisposable(attempt, on: client.loop)
    }

    func beginRetry(to upstream: Networking.Upstream) -> Bool {
        guard let report = outbound(of: upstream)?.report else { return true }
        return entries[upstream.id]?.budget.beginRetry(callsInFlight: report.leased + report.waiting) ?? true
    }

    func endRetry(to upstream: Networking.Upstream) {
        guard upstream.id < entries.count else { return }
        entries[upstream.id]?.budget.endRetry()
    }

    func close() {
        client.close()
    }

    /// The fields that calls say unless they say otherwise, checked and written once.
    private func standardFields(of call: TransportCall) -> FieldBlock {
        if let standardFields { return standardFields }
        let written = (try? FieldBlock(call.fields)) ?? FieldBlock()
        standardFields = written
        return written
    }

    private func outbound(of upstream: Networking.Upstream) -> HTTPOutbound.Upstream? {
        if upstream.id < entries.count, let outbound = entries[upstream.id]?.outbound { return outbound }
        let url = upstream.baseURL
        guard let origin = Origin(host: url.host, port: UInt16(exactly: url.port)) else { return nil }
        let outbound = client.upstream(origin)
        while entries.count <= upstream.id { entries.append(nil) }
        entries[upstream.id] = Entry(outbound)
        return outbound
    }
}

/// An attempt on the wire, its end told in the reactive client's terms.
private final class LoopAttempt: OutboundCall {
    private let receiver: any AttemptReceiver

    /// - Parameter standardFields: the call's own fields, where they were written before.
    init(
        _ call: TransportCall, to upstream: HTTPOutbound.Upstream, standardFields: FieldBlock?,
        for receiver: any AttemptReceiver
    ) {
        self.receiver = receiver
        super.init(
            to: upstream, method: call.method, target: call.target,
            fields: standardFields == nil ? call.allFields : call.contextFields,
            sharedFields: standardFields ?? FieldBlock(), body: call.body ?? [],
            firstByteTimeout: call.limits.firstByte)
    }

    override func succeeded(_ response: OutboundResponse) {
        receiver.attemptSucceeded(
            TransportResponse(
                status: response.head.status, fields: response.head.fields, body: response.body))
    }

    override func failed(_ error: OutboundError) {
        receiver.attemptFailed(
            TransportError(FailureReason(token: error.reason.token), error.detail, underlying: error))
    }
}
