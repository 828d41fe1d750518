import JSONBytes
import Locking
import Resilience
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("An answer that ends with a required part", .timeLimit(.minutes(1)))
struct StoppedAnswerTests {
    private static func answer(_ status: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: 1\r\n\r\n1"
    }

    /// Serves `/page` with the parts `first` and `second` of the upstream `sound`, and `third` of `ill`
    /// between them.
    private func gateway(
        _ sound: ScriptedUpstream, _ ill: ScriptedUpstream, minimumCalls: Int, method: String = "get",
        open: String = "5m", drain: String = "30s"
    ) throws -> FileGateway {
        try FileGateway(
            """
            version: 1
            drain: {delay: 0s, deadline: \(drain)}
            upstreams:
              sound: {url: "http://127.0.0.1:\(sound.port)", timeouts: {total: 5m, firstByte: 5m}}
              ill:
                url: "http://127.0.0.1:\(ill.port)"
                retry: {attempts: 1}
                breaker: {minimumCalls: \(minimumCalls), open: \(open), maxOpen: \(open)}
            endpoints:
            - get: /page
              parts:
                first: {upstream: sound, \(method): /first}
                third: {upstream: ill, get: /third}
                second: {upstream: sound, get: /second}
            """)
    }

    private func isOpen(_ gateway: FileGateway) -> Bool {
        gateway.server.settled.upstreams["ill"]?.circuit != .closed
    }

    private func parts(_ reply: RawClient.Reply) throws -> String? {
        let envelope = try JSONFragment(validating: Array(reply.text.utf8)[...])
        return envelope[member: "meta"]?[member: "parts"].map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("If its circuit is open, a thousand requests open no connection to the other upstreams")
    func openCircuit() throws {
        let sound = try ScriptedUpstream([.answer { _ in Self.answer("200 OK") }])
        let ill = try ScriptedUpstream([.answer { _ in Self.answer("500 Failed") }])
        defer {
            sound.stop()
            ill.stop()
        }
        let gateway = try gateway(sound, ill, minimumCalls: 10)
        defer { gateway.server.stop() }
        for _ in 0..<10 { _ = try gateway.get("/page") }
        #expect(gateway.server.settled.upstreams["ill"]?.openings == 1)
        // Cancelled calls that were sent are read to their end.
        try spin(while: gateway.server.settled.calls.leased > 0) { "\(gateway.server.settled.calls)" }
        let (connections, requests) = (sound.connections, sound.requests.count)
        for _ in 0..<1000 {
            let reply = try gateway.get("/page")
            #expect(reply.status == 503)
            #expect(try parts(reply) == #"{"first":"cancelled","third":"networkFail","second":"cancelled"}"#)
        }
        #expect(sound.connections == connections)
        #expect(sound.requests.count == requests)
        #expect(ill.requests.count == 10)
    }

    @Test("Once the circuit is closed again, all parts are sent")
    func closedCircuit() throws {
        let isWell = Lock(false)
        let sound = try ScriptedUpstream([.answer { _ in Self.answer("200 OK") }])
        let ill = try ScriptedUpstream([
            .answer { _ in Self.answer(isWell.withLock { $0 } ? "200 OK" : "500 Failed") }
        ])
        defer {
            sound.stop()
            ill.stop()
        }
        let gateway = try gateway(sound, ill, minimumCalls: 10, open: "100ms")
        defer { gateway.server.stop() }
        for _ in 0..<10 { _ = try gateway.get("/page") }
        #expect(gateway.server.settled.upstreams["ill"]?.openings == 1)
        isWell.withLock { $0 = true }
        try spin(while: gateway.get("/page").status != 200) { "\(gateway.server.settled.upstreams)" }
        try spin(while: gateway.get("/page").status != 200 || isOpen(gateway)) {
            "\(gateway.server.settled.upstreams)"
        }
        let requests = sound.requests.count
        let reply = try gateway.get("/page")
        #expect(reply.status == 200)
        #expect(try parts(reply) == #"{"first":"success","third":"success","second":"success"}"#)
        #expect(sound.requests.count == requests + 2)
    }

    @Test("Two thousand calls that are cancelled cost their upstream no connection beyond its two")
    func keepsConnections() throws {
        let sound = try ScriptedUpstream([.answer { _ in Self.answer("200 OK") }])
        let ill = try ScriptedUpstream([.answer { _ in Self.answer("404 Not Found") }])
        defer {
            sound.stop()
            ill.stop()
        }
        let gateway = try gateway(sound, ill, minimumCalls: 10)
        defer { gateway.server.stop() }
        for _ in 0..<1000 {
            #expect(try gateway.get("/page").status == 404)
            try spin(while: gateway.server.settled.calls.leased > 0) { "\(gateway.server.settled.calls)" }
        }
        #expect(sound.connections == 2)
        #expect(ill.connections == 1)
    }

    @Test(
        "A write that the answer does not wait for reaches its upstream whole, and its connection is used again"
    )
    func write() throws {
        let answers = Signal()
        let sound = try ScriptedUpstream([
            .readRequest, .wait(answers), .send(Self.answer("200 OK")), .again,
        ])
        let ill = try ScriptedUpstream([.answer { _ in Self.answer("404 Not Found") }])
        defer {
            sound.stop()
            ill.stop()
        }
        let gateway = try gateway(sound, ill, minimumCalls: 10, method: "post")
        defer { gateway.server.stop() }
        #expect(try gateway.get("/page").status == 404)
        for _ in 0..<2 { answers.fire() }
        try spin(while: gateway.server.settled.calls.idle < 3) { "\(gateway.server.settled.calls)" }
        #expect(sound.requests.contains { $0.hasPrefix("POST /first") })
    }

    @Test(
        "A gateway that drains waits for a write that an answer did not wait for; one that stops does not",
        arguments: [true, false])
    func drain(isGraceful: Bool) throws {
        let answer = Signal()
        let sound = try ScriptedUpstream([.readRequest, .wait(answer), .send(Self.answer("200 OK")), .again])
        let ill = try ScriptedUpstream([.answer { _ in Self.answer("404 Not Found") }])
        defer {
            sound.stop()
            ill.stop()
        }
        let gateway = try gateway(sound, ill, minimumCalls: 10, method: "post")
        #expect(try gateway.get("/page").status == 404)
        try spin(while: sound.requests.isEmpty) { "\(sound.requests)" }
        if isGraceful { gateway.server.drain() } else { gateway.server.stop() }
        if isGraceful {
            try spin(while: gateway.server.settled.connections > 0) { "\(gateway.server.settled)" }
            #expect(gateway.server.settled.calls.leased > 0)
            for _ in 0..<2 { answer.fire() }
        }
        gateway.server.waitUntilStopped()
        #expect(gateway.server.settled.calls.leased == 0)
    }

    @Test(
        "A write that does not end is cut at the deadline of a drain, or when the gateway stops",
        arguments: [true, false])
    func endlessWrite(isDeadline: Bool) throws {
        let sound = try ScriptedUpstream([.readRequest, .awaitEnd])
        let ill = try ScriptedUpstream([.answer { _ in Self.answer("404 Not Found") }])
        defer {
            sound.stop()
            ill.stop()
        }
        let gateway = try gateway(
            sound, ill, minimumCalls: 10, method: "post", drain: isDeadline ? "1s" : "1h")
        #expect(try gateway.get("/page").status == 404)
        try spin(while: sound.requests.isEmpty) { "\(sound.requests)" }
        gateway.server.drain()
        try spin(while: gateway.server.settled.connections > 0) { "\(gateway.server.settled)" }
        #expect(gateway.server.settled.calls.leased > 0)
        if !isDeadline { gateway.server.stop() }
        gateway.server.waitUntilStopped()
        #expect(gateway.server.settled.calls.leased == 0)
    }
}
