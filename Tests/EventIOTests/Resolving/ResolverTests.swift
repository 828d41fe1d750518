import Dispatch
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Name resolution", .timeLimit(.minutes(1)))
struct ResolverTests {
    private typealias Answer = Result<[SocketAddress], SocketError>

    /// A lookup that the test answers, and a clock that it moves.
    private final class Fake: Sendable {
        struct State {
            var answers: [String: Result<[SocketAddress], SocketError>] = [:]
            var lookups: [String] = []
            var time = MonotonicTime(nanoseconds: 1_000_000_000_000)
        }

        let state = Lock(State())
        /// The lookup of each of these names blocks.
        let gate = Lock<[String: Signal]>([:])

        func answer(_ host: String, _ answer: Result<[SocketAddress], SocketError>) {
            state.withLock { $0.answers[host] = answer }
        }

        func silence(_ host: String) {
            gate.withLock { $0[host] = Signal() }
        }

        func speak(_ host: String) {
            gate.withLock { $0.removeValue(forKey: host) }?.fire()
        }

        func advance(_ amount: TimeAmount) { state.withLock { $0.time = $0.time + amount } }

        var lookups: [String] { state.withLock { $0.lookups } }

        func resolver(_ change: (inout Resolver.Limits) -> Void = { _ in }) -> Resolver {
            var limits = Resolver.Limits()
            change(&limits)
            return Resolver(
                limits: limits,
                lookup: { [self] host in
                    state.withLock { $0.lookups.append(host) }
                    if let silence = gate.withLock({ $0[host] }) {
                        do { try silence.waitBlocking() } catch { Issue.record(error) }
                        // For other lookups of the same name.
                        silence.fire()
                    }
                    return state.withLock { $0.answers[host] }
                        ?? .failure(SocketError(.nameNotFound, .resolve, subject: host))
                }, clock: { [self] in state.withLock { $0.time } })
        }
    }

    private static func resolve(
        _ host: String, _ resolver: Resolver, _ loop: EventLoop, timeout: TimeAmount = patience
    ) async throws -> Answer {
        try await withDeadline("no answer for \(host)") { continuation in
            loop.execute {
                resolver.resolve(host, port: 80, on: loop, deadline: loop.now + timeout) {
                    loop.preconditionCurrent()
                    if case .complete(let answer) = $0 { continuation.resume(returning: answer) }
                }
            }
        }
    }

    private static let one = SocketAddress.loopback(port: 1)

    @Test("The failure of an unknown name is cached for one second")
    func unknownName() async throws {
        let fake = Fake()
        let resolver = fake.resolver()
        try await withLoop { loop in
            for _ in 0..<3 {
                let answer = try await Self.resolve("nowhere.test", resolver, loop)
                #expect(answer == .failure(SocketError(.nameNotFound, .resolve, subject: "nowhere.test")))
            }
            #expect(fake.lookups.count == 1)
            fake.advance(.milliseconds(1_001))
            fake.answer("nowhere.test", .success([Self.one]))
            #expect(
                try await Self.resolve("nowhere.test", resolver, loop) == .success([Self.one.with(port: 80)]))
            #expect(fake.lookups.count == 2)
        }
    }

    private final class Waiting {
        weak var request: ResolveRequest?
    }

    @Test("Requests that time out or are cancelled are released while their lookup goes on")
    func leaving() async throws {
        let fake = Fake()
        fake.silence("slow")
        let resolver = fake.resolver()
        try await withLoop { loop in
            let waiting = try await loop.perform { LoopBound(Waiting(), loop: loop) }
            let answer: Answer = try await withDeadline("no answer for slow") { continuation in
                loop.execute {
                    waiting.value.request = resolver.resolve(
                        "slow", port: 80, on: loop, deadline: loop.now + .milliseconds(1)
                    ) { if case .complete(let answer) = $0 { continuation.resume(returning: answer) } }
                }
            }
            #expect(answer == .failure(SocketError(.nameTimedOut, .resolve, subject: "slow")))
            #expect(try await loop.perform { waiting.value.request == nil })
            try await loop.perform {
                waiting.value.request = resolver.resolve(
                    "slow", port: 80, on: loop, deadline: .distantFuture
                ) { _ in }
                waiting.value.request?.cancel()
            }
            #expect(try await loop.perform { waiting.value.request == nil })
            fake.speak("slow")
        }
    }

    @Test("A silent lookup fails at the caller's deadline and does not delay other names")
    func silentResolver() async throws {
        let fake = Fake()
        let resolver = fake.resolver()
        fake.answer("silent.test", .success([Self.one]))
        fake.answer("quick.test", .success([Self.one]))
        fake.silence("silent.test")
        try await withLoop { loop in
            let answer = try await Self.resolve("silent.test", resolver, loop, timeout: .milliseconds(50))
            #expect(answer == .failure(SocketError(.nameTimedOut, .resolve, subject: "silent.test")))
            #expect(
                try await Self.resolve("quick.test", resolver, loop) == .success([Self.one.with(port: 80)]))
            // The lookup goes on, and its answer reaches the next caller.
            async let second = Self.resolve("silent.test", resolver, loop)
            fake.speak("silent.test")
            #expect(try await second == .success([Self.one.with(port: 80)]))
            #expect(fake.lookups.count { $0 == "silent.test" } == 1)
            #expect(await timerCount(of: loop) == 0)
        }
    }

    @Test("Requests from several loops for one name share a lookup")
    func coalescing() async throws {
        let fake = Fake()
        let resolver = fake.resolver()
        fake.answer("shared.test", .success([Self.one]))
        fake.silence("shared.test")
        let group = try EventLoopGroup(count: 2)
        let answers = Inbox<Answer>()
        for loop in group.loops {
            try await loop.perform {
                for _ in 0..<10 {
                    resolver.resolve("shared.test", port: 80, on: loop, deadline: .distantFuture) {
                        loop.preconditionCurrent()
                        if case .complete(let answer) = $0 { answers.put(answer) }
                    }
                }
            }
        }
        // All twenty are waiting now.
        fake.speak("shared.test")
        for answer in try await answers.next(20) {
            #expect(answer == .success([Self.one.with(port: 80)]))
        }
        #expect(fake.lookups == ["shared.test"])
        await shutDown(group)
    }

    @Test("An answer is fresh for 30 s, and is then returned at once while a new lookup runs")
    func staleAnswers() async throws {
        let fake = Fake()
        let resolver = fake.resolver()
        fake.answer("api.test", .success([Self.one]))
        try await withLoop { loop in
            _ = try await Self.resolve("api.test", resolver, loop)
            fake.advance(.seconds(29))
            _ = try await Self.resolve("api.test", resolver, loop)
            #expect(fake.lookups.count == 1)
            fake.advance(.seconds(2))
            fake.silence("api.test")
            let stale = try await Self.resolve("api.test", resolver, loop, timeout: .milliseconds(1))
            #expect(
                stale == .success([Self.one.with(port: 80)]), "a silent resolver must not delay a known name")
            // Five minutes later the old answer is unusable, and the resolver is still silent.
            fake.advance(.seconds(400))
            let tooOld = try await Self.resolve("api.test", resolver, loop, timeout: .milliseconds(20))
            #expect(tooOld == .failure(SocketError(.nameTimedOut, .resolve, subject: "api.test")))
            fake.speak("api.test")
            #expect(try await Self.resolve("api.test", resolver, loop) == .success([Self.one.with(port: 80)]))
            #expect(fake.lookups.count == 2)
        }
    }

    @Test("Names beyond the limit of waiting names fail at once")
    func waitingIsBounded() async throws {
        let fake = Fake()
        let resolver = fake.resolver {
            $0.threads = 1
            $0.waitingNames = 1
        }
        for name in ["a.test", "b.test"] {
            fake.answer(name, .success([Self.one]))
            fake.silence(name)
        }
        try await withLoop { loop in
            let answers = Inbox<(String, Answer)>()
            try await loop.perform {
                // One runs, one waits, and one is too many.
                for name in ["a.test", "b.test", "c.test"] {
                    resolver.resolve(name, port: 80, on: loop, deadline: .distantFuture) {
                        if case .complete(let answer) = $0 { answers.put((name, answer)) }
                    }
                }
            }
            let refused = try await answers.next()
            #expect(refused.0 == "c.test")
            #expect(refused.1 == .failure(SocketError(.nameFailed, .resolve, subject: "c.test")))
            fake.speak("a.test")
            fake.speak("b.test")
            #expect(try await answers.next().0 == "a.test")
            #expect(try await answers.next().0 == "b.test")
        }
    }

    @Test("A cancelled request is never completed")
    func cancel() async throws {
        let fake = Fake()
        let resolver = fake.resolver()
        fake.answer("late.test", .success([Self.one]))
        fake.silence("late.test")
        try await withLoop { loop in
            try await loop.perform {
                let request = resolver.resolve(
                    "late.test", port: 80, on: loop, deadline: loop.now + patience
                ) { _ in Issue.record("a cancelled request was completed") }
                request.cancel()
                #expect(loop.timerCount == 0)
            }
            fake.speak("late.test")
            #expect(
                try await Self.resolve("late.test", resolver, loop) == .success([Self.one.with(port: 80)]))
        }
    }

    @Test("Numeric addresses are not looked up", arguments: ["127.0.0.1", "::1", "[::1]"])
    func numeric(host: String) async throws {
        let fake = Fake()
        let resolver = fake.resolver()
        try await withLoop { loop in
            let expected = try #require(SocketAddress(host: host, port: 80))
            #expect(try await Self.resolve(host, resolver, loop) == .success([expected]))
            #expect(fake.lookups.isEmpty)
        }
    }

    @Test("The system's resolver finds localhost")
    func systemLookup() async throws {
        let resolver = try Resolver(.system)
        try await withLoop { loop in
            let found = try await Self.resolve("localhost", resolver, loop).get()
            #expect(!found.isEmpty)
            #expect(found.allSatisfy { $0.isLoopback && $0.port == 80 })
        }
    }

    @Test("Connecting by name tries every address, and an unknown name fails the stream")
    func connectByName() async throws {
        let fake = Fake()
        let resolver = fake.resolver()
        try await withLoop { loop in
            let (listening, open) = RawSocket.listening()
            let port = try #require(open.port)
            // 127.0.0.2 is loopback too, and has no listener.
            let closed = try #require(SocketAddress(host: "127.0.0.2", port: port))
            fake.answer("two.test", .success([closed, open]))
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    toHost: "two.test", port: port, resolver: resolver, loop: loop, timeout: patience,
                    handler: $0)
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.on { $0.remoteAddress } == open)
            try await driven.on { $0.close() }
            let lost = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    toHost: "nowhere.test", port: port, resolver: resolver, loop: loop, timeout: patience,
                    handler: $0)
            }
            let expected = SocketError(.nameNotFound, .resolve, subject: "nowhere.test")
            #expect(try await lost.next() == .failed(expected))
            listening.close()
        }
    }
}
