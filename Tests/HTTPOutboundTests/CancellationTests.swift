import EventIO
import HTTPModel
import Locking
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Disposing a call", .timeLimit(.minutes(1)))
struct CancellationTests {
    static let ok = CallTests.ok

    /// What has arrived when a call is disposed, and the rest of its response.
    static let halves: [(String, String)] = [
        ("", ok),
        ("HTTP/1.1 200 OK\r\nContent-", "Length: 2\r\n\r\nno"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", "67890"),
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
            "5\r\nno gz\r\n2\r\nip\r\n0\r\n\r\n"
        ),
        ("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 500 Failed\r\nContent-Length: 0\r\n\r\n"),
    ]

    @Test(
        "The response of a disposed call is read to its end and dropped, and its connection serves the next call",
        arguments: Wire.allCases, halves.indices)
    func drained(wire: Wire, index: Int) async throws {
        let (sent, rest) = (Signal(), Signal())
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [
                .readRequest, .send(Self.halves[index].0), .fire(sent), .wait(rest),
                .send(Self.halves[index].1), .readRequest, .send(Self.ok), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let begun = api.begin(OutboundRequest(target: "/1"))
            try await sent.wait()
            try await harness.loop.perform { begun.dispose() }
            rest.fire()
            try await harness.until { $0.idle == 1 && $0.leased == 0 }
            #expect(!begun.hasEnded)
            #expect(try await api.get("/2").text == "hi")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    static func limits(drainTime: Duration = .milliseconds(50), drainedBytes: Int = 1000) -> OutboundLimits {
        var limits = OutboundLimits.patient
        limits.drainTime = drainTime
        limits.drainedBytes = drainedBytes
        return limits
    }

    @Test(
        "If the response of a disposed call has not ended in time, its connection is closed",
        arguments: halves.indices)
    func late(index: Int) async throws {
        let sent = Signal()
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.halves[index].0), .fire(sent), .awaitEnd],
            [.readRequest, .send(Self.ok), .again])
        let reasons = DiscardReasons()
        try await ClientHarness.with(limits: Self.limits(), discarded: reasons) { harness in
            let api = try await harness.upstream(upstream)
            let begun = api.begin(OutboundRequest(target: "/1"))
            try await sent.wait()
            begun.dispose()
            try await upstream.clientEnded.wait()
            #expect(reasons.all == [.callCancelled])
            #expect(!begun.hasEnded)
            #expect(try await api.get("/2").text == "hi")
        }
        upstream.stop()
    }

    @Test(
        "If the rest of the response is larger than the limit, the connection is closed",
        arguments: [(1000, 1), (1001, 2)])
    func large(size: Int, connections: Int) async throws {
        let sent = Signal()
        let rest = Signal()
        let upstream = try ScriptedUpstream(
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .fire(sent),
                .wait(rest), .send(String(repeating: "x", count: size)), .readRequest, .send(Self.ok),
                .awaitEnd,
            ], [.readRequest, .send(Self.ok), .awaitEnd])
        try await ClientHarness.with(limits: Self.limits(drainTime: .seconds(20))) { harness in
            let api = try await harness.upstream(upstream)
            let begun = api.begin(OutboundRequest(target: "/1"))
            try await sent.wait()
            try await harness.loop.perform { begun.dispose() }
            rest.fire()
            try await harness.until { $0.leased == 0 }
            #expect(try await api.get("/2").text == "hi")
            #expect(upstream.connections == connections)
        }
        upstream.stop()
    }

    @Test("A disposed call whose method is not idempotent is not cut: its response is awaited")
    func notCut() async throws {
        let (read, rest) = (Signal(), Signal())
        let upstream = try ScriptedUpstream(
            [
                .readRequest, .fire(read), .wait(rest), .send(Self.ok), .readRequest, .send(Self.ok),
                .awaitEnd,
            ],
            [.readRequest, .fire(read), .awaitEnd])
        try await ClientHarness.with(limits: Self.limits()) { harness in
            let api = try await harness.upstream(upstream)
            let post = api.begin(OutboundRequest(method: .post, target: "/1", body: "x"))
            try await read.wait()
            let get = api.begin(OutboundRequest(target: "/2"))
            try await read.wait(count: 2)
            post.dispose()
            get.dispose()
            // Both were disposed at the same time: once the connection of the other is closed, the time is
            // over.
            try await upstream.clientEnded.wait()
            #expect(try await harness.report().leased == 1)
            rest.fire()
            try await harness.until { $0.idle == 1 && $0.leased == 0 }
            #expect(try await api.get("/3").text == "hi")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A disposed call whose method is not idempotent is cut by its own deadline")
    func notCutForEver() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        var limits = Self.limits(drainTime: .seconds(20))
        limits.firstByteTimeout = .milliseconds(50)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let post = api.begin(OutboundRequest(method: .post, target: "/1", body: "x"))
            try await upstream.requestRead.wait()
            post.dispose()
            try await upstream.clientEnded.wait()
        }
        upstream.stop()
    }

    @Test(
        "A call that finds no free connection takes the place of a disposed one, unless that must not be cut")
    func givesWay() async throws {
        let (read, rest) = (Signal(), Signal())
        let upstream = try ScriptedUpstream(
            [.readRequest, .fire(read), .awaitEnd],
            [.readRequest, .fire(read), .wait(rest), .send(Self.ok), .again])
        var limits = Self.limits(drainTime: .seconds(20))
        limits.connectionsPerUpstream = 1
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let get = api.begin(OutboundRequest(target: "/1"))
            try await read.wait()
            get.dispose()
            try await harness.until { $0.leased == 1 }
            let post = api.begin(OutboundRequest(method: .post, target: "/2", body: "x"))
            try await read.wait(count: 2)
            try await upstream.clientEnded.wait()
            post.dispose()
            let last = api.begin(OutboundRequest(target: "/3"))
            try await harness.until { $0.waiting == 1 }
            rest.fire()
            rest.fire()
            #expect(try await last.end().text == "hi")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A call that is disposed while it connects leaves its connection to the next one")
    func opened() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            try await harness.loop.perform {
                api.send(OutboundRequest(target: "/1")).subscribe().dispose()
            }
            try await harness.until { $0.idle == 1 }
            #expect(try await api.get("/2").text == "hi")
            #expect(upstream.connections == 1)
            #expect(upstream.requests.count == 1)
        }
        upstream.stop()
    }

    @Test("If the connection of a disposed call is not open in time, its socket is closed and its slot freed")
    func connecting() async throws {
        let (port, descriptors) = try ScriptedUpstream.blackHole()
        try await ClientHarness.with(limits: Self.limits()) { harness in
            let api = try await harness.upstream(port: port)
            let begun = api.begin(OutboundRequest(target: "/"))
            try await harness.until { $0.leased == 1 }
            begun.dispose()
            try await harness.until { $0.leased == 0 }
            #expect(!begun.hasEnded)
        }
        ScriptedUpstream.close(descriptors)
    }

    @Test("Disposing a waiting call removes it from the queue, and later calls are served")
    func waiting() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.ok), .again])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            let calls = (0..<3).map { api.begin(OutboundRequest(target: "/\($0)")) }
            try await harness.until { $0.waiting == 2 }
            calls[1].dispose()
            try await harness.until { $0.waiting == 1 }
            go.fire()
            go.fire()
            #expect(try await calls[0].end().text == "hi")
            #expect(try await calls[2].end().text == "hi")
            #expect(!calls[1].hasEnded)
            #expect(upstream.requests.count == 2)
        }
        upstream.stop()
    }

    @Test("Disposing a call gives its slot to the first waiting call")
    func handsOver() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .awaitEnd], [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            let first = api.begin(OutboundRequest(target: "/1"))
            try await upstream.requestRead.wait()
            let second = api.begin(OutboundRequest(target: "/2"))
            try await harness.until { $0.waiting == 1 }
            first.dispose()
            #expect(try await second.end().text == "hi")
        }
        upstream.stop()
    }

    @Test("Disposing a call after its complete response keeps the connection open")
    func afterTheEnd() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let begun = api.begin(OutboundRequest(target: "/"))
            #expect(try await begun.end().text == "hi")
            begun.dispose()
            begun.dispose()
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("Each subscription sends the request once, and disposing one does not affect the other")
    func cold() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .awaitEnd], [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let single = api.send(OutboundRequest(target: "/"))
            #expect(upstream.connections == 0)
            // The subscription is made off the loop.
            let first = single.subscribe()
            try await upstream.requestRead.wait()
            let status = Lock<HTTPStatus?>(nil)
            let ended = Signal()
            let second = single.subscribe(onSuccess: { response in
                status.withLock { $0 = response.head.status }
                ended.fire()
            })
            try await ended.wait()
            #expect(status.withLock { $0 } == .ok)
            second.dispose()
            first.dispose()
            try await upstream.clientEnded.wait()
            #expect(upstream.requests.count == 2)
        }
        upstream.stop()
    }

    @Test("A call disposed before the loop starts it sends nothing")
    func beforeStart() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let held = Signal()
            let busy = Signal()
            harness.loop.execute {
                busy.fire()
                try? held.waitBlocking()
            }
            try await busy.wait()
            api.send(OutboundRequest(target: "/never")).subscribe().dispose()
            held.fire()
            #expect(try await api.get("/once").text == "hi")
            #expect(upstream.requests.count == 1)
        }
        upstream.stop()
    }

    @Test("Disposing a call while its response is delivered has no effect, and another call may start there")
    func reentrant() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let done = Signal()
            let texts = Lock<[String]>([])
            let subscription = SerialDisposable()
            @Sendable func next(_ number: Int) {
                subscription.disposable = api.send(OutboundRequest(method: .post, target: "/\(number)"))
                    .subscribe(
                        onSuccess: { response in
                            texts.withLock { $0.append(String(decoding: response.body, as: UTF8.self)) }
                            subscription.disposable.dispose()
                            if number < 99 { next(number + 1) } else { done.fire() }
                        })
            }
            harness.loop.execute { next(0) }
            try await done.wait()
            subscription.dispose()
            #expect(texts.withLock { $0 } == Array(repeating: "hi", count: 100))
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("A call may be disposed by another call's failure while the client closes both")
    func joined() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let failed = Signal()
            let subscription = SerialDisposable()
            harness.loop.execute {
                subscription.disposable = Observable.combineLatest(
                    api.send(OutboundRequest(target: "/1")).asObservable(),
                    api.send(OutboundRequest(target: "/2")).asObservable()
                ) { first, _ in first }.subscribe(onError: { _ in failed.fire() })
            }
            try await upstream.requestRead.wait(count: 2)
            let left = try await harness.loop.perform { [client = harness.client] in
                client.close()
                return client.report
            }
            try await failed.wait()
            #expect(left.leased == 0)
            subscription.dispose()
        }
        upstream.stop()
    }

    @Test("Disposing a thousand calls at random moments on several threads leaves nothing behind")
    func storm() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 8)) { harness in
            let api = try await harness.upstream(upstream)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for number in 0..<250 {
                            let call = api.begin(OutboundRequest(target: "/\(number)"))
                            for _ in 0..<Int.random(in: 0..<30) { await Task.yield() }
                            call.dispose()
                        }
                    }
                }
            }
            try await harness.until { $0.leased == 0 && $0.waiting == 0 }
            let result = try await api.get()
            #expect(result.text == "hi", "\(result)")
        }
        upstream.stop()
    }
}
