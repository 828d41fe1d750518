import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

/// Tests a client against faulty upstreams over real sockets.
@Suite("Upstream faults", .timeLimit(.minutes(1)))
struct FaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [ScriptedUpstream.Step]
        let reason: String
    }

    static let faults = [
        Fault(
            testDescription: "FIN before the response", steps: [.readRequest, .close],
            reason: "connection_terminated"),
        Fault(
            testDescription: "RST before the response", steps: [.readRequest, .reset],
            reason: "connection_terminated"),
        Fault(
            testDescription: "FIN within the status line",
            steps: [.readRequest, .send("HTTP/1.1 20"), .close],
            reason: "http_response_incomplete"),
        Fault(
            testDescription: "FIN within the fields",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\nA: b\r\n"), .close],
            reason: "http_response_incomplete"),
        Fault(
            testDescription: "FIN before the end of Content-Length",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\":"), .close],
            reason: "http_response_incomplete"),
        Fault(
            testDescription: "FIN within the chunks",
            steps: [
                .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"),
                .close,
            ],
            reason: "http_response_incomplete"),
        Fault(
            testDescription: "FIN before the last empty line of the chunks",
            steps: [
                .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"),
                .close,
            ],
            reason: "http_response_incomplete"),
        Fault(
            testDescription: "FIN after an informational response",
            steps: [.readRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .close],
            reason: "http_response_incomplete"),
        Fault(
            testDescription: "another protocol's banner",
            steps: [.readRequest, .send("SSH-2.0-OpenSSH_9.2\r\n"), .awaitEnd],
            reason: "http_protocol_error"),
        Fault(
            testDescription: "HTTP/0.9", steps: [.readRequest, .send("<html>hello</html>\n"), .close],
            reason: "http_protocol_error"),
        Fault(
            testDescription: "meaningless bytes",
            steps: [.readRequest, .sendBytes([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x0a]), .awaitEnd],
            reason: "http_protocol_error"),
        Fault(
            testDescription: "two values of Content-Length",
            steps: [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi"),
                .awaitEnd,
            ], reason: "http_protocol_error"),
        Fault(
            testDescription: "a chunk without its CRLF",
            steps: [
                .readRequest,
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhixx0\r\n\r\n"), .awaitEnd,
            ], reason: "http_protocol_error"),
        Fault(
            testDescription: "an unrequested 101",
            steps: [
                .readRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), .awaitEnd,
            ],
            reason: "http_protocol_error"),
        Fault(
            testDescription: "endless 103",
            steps: [.readRequest, .sendForever("HTTP/1.1 103 Early Hints\r\n\r\n")],
            reason: "http_protocol_error"),
        Fault(
            testDescription: "an unknown transfer coding",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"), .awaitEnd],
            reason: "http_response_transfer_coding"),
        Fault(
            testDescription: "fields beyond the limit",
            steps: [
                .readRequest, .send("HTTP/1.1 200 OK\r\n"),
                .sendForever("A: \(String(repeating: "a", count: 1000))\r\n"),
            ],
            reason: "http_response_header_section_size"),
        Fault(
            testDescription: "too many fields",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendForever("A: b\r\n")],
            reason: "http_response_header_section_size"),
        Fault(
            testDescription: "an endless field line",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\nA: "), .sendForever("a")],
            reason: "http_response_header_section_size"),
        Fault(
            testDescription: "a Content-Length beyond the limit",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n"), .awaitEnd],
            reason: "http_response_body_size"),
        Fault(
            testDescription: "100 MiB in chunks",
            steps: [
                .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6400000\r\n"),
                .sendForever(String(repeating: "a", count: 65_536)),
            ], reason: "http_response_body_size"),
        Fault(
            testDescription: "an endless body delimited by the close",
            steps: [
                .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"),
                .sendForever(String(repeating: "a", count: 65_536)),
            ],
            reason: "http_response_body_size"),
    ]

    @Test(
        "Each fault of an upstream fails the call with its own reason and closes the connection",
        arguments: faults,
        Wire.allCases)
    func named(fault: Fault, wire: Wire) async throws {
        let faulty = try ScriptedUpstream(
            tls: wire.server, fault.steps, [.readRequest, .send(CallTests.ok), .again])
        var limits = OutboundLimits.patient
        limits.responseBody = 1 << 20
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(faulty)
            let result = try await api.post()
            #expect(result.reason == fault.reason, "\(result)")
            let after = try await harness.report()
            #expect(after.idle == 0 && after.leased == 0)
            #expect(try await api.get().text == "hi")
            #expect(faulty.connections == 2)
        }
        faulty.stop()
    }

    @Test(
        "An RST within the body makes the response incomplete, even if the close delimits the body",
        arguments: Wire.allCases)
    func resetWithinBody(wire: Wire) async throws {
        for head in ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{", "HTTP/1.1 200 OK\r\n\r\n{"] {
            let seen = Signal()
            let upstream = try ScriptedUpstream(
                tls: wire.server, [.readRequest, .send(head), .wait(seen), .reset])
            try await ClientHarness.with { harness in
                let api = try await harness.upstream(upstream)
                let begun = api.begin(OutboundRequest(target: "/"))
                try await upstream.requestRead.wait()
                seen.fire()
                let result = try await begun.end()
                #expect(result.reason == "http_response_incomplete", "\(result)")
            }
            upstream.stop()
        }
    }

    @Test("An attempt to connect that gets no answer fails with connection_timeout at the connect limit")
    func blackHole() async throws {
        let (port, descriptors) = try ScriptedUpstream.blackHole()
        var limits = OutboundLimits.patient
        limits.connectTimeout = .milliseconds(80)
        try await ClientHarness.with(limits: limits) { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(port: port).get()
            #expect(result.reason == "connection_timeout")
            let total = start.duration(to: .now)
            #expect(total >= .milliseconds(80) && total < .seconds(10))
        }
        ScriptedUpstream.close(descriptors)
    }

    @Test("Connecting does not take longer than the call's total limit")
    func blackHoleAtTheEnd() async throws {
        let (port, descriptors) = try ScriptedUpstream.blackHole()
        try await ClientHarness.with { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(port: port).call(
                settings: CallSettings(total: .milliseconds(80)))
            #expect(result.reason == "connection_timeout")
            #expect(start.duration(to: .now) < .seconds(10))
        }
        ScriptedUpstream.close(descriptors)
    }

    @Test(
        "A silent upstream fails the call with connection_read_timeout at the first-byte limit",
        arguments: Wire.allCases)
    func silence(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(tls: wire.server, [.readRequest, .awaitEnd])
        var limits = OutboundLimits.patient
        limits.firstByteTimeout = .milliseconds(80)
        try await ClientHarness.with(limits: limits) { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(upstream).get()
            #expect(result.reason == "connection_read_timeout")
            #expect(start.duration(to: .now) >= .milliseconds(80))
            try await upstream.clientEnded.wait()
            #expect(try await harness.report().idle == 0)
        }
        upstream.stop()
    }

    @Test("A call's own first-byte limit replaces the client's", arguments: Wire.allCases)
    func ownLimit(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(tls: wire.server, [.readRequest, .awaitEnd])
        try await ClientHarness.with { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(upstream).call(
                settings: CallSettings(firstByte: .milliseconds(50)))
            #expect(result.reason == "connection_read_timeout")
            #expect(start.duration(to: .now) < .seconds(10))
        }
        upstream.stop()
    }

    @Test("A call's own connect limit replaces the client's")
    func ownConnectLimit() async throws {
        let (port, descriptors) = try ScriptedUpstream.blackHole()
        try await ClientHarness.with { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(port: port).call(
                settings: CallSettings(connect: .milliseconds(50)))
            #expect(result.reason == "connection_timeout")
            let total = start.duration(to: .now)
            #expect(total >= .milliseconds(50) && total < .seconds(10))
        }
        ScriptedUpstream.close(descriptors)
    }

    @Test("A call's own read limit replaces the client's", arguments: Wire.allCases)
    func ownReadLimit(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(upstream).call(
                settings: CallSettings(read: .milliseconds(50)))
            #expect(result.reason == "connection_read_timeout")
            #expect(start.duration(to: .now) < .seconds(10))
        }
        upstream.stop()
    }

    @Test(
        "A call's own total limit replaces the client's, even with a longer one",
        arguments: Wire.allCases)
    func ownTotalLimit(wire: Wire) async throws {
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .trickle(response, pauseMilliseconds: 5)])
        var limits = OutboundLimits.patient
        limits.totalTimeout = .milliseconds(40)
        try await ClientHarness.with(limits: limits) { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(upstream).call(
                settings: CallSettings(total: .seconds(20)))
            #expect(result.text == "hi", "\(result)")
            #expect(start.duration(to: .now) > .milliseconds(40))
        }
        upstream.stop()
    }

    @Test(
        "Silence within the response fails the call with connection_read_timeout at the read limit",
        arguments: Wire.allCases
    )
    func gap(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"), .awaitEnd,
            ])
        var limits = OutboundLimits.patient
        limits.readTimeout = .milliseconds(80)
        try await ClientHarness.with(limits: limits) { harness in
            let result = try await harness.upstream(upstream).get()
            #expect(result.reason == "connection_read_timeout")
            try await upstream.clientEnded.wait()
        }
        upstream.stop()
    }

    @Test(
        "A response that trickles byte by byte fails at the total limit",
        arguments: [
            "HTTP/1.1 200 OK\r\nA: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\naaaaaaaaaa",
            "HTTP/1.1 200 OK\r\n\r\naaaaaaaaaa",
        ], Wire.allCases)
    func trickle(text: String, wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .trickle(text, pauseMilliseconds: 10)])
        var limits = OutboundLimits.patient
        limits.totalTimeout = .milliseconds(300)
        try await ClientHarness.with(limits: limits) { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(upstream).get()
            #expect(result.reason == "http_response_timeout", "\(result)")
            let total = start.duration(to: .now)
            #expect(total >= .milliseconds(300) && total < .seconds(10))
            try await upstream.clientEnded.wait()
        }
        upstream.stop()
    }

    @Test(
        "An upstream that stops reading the request fails the call with connection_write_timeout",
        arguments: Wire.allCases)
    func writeTimeout(wire: Wire) async throws {
        let never = Signal()
        let upstream = try ScriptedUpstream(tls: wire.server, [.read(10), .wait(never)])
        var limits = OutboundLimits.patient
        limits.writeTimeout = .milliseconds(80)
        try await ClientHarness.with(limits: limits) { harness in
            let body = [UInt8](repeating: 0x61, count: 32 << 20)
            let result = try await harness.upstream(upstream).call(
                OutboundRequest(method: .post, target: Array("/".utf8)[...], body: .bytes(body[...])))
            #expect(result.reason == "connection_write_timeout", "\(result)")
        }
        never.fire()
        upstream.stop()
    }
}
