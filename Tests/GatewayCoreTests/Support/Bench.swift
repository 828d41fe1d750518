import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import TestWaiting
import Testing

/// A gateway, its stub upstream and its clock.
final class Bench: Sendable {
    let time = VirtualTime()
    let transport: StubTransport
    let gateway: Gateway
    let diary: Provider<DiaryAPI>
    private let reported: Reported

    final class Reported: Sendable {
        let incidents = Lock<[GatewayIncident]>([])
        let broken = Lock<[BrokenContract]>([])
    }

    /// The reported messages that break a contract.
    var broken: [BrokenContract] { reported.broken.withLock { $0 } }

    /// The reported incidents.
    var incidents: [GatewayIncident] { reported.incidents.withLock { $0 } }

    /// - Parameters:
    ///   - retry: The retry policy of calls to the diary. By default they are not retried.
    ///   - workApart: Does what would hold up a loop. By default it is done at once.
    ///   - blockingWork: Does the blocking work of handlers. By default it is done at once.
    ///   - hasRoom: Whether so many bytes of a call's body find room in the memory. By default nobody asks.
    init(
        limits: GatewayLimits = GatewayLimits(), cors: CORSPolicy? = nil,
        overrides: [String: UpstreamURLs] = [:],
        retry: CallRetryPolicy = .never,
        workApart: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Bool)? = nil,
        blockingWork: (@Sendable (_ work: WaitingWork) -> Bool)? = nil,
        hasRoom: (@Sendable (Int) -> Bool)? = nil
    ) {
        let transport = StubTransport(scheduler: time)
        self.transport = transport
        let reported = Reported()
        self.reported = reported
        var environment = GatewayEnvironment(
            transport: hasRoom.map { BoundedTransport(transport, hasRoom: $0) } ?? transport,
            upstreamOverrides: overrides,
            report: { incident in reported.incidents.withLock { $0.append(incident) } })
        environment.workApart = workApart
        environment.responseWorkApart = workApart
        environment.blockingWork = blockingWork
        environment.reportContract = { broken in reported.broken.withLock { $0.append(broken) } }
        gateway = Gateway(environment, limits: limits, cors: cors)
        var policy = CallPolicy()
        policy.retry = retry
        diary = gateway.provider(DiaryAPI.self, upstream: "diary", policy: policy)
    }

    /// Sets the diary's answer to calls of this path.
    func upstream(_ path: String, _ answer: StubTransport.Answer) {
        transport.answer("/food-diary\(path)", answer)
    }

    /// Sends a request without waiting. The answer arrives at once, or during `time.advance`.
    ///
    /// - Parameter responder: The responder that answers. By default a new one with all endpoints declared so
    ///   far.
    func ask(
        _ method: HTTPMethod = .get, _ target: String, fields: HTTPFields = HTTPFields(), body: String = "",
        responder: GatewayResponder? = nil
    ) throws -> Pending {
        let target = try #require(RequestTarget(target))
        let head = HTTPRequestHead(method: method, target: target, fields: fields)
        let request = ReceivedRequest(head: head, body: Array(body.utf8)[...])
        return Pending(try (responder ?? gateway.responder()).respond(to: request))
    }

    /// Returns the answer of an endpoint that answers on another thread.
    func eventualAnswer(_ path: String) async throws -> Reply {
        let responder = try gateway.responder()
        let head = HTTPRequestHead(method: .get, target: try #require(RequestTarget(path)))
        return try await withDeadline("no answer for \(path)") { continuation in
            _ = responder.respond(to: ReceivedRequest(head: head)) {
                continuation.resume(returning: Reply($0))
            }
        }
    }

    /// Returns the answer to a request whose upstreams answer at once.
    func answer(
        _ method: HTTPMethod = .get, _ target: String, fields: HTTPFields = HTTPFields(), body: String = "",
        responder: GatewayResponder? = nil
    ) throws -> Reply {
        try ask(method, target, fields: fields, body: body, responder: responder).reply()
    }
}

/// A pending request. Deallocation cancels it.
final class Pending: Sendable {
    private final class Record: Sendable {
        let responses = Lock<[GatewayResponse]>([])
    }

    private let record = Record()
    private let subscription: any Disposable

    init(_ single: Single<GatewayResponse>) {
        let record = record
        subscription = single.subscribe(onSuccess: { response in
            record.responses.withLock { $0.append(response) }
        })
    }

    deinit { subscription.dispose() }

    /// The number of answers so far. More than 1 is a defect.
    var count: Int { record.responses.withLock { $0.count } }

    func reply(sourceLocation: SourceLocation = #_sourceLocation) throws -> Reply {
        let responses = record.responses.withLock { $0 }
        #expect(
            responses.count == 1, "a request has one answer", sourceLocation: sourceLocation)
        return Reply(try #require(responses.first, sourceLocation: sourceLocation))
    }

    func dispose() { subscription.dispose() }
}

/// An answer with accessors for tests.
struct Reply {
    let response: GatewayResponse

    init(_ response: GatewayResponse) {
        self.response = response
    }

    var status: Int { response.response.status.code }
    var fields: HTTPFields { response.response.fields }
    var summary: RequestSummary { response.summary }
    var body: String { String(decoding: Array(response.response.body.joined()), as: UTF8.self) }

    /// The body as JSON.
    func json(sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONFragment {
        do {
            return try JSONFragment(validating: Array(response.response.body.joined())[...])
        } catch {
            Issue.record("not JSON: \(error): \(body)", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// The envelope's message, decoded.
    var message: String? { try? json()[member: "message"]?.stringValue }

    /// The unchanged text of the value at a JSON Pointer, if any.
    subscript(pointer: String) -> String? {
        guard let pointer = try? JSONPointer(pointer) else { return nil }
        return try? json().value(at: pointer)?.description
    }
}
