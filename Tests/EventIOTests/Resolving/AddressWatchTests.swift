import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Watching the addresses of a name", .timeLimit(.minutes(1)))
struct AddressWatchTests {
    /// A lookup that the test answers, the clock that it moves, and the sets that a watch reported.
    private final class Fake: Sendable {
        struct State {
            var answer: Result<[SocketAddress], SocketError> = .success([])
            var lookups = 0
            var time = MonotonicTime(nanoseconds: 1_000_000_000_000)
            var reports: [[String]] = []
        }

        let state = Lock(State())
        let reported = Signal()

        func answer(_ hosts: String...) {
            state.withLock { $0.answer = .success(hosts.compactMap { SocketAddress(host: $0, port: 0) }) }
        }

        func fail(_ kind: SocketError.Kind) {
            state.withLock { $0.answer = .failure(SocketError(kind, .resolve)) }
        }

        var lookups: Int { state.withLock { $0.lookups } }
        var reports: [[String]] { state.withLock { $0.reports } }

        func makeResolver() -> Resolver {
            Resolver(
                lookup: { [self] _ in
                    state.withLock {
                        $0.lookups += 1
                        return $0.answer
                    }
                }, clock: { [self] in state.withLock { $0.time } })
        }

        /// Lets the time to live end, and waits for the lookup.
        func expire(_ resolver: Resolver, after amount: TimeAmount = .seconds(30)) throws {
            // The lookup before it has ended.
            try spin(while: resolver.core.change { cache, _ in cache.nextRefresh } == nil) {
                "no refresh is planned after \(lookups) lookups"
            }
            let before = lookups
            state.withLock { $0.time = $0.time + amount }
            resolver.core.wakeThread()
            try spin(while: lookups == before) { "still \(before) lookups" }
        }

        func watch(_ resolver: Resolver, _ host: String = "api.test", on loop: EventLoop) async throws
            -> AddressWatch
        {
            try await loop.perform { [self] in
                resolver.watch(host, port: 80, on: loop) { [self] addresses in
                    loop.preconditionCurrent()
                    state.withLock { $0.reports.append(addresses.map(\.description)) }
                    reported.fire()
                }
            }
        }
    }

    @Test("A name that cannot be resolved has no addresses until a later lookup finds some")
    func failure() async throws {
        let fake = Fake()
        fake.fail(.nameFailed)
        let resolver = fake.makeResolver()
        try await withLoop { loop in
            let watch = try await fake.watch(resolver, on: loop)
            try await fake.reported.wait()
            #expect(fake.reports == [[]])
            fake.answer("10.0.0.1")
            try fake.expire(resolver, after: .seconds(1))
            try await fake.reported.wait(count: 2)
            #expect(fake.reports == [[], ["10.0.0.1:80"]])
            watch.cancel()
        }
    }

    @Test(
        "The addresses are reported at once and whenever their set changes, but not when only their order does"
    )
    func changes() async throws {
        let fake = Fake()
        fake.answer("10.0.0.1", "10.0.0.2")
        let resolver = fake.makeResolver()
        try await withLoop { loop in
            let watch = try await fake.watch(resolver, on: loop)
            try await fake.reported.wait()
            fake.answer("10.0.0.2", "10.0.0.1")
            try fake.expire(resolver)
            fake.answer("10.0.0.2", "10.0.0.3")
            try fake.expire(resolver)
            try await fake.reported.wait(count: 2)
            // While lookups fail, nothing changes. A name that no longer exists has no addresses.
            fake.fail(.nameFailed)
            try fake.expire(resolver)
            fake.fail(.nameNotFound)
            try fake.expire(resolver, after: .seconds(1))
            try await fake.reported.wait(count: 3)
            #expect(fake.reports == [["10.0.0.1:80", "10.0.0.2:80"], ["10.0.0.2:80", "10.0.0.3:80"], []])
            // A second watch learns what is known without a lookup.
            let lookups = fake.lookups
            let second = try await fake.watch(resolver, on: loop)
            try await fake.reported.wait(count: 4)
            #expect(fake.reports.last == [] && fake.lookups == lookups)
            watch.cancel()
            second.cancel()
        }
    }

    @Test(
        "Nothing is reported after a watch was cancelled on its loop, and the name is not refreshed any more")
    func cancel() async throws {
        let fake = Fake()
        fake.answer("10.0.0.1")
        let resolver = fake.makeResolver()
        try await withLoop { loop in
            try await loop.perform {
                resolver.watch("api.test", port: 80, on: loop) { _ in
                    Issue.record("a cancelled watch reported addresses")
                }.cancel()
            }
            // A released watch is cancelled.
            _ = try await fake.watch(resolver, on: loop)
            try spin(while: fake.lookups == 0 || resolver.core.hasThread) {
                "\(fake.lookups) lookups, and \(resolver.core.hasThread ? "a" : "no") thread"
            }
            #expect(resolver.core.change { cache, _ in cache.nextRefresh } == nil)
        }
    }

    @Test("A numeric address is reported once, without a lookup")
    func numeric() async throws {
        let fake = Fake()
        let resolver = fake.makeResolver()
        try await withLoop { loop in
            let watch = try await fake.watch(resolver, "::1", on: loop)
            try await fake.reported.wait()
            #expect(fake.reports == [["[::1]:80"]] && fake.lookups == 0)
            watch.cancel()
        }
    }

    @Test("The end of its loop ends a watch")
    func endOfTheLoop() async throws {
        let fake = Fake()
        fake.answer("10.0.0.1")
        let resolver = fake.makeResolver()
        let watch = try await withLoop { loop in
            let watch = try await fake.watch(resolver, on: loop)
            try await fake.reported.wait()
            return watch
        }
        try fake.expire(resolver)
        let lookups = fake.lookups
        try spin(while: resolver.core.change { cache, _ in cache.nextRefresh } != nil) {
            "a refresh is planned after \(fake.lookups) lookups"
        }
        fake.state.withLock { $0.time = $0.time + .seconds(60) }
        resolver.core.wakeThread()
        try spin(while: resolver.core.hasThread) { "the thread is alive after \(fake.lookups) lookups" }
        #expect(fake.lookups == lookups)
        watch.cancel()
    }
}
