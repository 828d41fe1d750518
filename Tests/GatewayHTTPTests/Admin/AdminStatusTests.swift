import GatewayCore
import JSONBytes
import Locking
import Networking
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

@Suite("What the status of a gateway says of its upstreams", .timeLimit(.minutes(1)))
struct AdminStatusTests {
    /// An upstream that gives these answers one after the other.
    private func upstream(_ answers: String...) throws -> ScriptedUpstream {
        let rest = Lock(answers)
        return try ScriptedUpstream([.answer { _ in rest.withLock { $0.removeFirst() } }])
    }

    @Test("The last failed attempt has its reason, status and address, and none is there before the first")
    func lastFailure() throws {
        let upstream = try upstream(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
        defer { upstream.stop() }
        try withAdminGateway {
            $0.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry = .never
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server, admin in
            func parts() throws -> JSONFragment {
                try #require(admin.json("GET /status")[member: "upstreams"]?[member: "parts"])
            }
            let client = try RawClient(port: server.port)
            #expect(client.get("/page")?.status == 200)
            try spin(while: server.settled.calls.idle == 0) { "\(server.settled.calls)" }
            let good = try parts()
            #expect(good[member: "lastFailure"] == nil)
            #expect(
                good[member: "connections"]?.description
                    == #"{"idle":1,"leased":0,"relays":0,"waitingCalls":0}"#)

            #expect(client.get("/page")?.status == 502)
            let failed = try #require(parts()[member: "lastFailure"])
            #expect(failed[member: "reason"]?.stringValue == "upstream_status")
            #expect(failed[member: "status"]?.description == "500")
            #expect(failed[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)")
            #expect(failed[member: "secondsAgo"]?.description.hasPrefix("0.") == true)

            upstream.stop()
            try spin(while: server.settled.calls.idle > 0) { "\(server.settled.calls)" }
            #expect(client.get("/page")?.status == 502)
            let refused = try #require(parts()[member: "lastFailure"])
            #expect(refused[member: "reason"]?.stringValue == "connection_refused")
            #expect(refused[member: "status"] == nil)
        }
    }
}
