import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

/// Responses that arrive before the upstream has the whole request. The call ends when both directions have
/// ended.
@Suite("Responses before the end of an upload", .timeLimit(.minutes(1)))
struct EarlyResponseTests {
    enum Body: String, CaseIterable, CustomTestStringConvertible {
        case memory, length, chunks

        /// More than all buffers between the two hold.
        static let size = 16 << 20

        var testDescription: String { rawValue }

        /// Bytes on the wire.
        var wireSize: Int { self == .chunks ? Self.size + Self.size / 65_536 * 9 + 5 : Self.size }

        func request(_ method: HTTPMethod = .put, expectsContinue: Bool = false) -> OutboundRequest {
            switch self {
            case .memory:
                let bytes = [UInt8](repeating: 0x61, count: Self.size)
                return OutboundRequest(method: method, target: Array("/".utf8)[...], body: .bytes(bytes[...]))
            case .length, .chunks:
                let source = ScriptedBody(
                    StreamedRequestTests.blocks(Self.size / 65_536),
                    length: self == .length ? Int64(Self.size) : nil, canRestart: true,
                    expectsContinue: expectsContinue)
                return StreamedRequestTests.put(source, method: method)
            }
        }
    }

    static let created = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"
    static let closing = "HTTP/1.1 201 Created\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
    static let untilClose = "HTTP/1.1 201 Created\r\n\r\nok"

    // MARK: The rest cannot be sent

    @Test(
        "If the connection breaks after a 201, the call fails with the status and is not repeated",
        arguments: Body.allCases, Wire.allCases)
    func broken(body: Body, wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readHead, .send(Self.created), .read(1 << 20), .reset],
            [.readRequest, .send(CallTests.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let failure = try await harness.upstream(upstream).call(body.request()).failure
            #expect(failure?.reason == .connectionTerminated)
            #expect(failure?.earlyStatus == .created)
            #expect(upstream.connections == 1)
            #expect(try await harness.report().idle == 0)
        }
        upstream.stop()
    }

    @Test(
        "If the upstream stops reading after a 201, the call fails at the write limit",
        arguments: Body.allCases, Wire.allCases)
    func standstill(body: Body, wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readHead, .send(Self.created), .wait(Signal())])
        var limits = OutboundLimits.patient
        limits.writeTimeout = .milliseconds(300)
        try await ClientHarness.with(limits: limits) { harness in
            let failure = try await harness.upstream(upstream).call(body.request()).failure
            #expect(failure?.reason == .connectionWriteTimeout, "\(String(describing: failure))")
            #expect(failure?.earlyStatus == .created)
        }
        upstream.stop()
    }

    @Test("A body source that stalls or fails after a 201 fails the call", arguments: [true, false])
    func source(fails: Bool) async throws {
        let upstream = try ScriptedUpstream([.readHead, .send(Self.created), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.pauseTimeout = .milliseconds(80)
        try await ClientHarness.with(limits: limits) { harness in
            let source = ScriptedBody(
                StreamedRequestTests.blocks(512), length: 64 << 20, end: fails ? .fail : .never)
            let failure = try await harness.upstream(upstream).call(StreamedRequestTests.put(source)).failure
            #expect(failure?.reason == (fails ? .requestError : .connectionWriteTimeout))
            #expect(failure?.earlyStatus == .created)
            #expect(source.used.closed == 1)
        }
        upstream.stop()
    }

    @Test("The time of the call also ends an upload that was answered early", arguments: Body.allCases)
    func outOfTime(body: Body) async throws {
        let upstream = try ScriptedUpstream([.readHead, .send(Self.created), .wait(Signal())])
        try await ClientHarness.with { harness in
            let failure = try await harness.upstream(upstream).call(
                body.request(), settings: CallSettings(total: .milliseconds(400))
            ).failure
            #expect(failure?.reason == .responseTimeout)
            #expect(failure?.earlyStatus == .created)
        }
        upstream.stop()
    }

    @Test("If the connection breaks within an early response, the call fails and is not repeated")
    func brokenResponse() async throws {
        let half = String(Self.created.dropLast())
        let upstream = try ScriptedUpstream(
            [.readHead, .send(half), .read(1 << 20), .reset],
            [.readRequest, .send(CallTests.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let failure = try await harness.upstream(upstream).call(Body.length.request()).failure
            #expect(failure?.reason == .responseIncomplete)
            #expect(failure?.earlyStatus == .created)
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    // MARK: The upstream refuses the rest

    @Test(
        "A 3xx, 4xx or 5xx ends the upload, and the response says so", arguments: [303, 413, 503],
        Body.allCases)
    func refused(status: Int, body: Body) async throws {
        let upstream = try ScriptedUpstream([
            .readHead, .read(100_000), .send("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno"),
            .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            guard case .success(let response) = try await api.call(body.request()) else {
                Issue.record("the call failed")
                return
            }
            #expect(response.head.status.code == status)
            #expect(response.requestWasCut)
            #expect(try await harness.report().idle == 0)
        }
        upstream.stop()
    }

    @Test(
        "A 413 to a whole upload says that nothing was cut, and the connection stays",
        arguments: Body.allCases)
    func refusedAsAWhole(body: Body) async throws {
        let upstream = try ScriptedUpstream([
            .readHead, .read(body.wireSize), .send("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno"),
            .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            guard case .success(let response) = try await api.call(body.request()) else {
                Issue.record("the call failed")
                return
            }
            #expect(response.head.status.code == 413)
            #expect(!response.requestWasCut)
            #expect(try await harness.report().idle == 1)
        }
        upstream.stop()
    }

    // MARK: Both directions end

    @Test(
        "A 201 before the body does not end the upload, and the connection serves the next call",
        arguments: Body.allCases, Wire.allCases)
    func whole(body: Body, wire: Wire) async throws {
        let done = Signal()
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [
                .readHead, .send(Self.created), .read(body.wireSize), .fire(done), .readRequest,
                .send(CallTests.ok), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let result = try await api.call(body.request())
            #expect(result.status == 201)
            #expect(result.text == "ok")
            try await done.wait()
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test(
        "An upstream that ends its side after its response gets the rest of the upload",
        arguments: Body.allCases, Wire.allCases)
    func halfClosed(body: Body, wire: Wire) async throws {
        for response in [Self.created, Self.closing, Self.untilClose] {
            let done = Signal()
            let upstream = try ScriptedUpstream(
                tls: wire.server,
                [.readHead, .send(response), .finish, .read(body.wireSize), .fire(done), .awaitEnd])
            try await ClientHarness.with { harness in
                let result = try await harness.upstream(upstream).call(body.request(.post))
                #expect(result.text == "ok", "\(result)")
                try await done.wait()
                #expect(try await harness.report().idle == 0)
            }
            upstream.stop()
        }
    }

    @Test(
        "A response may begin before the upload and end after it, or the other way round",
        arguments: Body.allCases, [true, false])
    func overlapping(body: Body, endsFirst: Bool) async throws {
        let (head, rest) = ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbe", "gan")
        let half = body.wireSize / 2
        let steps: [ScriptedUpstream.Step] =
            endsFirst
            ? [.readHead, .send(head), .read(half), .send("gu"), .read(body.wireSize - half)]
            : [.readHead, .send(head), .read(body.wireSize), .send(String(rest.prefix(2)))]
        let upstream = try ScriptedUpstream(steps + [.readRequest, .send(CallTests.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let call = try await StreamedCall.begin(api, body.request())
            #expect(try await call.end().status == 200)
            #expect(String(decoding: call.record.bytes, as: UTF8.self) == (endsFirst ? "begu" : "bega"))
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test(
        "The read limit does not run while the upstream reads the rest of an upload", arguments: Body.allCases
    )
    func slowReader(body: Body) async throws {
        let goOn = Signal()
        let upstream = try ScriptedUpstream([
            .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"), .wait(goOn),
            .read(body.wireSize), .send("k"), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let call = try await StreamedCall.begin(
                harness.upstream(upstream), body.request(), settings: CallSettings(read: .milliseconds(60)))
            try await harness.pass(.milliseconds(200))
            #expect(call.record.end == nil)
            goOn.fire()
            // The upstream answers as soon as it has read the rest.
            _ = try await call.end()
            #expect(call.record.bytes.first == 0x6f)
        }
        upstream.stop()
    }

    @Test("Bytes behind an early response end the connection once the upload is whole")
    func stray() async throws {
        let done = Signal()
        let upstream = try ScriptedUpstream(
            [
                .readHead, .send(Self.created), .read(Body.size / 2), .send("stray"), .read(Body.size / 2),
                .fire(done), .awaitEnd,
            ], [.readRequest, .send(CallTests.ok), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.call(Body.length.request()).text == "ok")
            try await done.wait()
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A 201 in place of the 100 does not keep the body back", arguments: [Body.length, .chunks])
    func insteadOfContinue(body: Body) async throws {
        let done = Signal()
        let upstream = try ScriptedUpstream([
            .readHead, .send(Self.created), .read(body.wireSize), .fire(done), .awaitEnd,
        ])
        var limits = OutboundLimits.patient
        limits.continueTimeout = .seconds(20)
        try await ClientHarness.with(limits: limits) { harness in
            let result = try await harness.upstream(upstream).call(body.request(expectsContinue: true))
            #expect(result.status == 201)
            try await done.wait()
        }
        upstream.stop()
    }

    @Test("A disposed POST whose response came early is still sent to its end")
    func disposed() async throws {
        let (answered, goOn, done) = (Signal(), Signal(), Signal())
        let upstream = try ScriptedUpstream([
            .readHead, .send(Self.created), .fire(answered), .wait(goOn), .read(Body.size), .fire(done),
            .awaitEnd,
        ])
        var limits = OutboundLimits.patient
        limits.drainTime = .milliseconds(50)
        try await ClientHarness.with(limits: limits) { harness in
            let post = try await harness.upstream(upstream).begin(Body.memory.request(.post))
            try await answered.wait()
            // Two turns of the loop, in the first of which the response is read.
            for _ in 0..<2 { try await harness.loop.perform {} }
            post.dispose()
            try await harness.pass(.milliseconds(150))
            goOn.fire()
            try await done.wait()
            try await harness.until { $0.leased == 0 }
        }
        upstream.stop()
    }
}
