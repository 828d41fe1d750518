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

    static let half: [[ScriptedUpstream.Step]] = [
        [],
        [.send("HTTP/1.1 200 OK\r\nContent-")],
        [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")],
    ]

    @Test(
        "Disposing a call closes the connection at once, at any point of the response",
        arguments: half.indices)
    func closes(index: Int) async throws {
        let sent = Signal()
        let upstream = try ScriptedUpstream(
            [.readRequest] + Self.half[index] + [.fire(sent), .awaitEnd],
            [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let begun = api.begin(OutboundRequest(target: "/1"))
            try await sent.wait()
            let left = try await harness.loop.perform { [client = harness.client] in
                begun.dispose()
                return client.report
            }
            #expect(left.leased == 0 && left.idle == 0)
            try await upstream.clientEnded.wait()
            #expect(!begun.hasEnded)
            #expect(try await api.get("/2").text == "hi")
        }
        upstream.stop()
    }

    @Test("Disposing a call while it connects closes the socket and frees the slot")
    func connecting() async throws {
        let (port, descriptors) = try ScriptedUpstream.blackHole()
        try await ClientHarness.with { harness in
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
