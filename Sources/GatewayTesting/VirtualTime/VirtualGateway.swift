import Dispatch
import EventIO
public import GatewayCore
public import HTTPModel
import Locking
public import Networking
import Rx

/// A gateway in virtual time whose requests are sent one by one and without `await`, with the client's stubs by path.
///
///     let gateway = try VirtualGateway(declare: declareEndpoints)
///     gateway.upstreams.answer("/users/kim", .silence)
///     let answer = try gateway.get("/api/profile/kim")
///     #expect(answer.status == .gatewayTimeout)
///     #expect(answer.elapsed == .seconds(5))
///
/// `withGateway(.virtualTime, ...)` has stubs by upstream, and requests that overlap or leave early.
public final class VirtualGateway: Sendable {
    /// The upstreams' answers by path, and the calls that they received.
    public let upstreams: StubTransport
    private let clock = VirtualClock()
    private let responder: GatewayResponder

    /// Creates a gateway with the endpoints that `declare` adds.
    public init(
        limits: GatewayLimits = GatewayLimits(), cors: CORSPolicy? = nil, declare: (Gateway) throws -> Void
    ) throws {
        upstreams = StubTransport(scheduler: VirtualScheduler(clock))
        let gateway = Gateway(GatewayEnvironment(transport: upstreams), limits: limits, cors: cors)
        try declare(gateway)
        responder = try gateway.responder()
    }

    /// Sends a GET request, as `send` does.
    public func get(_ target: String, _ fields: HTTPFields = HTTPFields()) throws -> TestResponse {
        try send(.get, target, fields)
    }

    /// Sends a request, as `TestClient.send` does, and moves the clock from event to event until the answer arrives. Blocks
    /// its thread meanwhile.
    ///
    /// - Throws: `VirtualTimeStalled` if no event is left and there is no answer, `GatewayLeak` if upstream calls outlive
    ///   the answer.
    public func send(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(), json: String? = nil
    ) throws -> TestResponse {
        var fields = fields
        if json != nil, !fields.contains(.contentType) { fields.append(.contentType, "application/json") }
        let request = TestRequest(
            method: method, target: target, fields: fields, body: json.map { Array($0.utf8)[...] } ?? [])
        let run = VirtualRun(clock, patience: GatewayWorld.virtualTime.patience)
        let answer = Lock<Result<TestResponse, any Error>?>(nil)
        let call = VirtualClient(responder, run).send(request) { result in
            answer.withLock { $0 = result }
            run.end()
        }
        defer { call.dispose() }
        let ended = DispatchSemaphore(value: 0)
        try NativeThread.start(name: "virtual time") {
            run.run()
            ended.signal()
        }
        ended.wait()
        guard let response = try answer.withLock({ $0 })?.get() else {
            throw GatewayLeak(description: "the request has no answer")
        }
        guard upstreams.inFlight == 0 else {
            throw GatewayLeak(
                description: "\(upstreams.inFlight) upstream calls are in flight after the answer")
        }
        return response
    }
}
