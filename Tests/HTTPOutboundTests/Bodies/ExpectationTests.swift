import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

/// RFC 9110 10.1.1: a client that receives 417 repeats its request without the expectation.
@Suite("Failed expectations", .timeLimit(.minutes(1)))
struct ExpectationTests {
    private static let refusals = [
        "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 417 Expectation Failed\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
    ]

    private static func put(_ body: ScriptedBody) -> OutboundRequest {
        OutboundRequest(method: .post, target: Array("/".utf8)[...], body: .stream(body))
    }

    private static func body(canRestart: Bool = false) -> ScriptedBody {
        ScriptedBody(
            StreamedRequestTests.pieces, length: 11, canRestart: canRestart, expectsContinue: true)
    }

    @Test(
        "A 417 to the repeated request, which has no expectation, is returned as the response",
        arguments: refusals)
    func twice(_ refusal: String) async throws {
        let upstream = try ScriptedUpstream([.read(1), .send(refusal), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let body = Self.body(canRestart: true)
            #expect(try await api.call(Self.put(body)).status == 417)
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("If the body has begun and cannot be restarted, the 417 is returned as the response")
    func begun() async throws {
        let body = Self.body()
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.refusals[0]), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.continueTimeout = .milliseconds(20)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.call(Self.put(body)).status == 417)
            #expect(upstream.connections == 1)
            #expect(body.used.opened == 1)
        }
        upstream.stop()
    }

    @Test("After a 417 even a POST is repeated without the expectation", arguments: refusals)
    func again(_ refusal: String) async throws {
        let body = Self.body()
        let upstream = try ScriptedUpstream(
            [.read(1), .send(refusal), .awaitEnd], [.readRequest, .send(CallTests.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.call(Self.put(body)).status == 200)
            let request = try #require(upstream.requests.last)
            #expect(request.hasSuffix("\r\n\r\nonetwothree"))
            #expect(!request.lowercased().contains("expect:"))
            #expect(body.used.opened == 1)
            #expect(try await harness.report().idle == 1)
        }
        upstream.stop()
    }

    @Test("A body that began before the 417 is sent again from the start")
    func begunAnew() async throws {
        let body = Self.body(canRestart: true)
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.refusals[0]), .awaitEnd], [.readRequest, .send(CallTests.ok), .again])
        var limits = OutboundLimits.patient
        limits.continueTimeout = .milliseconds(20)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.call(Self.put(body)).status == 200)
            #expect(upstream.requests.last?.hasSuffix("\r\n\r\nonetwothree") == true)
        }
        upstream.stop()
    }
}
