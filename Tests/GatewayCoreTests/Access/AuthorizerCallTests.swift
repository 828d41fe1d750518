import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Rule 14: the question to an authorizer is an ordinary call.
@Suite("How authorizers are asked", .noLeaks)
struct AuthorizerCallTests {
    private let bench: AccessBench
    private static let path = "/auth"

    init() throws { bench = try AccessBench() }

    /// - Parameter attempts: the most that a call to the authorizer's upstream has.
    private func responder(attempts: Int = 3) throws -> GatewayResponder {
        let gateway = bench.gateway()
        var policy = CallPolicy()
        policy.retry.maxAttempts = attempts
        _ = gateway.plannedUpstream("session", "http://session.test", policy: policy)
        gateway.auth(
            "web",
            .authorize(AuthorizerSettings(upstream: "session", get: Self.path, forward: [.cookie])))
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        gateway.get("/me", .require("web")) { _ in .parts(list: users.rx.request(.list).fragment()) }
        return try gateway.responder()
    }

    /// Returns the answer to a request whose question has all of its attempts.
    private func settled(_ responder: GatewayResponder, _ fields: HTTPFields = [:]) throws -> Reply {
        var fields = fields
        fields.append(.cookie, "session=1")
        let waiting = try responder.ask(.get, "/me", fields)
        // Less than the time that an authorizer has.
        bench.time.advance(by: Duration.milliseconds(900))
        return try waiting.reply()
    }

    @Test(
        "An attempt that fails is repeated with the same fields, and the next answer decides",
        arguments: [true, false], [200, 401])
    func retry(_ isRefused: Bool, _ decision: Int) throws {
        let failure: StubTransport.Answer = isRefused ? .failure(.connectionRefused) : .response(503)
        bench.transport.answer(Self.path, failure, .response(decision))
        let reply = try settled(responder())
        #expect(reply.status == decision)
        #expect(bench.calls(Self.path).map { $0.values(of: .cookie) } == [["session=1"], ["session=1"]])
        #expect(bench.calls("/list").count == (decision == 200 ? 1 : 0))
        let step = try #require(reply.summary.parts.first { $0.step != nil })
        #expect(step.name == "auth.web")
        #expect(step.calls.map(\.attempts) == [2])
    }

    @Test(
        "After the last attempt that the upstream's settings allow, nobody is admitted",
        arguments: [1, 2, 3])
    func attempts(_ attempts: Int) throws {
        bench.transport.answer(Self.path, .response(503))
        let reply = try settled(responder(attempts: attempts))
        #expect(reply.status == 503)
        #expect(reply.summary.access?.result == .unavailable)
        #expect(bench.calls(Self.path).count == attempts)
        #expect(bench.calls("/list").isEmpty)
    }

    @Test("A refusal by the authorizer is an answer, and is not asked for again", arguments: [401, 403])
    func refusal(_ status: Int) throws {
        bench.transport.answer(Self.path, .response(status), .response(200))
        #expect(try settled(responder()).status == status)
        #expect(bench.calls(Self.path).count == 1)
    }

    @Test("It is asked within the client's trace, as the upstreams of the endpoint are")
    func trace() throws {
        bench.transport.answer(Self.path, .response(200))
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let fields: HTTPFields = [.traceParent: parent, .traceState: "a=1"]
        #expect(try settled(responder(), fields).status == 200)
        for path in [Self.path, "/list"] {
            let call = try #require(bench.calls(path).first, "\(path)")
            let sent = try #require(call[.traceParent], "\(path)")
            #expect(sent.wholeMatch(of: /00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01/) != nil)
            #expect(sent != parent)
            #expect(call.values(of: .traceState) == ["a=1"])
        }
    }
}
