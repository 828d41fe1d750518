import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("Blocking work of handlers", .noLeaks)
struct BlockingWorkTests {
    private struct Broken: Error {}

    @Test("The work's value or error is the handler's, and the work belongs to the request")
    func results() async throws {
        let held = HeldWork()
        let bench = Bench(blockingWork: { work in
            defer { held.run() }
            return held.submit(work)
        })
        bench.gateway.get("/value") { request in
            .json(try await request.blocking { CallContext.current?.requestID == request.requestID })
        }
        bench.gateway.get("/missing") { request in
            let text: String = try await request.blocking { throw GatewayError.notFound("no such report") }
            return .json(text)
        }
        bench.gateway.get("/broken") { request in
            let text: String = try await request.blocking { throw Broken() }
            return .json(text)
        }
        #expect(try await bench.eventualAnswer("/value")["/data"] == "true")
        #expect(try await bench.eventualAnswer("/missing").status == 404)
        #expect(try await bench.eventualAnswer("/broken").status == 500)
        #expect(bench.incidents.count == 1)
    }

    @Test("Work of a gateway belongs to nobody, also in a handler")
    func nobody() async throws {
        let held = HeldWork()
        let bench = Bench(blockingWork: { work in
            defer { held.run() }
            return held.submit(work)
        })
        bench.gateway.get("/own") { [weak gateway = bench.gateway] _ async throws -> Answer in
            let isNobodys = try await gateway?.blocking { CallContext.current == nil }
            return .json(isNobodys ?? false)
        }
        let total = bench.gateway.shared("total", for: .seconds(60)) {
            [weak gateway = bench.gateway] () async throws -> Int in
            try await gateway?.blocking { 7 } ?? 0
        }
        bench.gateway.get("/shared") { _ async throws -> Answer in .json(try await total.value) }
        #expect(try await bench.eventualAnswer("/own")["/data"] == "true")
        #expect(try await bench.eventualAnswer("/shared")["/data"] == "7")
        #expect(held.clients.withLock { $0 } == [nil, nil])
    }

    @Test("Where no other threads are, as in virtual time, the work runs at once")
    func virtual() async throws {
        let bench = Bench()
        bench.gateway.get("/page") { request in .json(try await request.blocking { 7 }) }
        #expect(try await bench.eventualAnswer("/page")["/data"] == "7")
    }

    @Test("If too much waits, the answer is 503")
    func full() async throws {
        let held = HeldWork()
        held.isFull.withLock { $0 = true }
        let bench = Bench(blockingWork: { held.submit($0) })
        bench.gateway.get("/page") { request in .json(try await request.blocking { 7 }) }
        let reply = try await bench.eventualAnswer("/page")
        #expect(reply.status == 503)
        #expect(reply["/code"] == #""OVERLOADED""#)
        #expect(bench.incidents.isEmpty)
    }

    @Test("Work that has not begun when its request ends is dropped")
    func dropped() throws {
        let (held, flag) = (HeldWork(), Flag())
        let bench = Bench(blockingWork: { held.submit($0) })
        weak var token: Token?
        do {
            let kept = Token()
            token = kept
            bench.gateway.get("/page") { [tokens = Tokens(kept)] request in
                let token = tokens.take()
                return .json(
                    try await request.blocking {
                        withExtendedLifetime(token) { flag.set() }
                        return 7
                    })
            }
        }
        let pending = try bench.ask(.get, "/page")
        try spin(while: held.count == 0) { "the handler has not begun its work" }
        pending.dispose()
        try spin(while: token != nil) { "the work has not been dropped" }
        held.run()
        #expect(!flag.isSet)
        #expect(bench.incidents.isEmpty)
    }

    /// Held by the work alone.
    private final class Token: Sendable {}

    private final class Tokens: Sendable {
        private let token: Lock<Token?>

        init(_ token: Token) { self.token = Lock(token) }

        func take() -> Token? { token.withLock { $0.take() } }
    }
}
