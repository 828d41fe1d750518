import Dispatch
import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import Testing

@Suite("Repetitions of calls that pass through")
struct ProxyRetryTests {
    let bench = Bench()

    private func pass(deadline: Duration) {
        var policy = CallPolicy()
        policy.retry.backoff = .constant(.milliseconds(10))
        bench.gateway.proxy("/images/{path...}", to: bench.images(policy: policy), .deadline(deadline))
    }

    @Test(
        "A failure whose Retry-After does not fit the endpoint's deadline passes at once",
        arguments: [429, 502, 503, 504], ["2", "3", "9", "30"])
    func tooLong(status: Int, retryAfter: String) async throws {
        pass(deadline: .seconds(2))
        bench.upstreamAnswers(status, [.retryAfter: retryAfter], body: "busy")
        let reply = try bench.ask(.get, "/images/a").reply()
        #expect(reply.status == status)
        #expect(reply.fields[.retryAfter] == retryAfter)
        #expect(try await reply.wholeBody() == "busy")
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("A Retry-After that fits the deadline is waited for, and the last failure passes")
    func fitting() async throws {
        pass(deadline: .seconds(2))
        bench.upstreamAnswers(503, [.retryAfter: "1"], body: "busy")
        let pending = try bench.ask(.get, "/images/a")
        #expect(bench.transport.attempts.count == 1)
        bench.time.advance(by: .milliseconds(1010))
        let reply = try pending.reply()
        #expect(reply.status == 503)
        #expect(try await reply.wholeBody() == "busy")
        #expect(bench.transport.attempts.count == 2)
    }

    @Test("A failure that could be repeated only after the deadline passes")
    func longBackoff() throws {
        var policy = CallPolicy()
        policy.retry.backoff = .constant(.seconds(1))
        bench.gateway.proxy(
            "/images/{path...}", to: bench.images(policy: policy), .deadline(.milliseconds(500)))
        bench.upstreamAnswers(502, body: "broken")
        #expect(try bench.ask(.get, "/images/a").reply().status == 502)
        #expect(bench.transport.attempts.count == 1)
    }
}
