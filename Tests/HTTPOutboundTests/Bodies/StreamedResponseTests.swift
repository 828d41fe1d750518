import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Streamed responses", .timeLimit(.minutes(1)))
struct StreamedResponseTests {
    static func head(_ length: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" }

    @Test("A streamed body may exceed the limit for gathered bodies")
    func large() async throws {
        var limits = OutboundLimits.patient
        limits.responseBody = 10
        let body = String(repeating: "x", count: 300_000)
        for isChunked in [true, false] {
            let response =
                isChunked
                ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n493e0\r\n\(body)\r\n0\r\n\r\n"
                : Self.head(300_000) + body
            let upstream = try ScriptedUpstream([.readRequest, .send(response), .awaitEnd])
            try await ClientHarness.with(limits: limits) { harness in
                let api = try await harness.upstream(upstream)
                let call = try await StreamedCall.begin(api)
                #expect(try await call.end().text == "")
                #expect(call.record.bytes.count == 300_000)
                #expect(call.record.pieces.allSatisfy { $0 <= 65_536 })
            }
            upstream.stop()
        }
    }

    @Test("A body that ends early or stalls fails the call after the pieces that arrived")
    func cut() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.head(10) + "12345"), .close],
            [.readRequest, .send(Self.head(10) + "12345"), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let cut = try await StreamedCall.begin(api)
            #expect(try await cut.end().reason == "http_response_incomplete")
            #expect(cut.record.bytes == Array("12345".utf8))
            let silent = try await StreamedCall.begin(api, settings: CallSettings(read: .milliseconds(50)))
            #expect(try await silent.end().reason == "connection_read_timeout")
        }
        upstream.stop()
    }

    @Test("A piece is delivered before the rest is sent, and the connection is reused afterwards")
    func asTheyCome() async throws {
        let goOn = Signal()
        let upstream = try ScriptedUpstream([
            .readRequest, .send(Self.head(11) + "first"), .wait(goOn), .send("second"), .again,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<2 {
                let call = try await StreamedCall.begin(api)
                try await call.pieceReceived.wait()
                #expect(call.record.bytes == Array("first".utf8))
                #expect(call.record.head?.status == .ok)
                goOn.fire()
                #expect(try await call.end().text == "")
                #expect(call.record.bytes == Array("firstsecond".utf8))
            }
            goOn.fire()
            #expect(try await api.get().text == "firstsecond")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test(
        "A paused call stops reading from the upstream, and gets the rest of the body once it resumes"
    )
    func paused() async throws {
        let count = 8 << 20
        let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var body: [UInt8] = []
        for _ in 0..<count / 65_536 { body += block }
        let sent = Signal()
        let upstream = try ScriptedUpstream([
            .readRequest, .send(Self.head(count)), .sendBytes(body), .fire(sent), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let call = try await StreamedCall.begin(
                api,
                onPiece: { call in
                    if call.record.pieces.count == 1 { call.pauseBody() }
                })
            try await call.pieceReceived.wait()
            try await harness.pass(.milliseconds(100))
            #expect(call.record.pieces.count == 1)
            #expect(sent.count == 0)
            let unread = try await harness.loop.perform {
                guard case .onConnection(let connection) = call.state else { return -1 }
                return connection.unread?.bytes.count ?? 0
            }
            // One read and the head are the most that can have arrived.
            #expect((0...131_072).contains(unread))
            call.resumeSoon()
            #expect(try await call.end().text == "")
            #expect(call.record.bytes == body)
        }
        upstream.stop()
    }

    @Test("A call that pauses after each piece of a compressed body gets all bytes in order")
    func pausedWhileDecoding() async throws {
        let plain = (0..<60_000).map { "line \($0) of the text\n" }.joined()
        let response = CodingTests.response(Deflated.gzip(Array(plain.utf8)), coding: "gzip")
        let upstream = try ScriptedUpstream([.readRequest, .sendBytes(response), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let call = try await StreamedCall.begin(
                api,
                onPiece: { call in
                    call.pauseBody()
                    call.resumeSoon()
                })
            #expect(try await call.end().status == 200)
            #expect(call.record.bytes == Array(plain.utf8))
            #expect(call.record.pieces.count > 20 && call.record.pieces.allSatisfy { $0 <= 65_536 })
            #expect(try await api.get().text == plain)
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("During a pause the read limit does not run, and the response does not end")
    func silenceWhilePaused() async throws {
        let goOn = Signal()
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.head(11) + "first"), .wait(goOn), .send("second"), .close],
            [.readRequest, .send(Self.head(4) + "full"), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for whole in ["firstsecond", "full"] {
                let call = try await StreamedCall.begin(
                    api, settings: CallSettings(read: .milliseconds(60)),
                    onPiece: { call in
                        guard call.record.pieces.count == 1 else { return }
                        call.pauseBody()
                        call.resume(after: .milliseconds(150))
                        goOn.fire()
                    })
                #expect(try await call.end().text == "")
                #expect(call.record.bytes == Array(whole.utf8))
            }
        }
        upstream.stop()
    }

    @Test("A paused response stays paused when its request body ends")
    func pausedWhileSending() async throws {
        let upstream = try ScriptedUpstream([.read(65_536), .send(Self.head(4) + "full"), .awaitEnd])
        try await ClientHarness.with { harness in
            let body = ScriptedBody(StreamedRequestTests.blocks(256), length: 256 << 16)
            let call = try await StreamedCall.begin(
                harness.upstream(upstream), StreamedRequestTests.put(body),
                settings: CallSettings(read: .milliseconds(60)),
                onPiece: { call in
                    call.pauseBody()
                    call.resume(after: .milliseconds(300))
                })
            #expect(try await call.end().text == "")
            #expect(call.record.sent.last == 256 << 16)
        }
        upstream.stop()
    }

    @Test("A pause beyond the limit fails the call")
    func pausedForEver() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.head(4) + "full"), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.pauseTimeout = .milliseconds(50)
        try await ClientHarness.with(limits: limits) { harness in
            let call = try await StreamedCall.begin(harness.upstream(upstream), onPiece: { $0.pauseBody() })
            let failure = try await call.end().failure
            #expect(failure?.reason == .responseTimeout)
            #expect(failure?.detail == "the response was paused for 50 ms")
        }
        upstream.stop()
    }

    @Test("A call cancelled while it handles a piece gets nothing more, and its connection is closed")
    func cancelled() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.head(9) + "12345"), .awaitEnd])
        try await ClientHarness.with { harness in
            let call = try await StreamedCall.begin(harness.upstream(upstream), onPiece: { $0.cancel() })
            try await upstream.clientEnded.wait()
            #expect(call.record.pieces == [5] && call.record.end == nil)
            #expect(try await harness.report() == PoolReport(opened: 1))
        }
        upstream.stop()
    }

    @Test("When the head arrives, the call may replace the total limit or lift it")
    func total() async throws {
        let goOn = Signal()
        let upstream = try ScriptedUpstream([
            .readRequest, .send(Self.head(4) + "fu"), .wait(goOn), .send("ll"), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let short = try await StreamedCall.begin(
                api, settings: CallSettings(total: .seconds(20)),
                delivery: { _ in .streamed(total: .milliseconds(50)) })
            #expect(try await short.end().reason == "http_response_timeout")
            let long = try await StreamedCall.begin(
                api, settings: CallSettings(total: .milliseconds(400)))
            try await long.pieceReceived.wait()
            try await harness.pass(.milliseconds(450))
            goOn.fire()
            goOn.fire()
            #expect(try await long.end().text == "")
        }
        upstream.stop()
    }

    @Test("A call that gathers the body still learns its progress")
    func gathered() async throws {
        let body = String(repeating: "y", count: 100_000)
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 404 Not Found\r\nContent-Length: 100000\r\n\r\n" + body), .again,
        ])
        try await ClientHarness.with { harness in
            let call = try await StreamedCall.begin(harness.upstream(upstream)) { head in
                head.status.isSuccess ? .streamed() : .gathered
            }
            #expect(try await call.end().text == body)
            #expect(call.record.pieces == [])
            #expect(
                call.record.gathered.last == 100_000 && call.record.gathered == call.record.gathered.sorted())
        }
        upstream.stop()
    }
}
