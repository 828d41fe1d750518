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

    func send(_ call: TransportCall) -> Single<TransportResponse> {
        if let client = clientOfThisLoop { return client.value.send(call) }
        // Called from a task or thread outside the loops: the call is made on one of them.
        let client = clients[call.upstream.id % clients.count]
        return Single.create { observer in
            let subscription = SingleAssignmentDisposable()
            client.loop.execute {
                subscription.setDisposable(client.value.send(call).subscribe(observer))
            }
            return subscription
        }
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
        for client in clients where client.loop.isCurrent { return client }
        return nil
    }
}

/// What one loop keeps for each upstream: where its calls go, and how many of its retries are in flight.
final class LoopClient {
    private struct Entry {
        var outbound: HTTPOutbound.Upstream
        var budget = RetryBudget()
    }

    private let client: HTTPClient
    private var entries: [Entry?] = []
    private var standardFields: FieldBlock?

    init(_ client: HTTPClient) {
        self.client = client
    }

    func send(_ call: TransportCall) -> Single<TransportResponse> {
        guard let upstream = entry(call.upstream)?.outbound else {
            let message = "the address of upstream \(call.upstream.name) is not one that can be connected to"
            return .error(TransportError(.destinationUnavailable, message))
        }
        let request =
            call.hasStandardFields
            ? OutboundRequest(
                method: call.method, target: call.target, fields: call.contextFields,
                sharedFields: standardFields(of: call), body: call.body ?? [],
                firstByteTimeout: call.limits.firstByte)
            : OutboundRequest(
                method: call.method, target: call.target, fields: call.allFields, body: call.body ?? [],
                firstByteTimeout: call.limits.firstByte)
        return upstream.send(request)
            .map { TransportResponse(status: $0.head.status, fields: $0.head.fields, body: $0.body) }
            .catch { error in throw LoopClient.transportError(error) }
    }

    func beginRetry(to upstream: Networking.Upstream) -> Bool {
        guard var entry = entry(upstream) else { return true }
        defer { entries[upstream.id] = entry }
        let report = entry.outbound.report
        return entry.budget.beginRetry(callsInFlight: report.leased + report.waiting)
    }

    func endRetry(to upstream: Networking.Upstream) {
        guard var entry = entry(upstream) else { return }
        entry.budget.endRetry()
        entries[upstream.id] = entry
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

    private func entry(_ upstream: Networking.Upstream) -> Entry? {
        if upstream.id < entries.count, let entry = entries[upstream.id] { return entry }
        let url = upstream.baseURL
        guard let origin = Origin(host: url.host, port: UInt16(exactly: url.port)) else { return nil }
        let entry = Entry(outbound: client.upstream(origin))
        while entries.count <= upstream.id { entries.append(nil) }
        entries[upstream.id] = entry
        return entry
    }

    private static func transportError(_ error: any Error) -> TransportError {
        guard let error = error as? OutboundError else {
            return TransportError(.internalError, "the call failed", underlying: error)
        }
        return TransportError(FailureReason(token: error.reason.token), error.detail, underlying: error)
    }
}
