import FoundationEssentials
public import GatewayCore
public import HTTPModel
public import JSONBytes
import Locking
public import Networking
import Rx

/// A gateway without sockets, with scripted upstreams and virtual time: for tests of time-outs, retries and deadlines.
///
///     let gateway = try VirtualGateway(declare: declareEndpoints)
///     gateway.upstreams.answer("/users/kim", .silence)
///     let answer = try gateway.get("/api/profile/kim")
///     #expect(answer.status == .gatewayTimeout)
///     #expect(answer.elapsed == .seconds(5))
public final class VirtualGateway: Sendable {
    /// The upstreams' answers by path, and the calls that they received.
    public let upstreams: StubTransport
    private let time: HistoricalScheduler
    private let responder: GatewayResponder

    /// Creates a gateway with the endpoints that `declare` adds.
    public init(
        limits: GatewayLimits = GatewayLimits(), cors: CORSPolicy? = nil, declare: (Gateway) throws -> Void
    ) throws {
        time = HistoricalScheduler()
        upstreams = StubTransport(scheduler: time)
        let gateway = Gateway(GatewayEnvironment(transport: upstreams), limits: limits, cors: cors)
        try declare(gateway)
        responder = try gateway.responder()
    }

    /// Sends a GET request, as `send` does.
    public func get(_ target: String, _ fields: HTTPFields = HTTPFields()) throws -> VirtualAnswer {
        try send(.get, target, fields)
    }

    /// Sends a request, as `TestClient.send` does, and advances the clock from event to event until the answer arrives.
    ///
    /// - Throws: `GatewayLeak` if no event is left and there is no answer, or if upstream calls outlive the answer.
    public func send(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(), json: String? = nil
    ) throws -> VirtualAnswer {
        guard let target = RequestTarget(target) else {
            throw GatewayLeak(description: "'\(target)' is not a request target")
        }
        var fields = fields
        if json != nil { fields.append(.contentType, "application/json") }
        let head = HTTPRequestHead(method: method, target: target, fields: fields)
        let answer = Lock<VirtualAnswer?>(nil)
        let began = time.clock
        let subscription = responder.respond(
            to: ReceivedRequest(head: head, body: Array((json ?? "").utf8)[...])
        )
        .subscribe(onSuccess: { [time] answered in
            let elapsed = Duration.seconds(time.clock.timeIntervalSince(began))
            answer.withLock { $0 = VirtualAnswer(answered.response, elapsed: elapsed) }
            time.stop()
        })
        defer { subscription.dispose() }
        if answer.withLock({ $0 == nil }) { time.start() }
        guard let answer = answer.withLock({ $0 }) else {
            throw GatewayLeak(description: "no event is left, and the request has no answer")
        }
        guard upstreams.inFlight == 0 else {
            throw GatewayLeak(
                description: "\(upstreams.inFlight) upstream calls are in flight after the answer")
        }
        return answer
    }
}

/// The answer of a `VirtualGateway`, with the members of its `TestResponse`.
@dynamicMemberLookup
public struct VirtualAnswer: Sendable {
    public let response: TestResponse
    /// The time from the request to the answer.
    public let elapsed: Duration

    init(_ response: HTTPResponse, elapsed: Duration) {
        self.response = TestResponse(
            status: response.status, fields: response.fields, body: Array(response.body.joined())[...])
        self.elapsed = elapsed
    }

    /// The body as JSON; throws if it is not JSON.
    public var json: JSONFragment {
        get throws { try response.json }
    }

    public subscript<Value>(dynamicMember path: KeyPath<TestResponse, Value>) -> Value {
        response[keyPath: path]
    }
}
