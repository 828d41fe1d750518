import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
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
    }

    /// What the incident hook got.
    var incidents: [GatewayIncident] { reported.incidents.withLock { $0 } }

    /// Calls are made once and never again, unless said otherwise.
    init(
        limits: GatewayLimits = GatewayLimits(), cors: CORSPolicy? = nil, overrides: [String: String] = [:],
        retry: CallRetryPolicy = .never
    ) {
        transport = StubTransport(scheduler: time)
        let reported = Reported()
        self.reported = reported
        gateway = Gateway(
            GatewayEnvironment(
                transport: transport, upstreamOverrides: overrides,
                report: { incident in reported.incidents.withLock { $0.append(incident) } }),
            limits: limits, cors: cors)
        var policy = CallPolicy()
        policy.retry = retry
        diary = gateway.provider(DiaryAPI.self, upstream: "diary", policy: policy)
    }

    /// Scripts the answer to the calls of one path of the diary.
    func upstream(_ path: String, _ answer: StubTransport.Answer) {
        transport.answer("/food-diary\(path)", answer)
    }

    /// Asks, and waits for nothing: the answer is there at once, or after `time.advance`.
    func ask(
        _ method: HTTPMethod = .get, _ target: String, fields: HTTPFields = HTTPFields(), body: String = ""
    ) throws -> Pending {
        let target = try #require(RequestTarget(target))
        let head = HTTPRequestHead(method: method, target: target, fields: fields)
        let request = ReceivedRequest(head: head, body: Array(body.utf8)[...])
        return Pending(try gateway.responder().respond(to: request))
    }

    /// The answer to a request whose upstreams answer at once.
    func answer(
        _ method: HTTPMethod = .get, _ target: String, fields: HTTPFields = HTTPFields(), body: String = ""
    ) throws -> Reply {
        try ask(method, target, fields: fields, body: body).reply()
    }
}

/// A request that waits for its answer, until this goes.
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

    /// How many answers came: 0 or, if all is well, 1.
    var count: Int { record.responses.withLock { $0.count } }

    func reply(sourceLocation: SourceLocation = #_sourceLocation) throws -> Reply {
        let responses = record.responses.withLock { $0 }
        #expect(responses.count == 1, "one request, one answer", sourceLocation: sourceLocation)
        return Reply(try #require(responses.first, sourceLocation: sourceLocation))
    }

    func dispose() { subscription.dispose() }
}

/// An answer, easy to ask.
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

    /// The text of the value at a JSON Pointer, as it is written; `nil` where there is none.
    subscript(pointer: String) -> String? {
        guard let pointer = try? JSONPointer(pointer) else { return nil }
        return try? json().value(at: pointer)?.description
    }
}
