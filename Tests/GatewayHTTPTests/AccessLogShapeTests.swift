import GatewayCore
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Checks the structure of a line for any names of parts and steps.
@Suite("The shape of an access log line")
struct AccessLogShapeTests {
    /// Sends one request and returns its log line.
    private func line(
        _ request: String = "GET /page HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
        _ declare: (Gateway) throws -> Void
    ) throws -> JSONFragment {
        let lines = try withLoggedGateway(configure: { _ in }, declare: declare) { server in
            let client = try RawClient(port: server.port)
            client.send(request)
            _ = client.receive()
            _ = client.reachesEnd()
        }
        #expect(lines.count == 1)
        return try #require(lines.first)
    }

    /// The keys of every object at any depth, in order.
    private func keys(of json: JSONFragment) -> [[String]] {
        let names = json.members.map(\.name)
        let below = json.members.flatMap { keys(of: $0.value) } + json.elements.flatMap { keys(of: $0) }
        return (names.isEmpty ? [] : [names]) + below
    }

    private func expectUniqueKeys(_ json: JSONFragment) {
        for names in keys(of: json) { #expect(Set(names).count == names.count, "\(names)") }
    }

    @Test("Steps of different stages and parts are logged apart, even if they share a name")
    func sameNames() throws {
        let line = try line { gateway in
            gateway.get("/page") { _ in
                .first(total: Single.just(1), user: Single.just(2)).then {
                    Answer.first(total: Single.just(3)).then { .parts(total: Single.just(4), list: 5) }
                }
            }
        }
        expectUniqueKeys(line)
        let steps = try #require(line[member: "steps"]).elements
        #expect(steps.map { $0.members.map(\.name) } == [["total", "user"], ["total"]])
        #expect(line[member: "parts"]?.members.map(\.name) == ["total", "list"])
        for step in steps + [try #require(line[member: "parts"])] {
            #expect(step[member: "total"]?[member: "kind"]?.stringValue == "success")
        }
    }

    @Test("Failed steps are logged as steps, and the answer has no parts")
    func failedSteps() throws {
        let line = try line { gateway in
            gateway.get("/page") { _ in
                .first(total: Single.just(1)).then {
                    .first(total: Single<Int>.error(GatewayError.notFound())).then { .parts(total: 2) }
                }
            }
        }
        expectUniqueKeys(line)
        let steps = try #require(line[member: "steps"]).elements
        #expect(steps.map { $0[member: "total"]?[member: "kind"]?.stringValue } == ["success", "requestErr"])
        #expect(line[member: "parts"] == nil)
        #expect(line[member: "status"]?.intValue == 404)
    }

    @Test("Steps that the client abandoned are logged as steps")
    func leftSteps() throws {
        let held = PublishSubject<JSONFragment>()
        let lines = try withLoggedGateway(configure: { _ in }) { gateway in
            gateway.get("/page") { _ in
                .first(total: Single.just(1)).then {
                    .first(total: held.take(1).asSingle()).then { .parts(total: 2) }
                }
            }
        } _: { server in
            do {
                let client = try RawClient(port: server.port)
                client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            }
            try spin(while: held.hasObservers) { "the handler is still subscribed" }
        }
        let line = try #require(lines.first)
        expectUniqueKeys(line)
        let steps = try #require(line[member: "steps"]).elements
        #expect(steps.map { $0[member: "total"]?[member: "kind"]?.stringValue } == ["success", "cancelled"])
        #expect(line[member: "parts"] == nil)
    }

    @Test(
        "The log has the trace id that the upstream received, whether the client or the gateway started the trace"
    )
    func traceID() throws {
        let upstream = try ScriptedUpstream([.answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" }]
        )
        defer { upstream.stop() }
        let begun = "4bf92f3577b34da6a3ce929d0e0e4736"
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams["parts"] = "http://127.0.0.1:\(upstream.port)"
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            gateway.get("/broken") { _ in throw GatewayError.notFound() }
        } _: { server in
            let client = try RawClient(port: server.port)
            for request in [
                "GET /page HTTP/1.1\r\nHost: test\r\ntraceparent: 00-\(begun)-00f067aa0ba902b7-01\r\n\r\n",
                "GET /page HTTP/1.1\r\nHost: test\r\n\r\n", "GET /broken HTTP/1.1\r\nHost: test\r\n\r\n",
                "GET /nowhere HTTP/1.1\r\nHost: test\r\n\r\n",
            ] {
                client.send(request)
                _ = client.receive()
            }
        }
        let sent = upstream.requests.map { request in
            let line = request.split(separator: "\r\n").first {
                $0.lowercased().hasPrefix("traceparent: 00-")
            }
            return line.map { String($0.dropFirst("traceparent: 00-".count).prefix(32)) }
        }
        #expect(sent.first == begun)
        #expect(lines.map { $0[member: "status"]?.intValue } == [200, 200, 404, 404])
        let told = lines.map { $0[member: "traceId"]?.stringValue }
        #expect(Array(told.prefix(2)) == sent)
        #expect(told[2]?.utf8.count == 32)
        // A request without an endpoint has no trace.
        #expect(told[3] == nil)
    }
}
