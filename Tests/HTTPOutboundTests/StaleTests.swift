import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

/// Tests connections that the upstream closes while the next request is written.
@Suite("Stale connections", .timeLimit(.minutes(2)))
struct StaleTests {
    static let ok = CallTests.ok

    @Test(
        "A GET on a stale connection succeeds on a new connection, 1000 times out of 1000",
        arguments: [true, false], Wire.allCases)
    func thousand(byReset: Bool, wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [
                .readRequest, .send(Self.ok), .read(1), byReset ? .reset : .close,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            var failures: [String] = []
            for number in 0..<1000 {
                let result = try await api.get("/\(number)")
                if result.text != "hi" { failures.append("\(number): \(result)") }
            }
            #expect(failures.isEmpty, "\(failures.prefix(3))")
            #expect(upstream.connections == 1000)
        }
        upstream.stop()
    }

    @Test(
        "A GET succeeds if a close crosses it on the wire, 1000 times out of 1000",
        arguments: Wire.allCases)
    func crossing(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(tls: wire.server, [.readRequest, .send(Self.ok), .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            var failures: [String] = []
            for number in 0..<1000 {
                let result = try await api.get("/\(number)")
                if result.text != "hi" { failures.append("\(number): \(result)") }
            }
            #expect(failures.isEmpty, "\(failures.prefix(3))")
        }
        upstream.stop()
    }

    @Test(
        "Concurrent calls to an upstream that closes after each response all succeed",
        arguments: Wire.allCases)
    func crossingAtOnce(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(tls: wire.server, [.readRequest, .send(Self.ok), .close])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 8)) { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<10 {
                let calls = (0..<40).map { api.begin(OutboundRequest(target: "/\($0)")) }
                for call in calls {
                    let result = try await call.end()
                    #expect(result.text == "hi", "\(result)")
                }
            }
        }
        upstream.stop()
    }

    @Test("A POST that reached the upstream is never sent again", arguments: Wire.allCases)
    func post(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .send(Self.ok), .readRequest, .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for number in 0..<200 {
                let result = try await api.post(body: "number \(number).")
                if number % 2 == 0 {
                    #expect(result.text == "hi", "\(result)")
                } else {
                    #expect(result.reason == "connection_terminated", "\(result)")
                }
            }
            for number in 0..<200 {
                let times = upstream.requests.count { $0.hasSuffix("\r\n\r\nnumber \(number).") }
                #expect(times == 1, "number \(number) came \(times) times")
            }
        }
        upstream.stop()
    }

    @Test(
        "A POST on a closed connection is sent once, on a new connection",
        arguments: Wire.allCases)
    func postAsksFirst(wire: Wire) async throws {
        let go = Signal()
        let ended = Signal()
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .send(Self.ok), .wait(go), .finish, .fire(ended), .awaitEnd],
            [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            // The loop is blocked while the close arrives, so it writes before it reads the close.
            let begun = RunningCall(api, OutboundRequest(method: .post, target: "/", body: "once")) {
                go.fire()
                try? ended.waitBlocking()
            }
            let result = try await begun.end()
            #expect(result.text == "hi", "\(result)")
            #expect(upstream.requests.count { $0.hasSuffix("once") } == 1)
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A GET that also fails on the new connection is not sent a third time", arguments: Wire.allCases)
    func onlyOnce(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .send(Self.ok), .readRequest, .close], [.readRequest, .close],
            [.readRequest, .send(Self.ok)])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().reason == "connection_terminated")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A GET is not repeated after the first byte of its response", arguments: Wire.allCases)
    func withinResponse(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .send(Self.ok), .readRequest, .send("H"), .close],
            [.readRequest, .send(Self.ok)])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().reason == "http_response_incomplete")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("Repeating a request does not restart the call's time limit", arguments: Wire.allCases)
    func clock(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .send(Self.ok), .readRequest, .close], [.readRequest, .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            let start = ContinuousClock.now
            let result = try await api.call(settings: CallSettings(total: .milliseconds(100)))
            #expect(result.reason == "http_response_timeout")
            #expect(start.duration(to: .now) < .seconds(10))
        }
        upstream.stop()
    }
}
