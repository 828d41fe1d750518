import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Streamed requests", .timeLimit(.minutes(1)))
struct StreamedRequestTests {
    static let pieces = [Array("one".utf8), [], Array("two".utf8), Array("three".utf8)]

    static func put(_ body: any OutboundBodySource, method: HTTPMethod = .put) -> OutboundRequest {
        OutboundRequest(method: method, target: Array("/".utf8)[...], body: .stream(body))
    }

    static func blocks(_ count: Int) -> [[UInt8]] {
        Array(repeating: [UInt8](repeating: 0x61, count: 65_536), count: count)
    }

    // MARK: Failures

    @Test("A body that cannot be opened or read fails the call and closes the connection")
    func noBody() async throws {
        let upstream = try ScriptedUpstream([.awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let refused = ScriptedBody([], length: nil, opens: false)
            let failing = ScriptedBody(Self.pieces, length: nil, end: .fail)
            for (body, detail) in [(refused, "no such body"), (failing, "the source failed")] {
                let failure = try await api.call(Self.put(body)).failure
                #expect(failure?.reason == .requestError)
                #expect(failure?.detail == detail)
                #expect(try await harness.report().idle == 0)
            }
            #expect(failing.used.closed == 1)
        }
        upstream.stop()
    }

    @Test(
        "A body shorter or longer than its declared length fails the call and leaves the request incomplete",
        arguments: [12, 10])
    func wrongLength(length: Int64) async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(CallTests.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let body = ScriptedBody(Self.pieces, length: length)
            let failure = try await harness.upstream(upstream).call(Self.put(body)).failure
            #expect(failure?.reason == .requestError)
            #expect(
                failure?.detail
                    == (length == 12
                        ? "the body is 1 bytes shorter than its length"
                        : "the body is longer than its length"))
            #expect(try await harness.report().idle == 0)
            #expect(body.used.closed == 1)
        }
        #expect(upstream.requests.isEmpty)
        upstream.stop()
    }

    @Test("A body source that stalls fails the call, and so does an upstream that stops reading")
    func standstill() async throws {
        let upstream = try ScriptedUpstream([.wait(Signal())])
        var limits = OutboundLimits.patient
        limits.pauseTimeout = .milliseconds(60)
        limits.writeTimeout = .milliseconds(60)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let owing = try await api.call(Self.put(ScriptedBody(Self.pieces, length: nil, end: .never)))
                .failure
            #expect(owing?.reason == .connectionWriteTimeout)
            #expect(owing?.detail == "the source of the body had no piece for 60 ms")
            let body = ScriptedBody(Self.blocks(1024), length: 64 << 20)
            let stuck = try await api.call(Self.put(body)).failure
            #expect(stuck?.reason == .connectionWriteTimeout)
            #expect(stuck?.detail == "the upstream took no byte of the request for 60 ms")
            #expect(body.used.mostQueued < 128 << 10, "too many bytes were queued")
            #expect(body.used.requested < 200, "pieces were requested beyond the limit")
            #expect(body.used.closed == 1)
        }
        upstream.stop()
    }

    @Test(
        "A 413 that arrives before the body ends is returned; the body stops and the connection is closed",
        arguments: [true, false])
    func refused(hasLength: Bool) async throws {
        let head = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno"
        let upstream = try ScriptedUpstream([.read(100_000), .send(head), .awaitEnd])
        try await ClientHarness.with { harness in
            let body = ScriptedBody(Self.blocks(1024), length: hasLength ? 64 << 20 : nil)
            let result = try await harness.upstream(upstream).call(Self.put(body))
            #expect(result.status == 413)
            #expect(result.text == "no")
            #expect(body.used.requested < 1024 && body.used.closed == 1)
            #expect(try await harness.report().idle == 0)
        }
        upstream.stop()
    }

    @Test(
        "After a stale connection, a body is sent again if it can be restarted; otherwise the call fails",
        arguments: [true, false])
    func stale(canRestart: Bool) async throws {
        let body = ScriptedBody(Self.pieces, length: 11, end: .finish, canRestart: canRestart)
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(CallTests.ok), .read(1), .wait(body.pieceRequested), .close],
            [.readRequest, .send(CallTests.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            let result = try await api.call(Self.put(body))
            if canRestart {
                #expect(result.text == "hi")
                #expect(upstream.requests.last?.hasSuffix("\r\n\r\nonetwothree") == true)
            } else {
                #expect(result.reason == "connection_terminated")
            }
            #expect(body.used.closed == body.used.opened)
            #expect(body.used.opened == (canRestart ? 2 : 1))
        }
        upstream.stop()
    }

    @Test("A disposed call requests no more pieces")
    func disposed() async throws {
        let upstream = try ScriptedUpstream([.awaitEnd])
        try await ClientHarness.with { harness in
            let body = ScriptedBody(Self.pieces, length: nil, end: .never)
            let begun = try await harness.upstream(upstream).begin(Self.put(body))
            try await body.pieceRequested.wait(count: 5)
            begun.dispose()
            try await upstream.clientEnded.wait()
            #expect(body.used.closed == 1)
        }
        upstream.stop()
    }

    // MARK: Sending

    @Test("A body of known length is sent with Content-Length, and any other body in chunks")
    func framing() async throws {
        let upstream = try ScriptedUpstream(
            [
                .readRequest, .send(CallTests.ok), .read(101), .send(CallTests.ok), .readRequest,
                .send(CallTests.ok), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let whole = try await api.call(Self.put(ScriptedBody(Self.pieces, length: 11)))
            #expect(whole.text == "hi")
            let host = "127.0.0.1:\(upstream.port)"
            #expect(
                upstream.requests
                    == ["PUT / HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 11\r\n\r\nonetwothree"])
            let chunked =
                "POST / HTTP/1.1\r\nHost: \(host)\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n"
            let result = try await api.call(Self.put(ScriptedBody(Self.pieces, length: nil), method: .post))
            #expect(result.text == "hi")
            #expect(upstream.requests.last == chunked)
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 1, "the connection was not reused after a streamed body")
        }
        upstream.stop()
    }

    @Test("The call reports its upload progress")
    func progress() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(CallTests.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let body = ScriptedBody(Self.blocks(64), length: 4 << 20)
            let call = try await StreamedCall.begin(harness.upstream(upstream), Self.put(body))
            #expect(try await call.end().status == 200)
            #expect(call.record.sent.last == 4 << 20)
            #expect(call.record.sent == call.record.sent.sorted())
            #expect(body.used.mostQueued < 128 << 10)
        }
        upstream.stop()
    }

    // MARK: The end of the source

    @Test("A body that is longer than its length fails the call, although its response came before")
    func longerAfterResponse() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(EarlyResponseTests.created), .awaitEnd])
        try await ClientHarness.with { harness in
            let body = GatedBody(length: 6)
            let call = try await StreamedCall.begin(
                harness.upstream(upstream), StreamedRequestTests.put(body))
            body.give("onetwo")
            // The whole response comes in one read.
            try await call.pieceReceived.wait()
            body.give("three")
            let failure = try await call.end().failure
            #expect(failure?.reason == .requestError)
            #expect(failure?.detail == "the body is longer than its length")
            #expect(failure?.earlyStatus == .created)
            #expect(body.closed == 1)
            #expect(try await harness.report().idle == 0)
        }
        upstream.stop()
    }

    @Test("A body that is longer than its length does not hide a refusal", arguments: [true, false])
    func longerAfterRefusal(mayStream: Bool) async throws {
        let refusal = "HTTP/1.1 409 No\r\nContent-Length: 2\r\n\r\nno"
        let upstream = try ScriptedUpstream([.readRequest, .send(refusal), .awaitEnd])
        try await ClientHarness.with { harness in
            let body = GatedBody(length: 6)
            let call = try await StreamedCall.begin(
                harness.upstream(upstream), StreamedRequestTests.put(body), mayStream: mayStream)
            body.give("onetwo")
            #expect(try await call.end().status == 409)
            #expect(body.closed == 1)
        }
        upstream.stop()
    }

    @Test(
        "A response waits for the end of the body's source, and the connection serves the next call",
        arguments: [true, false])
    func lateEnd(mayStream: Bool) async throws {
        let last = Signal()
        let upstream = try ScriptedUpstream([
            .readRequest, .send(String(CallTests.ok.dropLast())), .wait(last),
            .send(String(CallTests.ok.suffix(1))), .readRequest, .send(CallTests.ok), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let body = GatedBody(length: 6)
            let call = try await StreamedCall.begin(
                api, StreamedRequestTests.put(body), mayStream: mayStream)
            body.give("onetwo")
            try await upstream.requestRead.wait()
            if mayStream { try await call.pieceReceived.wait() }
            last.fire()
            if mayStream { try await call.pieceReceived.wait(count: 2) }
            #expect(call.record.end == nil)
            body.give("")
            #expect(try await call.end().status == 200)
            #expect(body.closed == 1)
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test(
        "If the source of a whole body never ends, its response stands at the limit, or when the connection breaks",
        arguments: [true, false])
    func noEnd(breaks: Bool) async throws {
        let goOn = Signal()
        let response: [ScriptedUpstream.Step] = [.readHead, .send(EarlyResponseTests.created), .read(6)]
        let upstream = try ScriptedUpstream(
            response + (breaks ? [.wait(goOn), .reset] : [.readRequest, .send(CallTests.ok), .awaitEnd]))
        var limits = OutboundLimits.patient
        if !breaks { limits.pauseTimeout = .milliseconds(100) }
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let body = GatedBody(length: 6)
            let call = try await StreamedCall.begin(api, StreamedRequestTests.put(body))
            body.give("one")
            try await call.pieceReceived.wait()
            body.give("two")
            goOn.fire()
            #expect(try await call.end().status == 201)
            #expect(body.closed == 1)
            if breaks {
                #expect(try await harness.report().idle == 0)
            } else {
                #expect(try await api.get().text == "hi")
                #expect(upstream.connections == 1)
            }
        }
        upstream.stop()
    }

    // MARK: Expectations

    @Test("A body that expects a 100 is opened after the 100, and never after a final response")
    func expectations() async throws {
        let goOn = Signal()
        let length =
            "PUT / HTTP/1.1\r\nHost: 127.0.0.1:00000\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"
            .utf8.count
        let upstream = try ScriptedUpstream(
            [
                .read(length), .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"),
                .awaitEnd,
            ],
            [
                .read(length), .wait(goOn), .send("HTTP/1.1 100 Continue\r\n\r\n"), .read(11),
                .send(CallTests.ok), .awaitEnd,
            ])
        var limits = OutboundLimits.patient
        limits.continueTimeout = .seconds(20)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let unwanted = ScriptedBody(Self.pieces, length: 11, expectsContinue: true)
            #expect(try await api.call(Self.put(unwanted)).status == 413)
            #expect(unwanted.used == ScriptedBody.Used())
            let wanted = ScriptedBody(Self.pieces, length: 11, expectsContinue: true)
            let begun = api.begin(Self.put(wanted))
            try await upstream.accepted.wait(count: 2)
            try await harness.pass(.milliseconds(50))
            #expect(wanted.used == ScriptedBody.Used())
            goOn.fire()
            #expect(try await begun.end().text == "hi")
            #expect(upstream.requests.last == "onetwothree")
            #expect(upstream.requests.first?.contains("\r\nExpect: 100-continue\r\n") == true)
        }
        upstream.stop()
    }

    @Test("If the upstream sends no 100, the body follows after the continue timeout")
    func silentExpectation() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(CallTests.ok), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.continueTimeout = .milliseconds(50)
        try await ClientHarness.with(limits: limits) { harness in
            let body = ScriptedBody(Self.pieces, length: 11, expectsContinue: true)
            let result = try await harness.upstream(upstream).call(Self.put(body))
            #expect(result.text == "hi")
        }
        upstream.stop()
    }

    @Test("The read limit does not run after the 100 while the upstream is slow to read the body")
    func afterContinue() async throws {
        let goOn = Signal()
        let upstream = try ScriptedUpstream([
            .read(20), .send("HTTP/1.1 100 Continue\r\n\r\n"), .wait(goOn), .readRequest, .send(CallTests.ok),
            .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let request = Self.put(ScriptedBody(Self.blocks(256), length: 16 << 20, expectsContinue: true))
            let call = try await StreamedCall.begin(
                harness.upstream(upstream), request, settings: CallSettings(read: .milliseconds(60)),
                mayStream: false)
            try await harness.pass(.milliseconds(200))
            #expect(call.record.end == nil)
            goOn.fire()
            #expect(try await call.end().reason == nil)
        }
        upstream.stop()
    }
}
