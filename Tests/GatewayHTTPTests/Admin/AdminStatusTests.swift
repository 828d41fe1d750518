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

    @Test("A circuit has its state, and while it is open the time until the next probe")
    func circuit() throws {
        let bad = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        let upstream = try ScriptedUpstream([.answer { _ in bad }])
        defer { upstream.stop() }
        try withAdminGateway {
            $0.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
            $0.upstreamPolicy.breaker?.minimumCalls = 10
            $0.upstreamPolicy.breaker?.open = .seconds(60)
            $0.upstreamPolicy.breaker?.maxOpen = .seconds(60)
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server, admin in
            func parts() throws -> JSONFragment {
                try #require(admin.json("GET /status")[member: "upstreams"]?[member: "parts"])
            }
            #expect(try parts()[member: "circuit"]?.stringValue == "closed")
            #expect(try parts()[member: "openings"]?.intValue == 0)
            #expect(try parts()[member: "secondsLeft"] == nil)
            let client = try RawClient(port: server.port)
            for _ in 0..<10 { _ = client.get("/page") }
            let open = try parts()
            #expect(open[member: "circuit"]?.stringValue == "open")
            #expect(open[member: "openings"]?.intValue == 1)
            let left = try #require(open[member: "secondsLeft"]?.doubleValue)
            #expect(left > 0 && left <= 60)
            // An upstream with one address has no states of addresses.
            #expect(open[member: "addresses"] == nil)
        }
    }

    @Test("An upstream with several addresses has the state of each")
    func addresses() throws {
        let good = try ScriptedUpstream([.answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" }])
        let bad = try ScriptedUpstream([.answer { _ in "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n" }])
        defer {
            good.stop()
            bad.stop()
        }
        try withAdminGateway {
            $0.upstreams = [
                "parts": ["http://127.0.0.1:\(good.port)", "http://127.0.0.1:\(bad.port)"]
            ]
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry = .never
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.upstream("parts") {
                $0.breaker = nil
                var ejection = EjectionPolicy()
                ejection.consecutive = 3
                $0.ejection = ejection
            }
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server, admin in
            func states() throws -> [String: String] {
                let parts = try #require(admin.json("GET /status")[member: "upstreams"]?[member: "parts"])
                let members = parts[member: "addresses"]?.members ?? []
                return Dictionary(
                    uniqueKeysWithValues: members.map { ("\($0.name)", $0.value.stringValue ?? "-") })
            }
            let client = try RawClient(port: server.port)
            let known = ["127.0.0.1:\(good.port)", "127.0.0.1:\(bad.port)"]
            _ = client.get("/page")
            #expect(try states() == [known[0]: "in_service", known[1]: "in_service"])
            func isEjected() throws -> Bool {
                _ = client.get("/page")
                return try states()[known[1]] == "ejected"
            }
            try spin(while: try !isEjected()) { "\(try states())" }
            #expect(try states()[known[0]] == "in_service")
        }
    }
}
