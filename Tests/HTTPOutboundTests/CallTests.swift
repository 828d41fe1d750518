import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Calls", .timeLimit(.minutes(1)))
struct CallTests {
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    @Test("A call to a closed port fails with connection_refused")
    func refused() async throws {
        let upstream = try ScriptedUpstream(.closed, [])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(upstream).get()
            #expect(result.reason == "connection_refused")
        }
        upstream.stop()
    }

    @Test("A request carries the origin's Host, and its response arrives complete")
    func answered() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let request = OutboundRequest(
                target: "/weights?a=1", fields: ["Accept": "application/json", "Host": "evil"])
            let result = try await api.call(request)
            #expect(result.status == 200)
            #expect(result.text == "hi")
            #expect(
                upstream.requests == [
                    "GET /weights?a=1 HTTP/1.1\r\nHost: 127.0.0.1:\(upstream.port)\r\nAccept: application/json\r\n\r\n"
                ])
            let timings = try #require(result.timings)
            #expect(!timings.isReusedConnection)
            #expect(timings.connected != nil && timings.firstByte != nil)
            #expect(
                try await harness.report() == PoolReport(idle: 1, leased: 0, waiting: 0, opened: 1, reused: 0)
            )
        }
        upstream.stop()
    }

    @Test("A second call reuses the first call's connection")
    func reused() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let results = [try await api.get("/1"), try await api.post("/2"), try await api.get("/3")]
            #expect(results.map(\.text) == ["hi", "hi", "hi"])
            #expect(results.last?.timings?.isReusedConnection == true)
            #expect(upstream.connections == 1)
            #expect(
                try await harness.report() == PoolReport(idle: 1, leased: 0, waiting: 0, opened: 1, reused: 2)
            )
        }
        upstream.stop()
    }

    @Test(
        "A response that breaks rules without harm is used, and the observer learns the rules once",
        arguments: [["hi"], ["h", "i"]])
    func tolerated(pieces: [String]) async throws {
        let head = "HTTP/1.1 999 X\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n"
        let goOn = Signal()
        let rest: [ScriptedUpstream.Step] = pieces.dropFirst().flatMap { [.wait(goOn), .send($0)] }
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(head + pieces[0])] + rest + [.readRequest, .send(Self.ok), .awaitEnd])
        let observer = DiscardReasons()
        try await ClientHarness.with(discarded: observer) { harness in
            let api = try await harness.upstream(upstream)
            if !rest.isEmpty {
                Task {
                    try await poll(while: observer.tolerated.isEmpty) { "nothing was told" }
                    goOn.fire()
                }
            }
            let result = try await api.get("/1")
            #expect(result.status == 999)
            #expect(result.text == "hi")
            #expect(try await api.get("/2").text == "hi")
            #expect(
                observer.tolerated == [
                    ["a field value is folded", "Content-Length is repeated", "the status is above 599"]
                ])
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }
}
