import TestSupport
import Testing

@testable import EventIO

/// The decisions of the cache, without lookups and in virtual time.
@Suite("The cache of names")
final class NameCacheTests {
    private static let ages = NameCache.Ages(
        minTTL: .seconds(1), maxTTL: .seconds(300), withoutTTL: .seconds(30), negative: .seconds(1),
        stale: .seconds(300))
    private static let one = SocketAddress.loopback(port: 1)
    private static let two = SocketAddress.loopback(port: 2)

    private let loop: EventLoop
    private var cache = NameCache(NameCacheTests.ages, limit: 16)

    init() throws { loop = try EventLoop() }

    private func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64((seconds * 1000).rounded()) * 1_000_000)
    }

    /// Asks for the name.
    private func ask(_ host: String = "api.test", at seconds: Double) -> NameCache.Step {
        let request = ResolveRequest(host, port: 80, on: loop) { _ in }
        return cache.requested(host, by: request, now: time(seconds))
    }

    @discardableResult
    private func find(
        _ addresses: [SocketAddress] = [NameCacheTests.one], _ host: String = "api.test",
        timeToLive: Int64? = 10,
        at seconds: Double
    ) -> NameCache.Step {
        let found = FoundAddresses(addresses: addresses, timeToLive: timeToLive.map { .seconds($0) })
        return cache.found(.success(found), for: host, now: time(seconds))
    }

    @discardableResult
    private func fail(_ kind: SocketError.Kind, at seconds: Double) -> NameCache.Step {
        let error = SocketError(kind, .resolve, subject: "api.test")
        return cache.found(.failure(error), for: "api.test", now: time(seconds))
    }

    @Test(
        "While lookups fail, the old addresses are used until they are stale",
        arguments: [SocketError.Kind.nameFailed, .nameTimedOut])
    func failures(kind: SocketError.Kind) {
        _ = ask(at: 0)
        find(at: 0)
        #expect(ask(at: 11).looksUp)
        fail(kind, at: 11)
        // A second later it is looked up again.
        #expect(!ask(at: 11.9).looksUp)
        let again = ask(at: 12.1)
        #expect(again.looksUp && again.answer == .success([Self.one]))
        fail(kind, at: 309.5)
        #expect(ask(at: 309.9).answer == .success([Self.one]))
        let late = ask(at: 310.1)
        #expect(late.looksUp && late.answer == nil)
        #expect(fail(kind, at: 311).waiting.count == 1)
        #expect(ask(at: 311.5).answer == .failure(SocketError(kind, .resolve, subject: "api.test")))
    }

    @Test("An answer that the name does not exist ends the use of its addresses at once")
    func removedName() {
        _ = ask(at: 0)
        find(at: 0)
        #expect(ask(at: 11).answer == .success([Self.one]))
        fail(.nameNotFound, at: 11)
        let gone = SocketError(.nameNotFound, .resolve, subject: "api.test")
        #expect(ask(at: 11.5).answer == .failure(gone))
        #expect(ask(at: 12.1).answer == nil)
    }

    @Test(
        "A time to live is kept between the two bounds, and is 30 s if unknown",
        arguments: [(0, 1), (1, 1), (10, 10), (300, 300), (86_400, 300), (nil, 30)] as [(Int64?, Double)])
    func timeToLive(told: Int64?, fresh: Double) {
        _ = ask(at: 0)
        find(timeToLive: told, at: 0)
        #expect(!ask(at: fresh - 0.1).looksUp)
        let expired = ask(at: fresh)
        #expect(expired.looksUp && expired.answer == .success([Self.one]))
    }

    @Test("A name in use is looked up again when its time to live ends, and one that nobody asked for is not")
    func refresh() {
        _ = ask("idle.test", at: 0)
        find([Self.two], "idle.test", at: 0)
        _ = ask(at: 0)
        find(at: 0)
        #expect(cache.nextRefresh == nil)
        #expect(ask(at: 5).refreshesChanged)
        #expect(!ask(at: 6).refreshesChanged)
        #expect(cache.nextRefresh == time(10))
        #expect(cache.takeRefreshes(now: time(9.9)).isEmpty)
        #expect(cache.takeRefreshes(now: time(10)) == ["api.test"])
        #expect(cache.takeRefreshes(now: time(10)).isEmpty)
        // Requests during the lookup neither wait nor look it up.
        let meanwhile = ask(at: 10.1)
        #expect(meanwhile.answer == .success([Self.one]) && !meanwhile.looksUp)
        #expect(find([Self.two], at: 10.2).refreshesChanged)
        #expect(ask(at: 10.3).answer == .success([Self.two]))
        #expect(cache.takeRefreshes(now: time(20.2)) == ["api.test"])
        find([Self.two], at: 20.3)
        #expect(cache.nextRefresh == nil)
    }

    @Test("A name that does not exist is not looked up again before it is asked for")
    func noRefreshOfFailures() {
        _ = ask(at: 0)
        fail(.nameNotFound, at: 0)
        #expect(!ask(at: 0.5).refreshesChanged)
        #expect(cache.nextRefresh == nil)
    }

    @Test("A watched name is looked up again when its time to live ends, and a second after a failure")
    func watchedName() async throws {
        let watcher = try await withLoop { loop in
            try await loop.perform { AddressWatcher("api.test", port: 80, on: loop) { _ in } }
        }
        let first = cache.watched("api.test", by: watcher, now: time(0))
        #expect(first.looksUp && first.watchers.isEmpty && cache.addresses(of: "api.test") == nil)
        #expect(fail(.nameFailed, at: 0).watchers.count == 1)
        #expect(cache.addresses(of: "api.test") == [])
        #expect(cache.takeRefreshes(now: time(0.9)).isEmpty)
        #expect(cache.takeRefreshes(now: time(1)) == ["api.test"])
        find(at: 1)
        #expect(cache.addresses(of: "api.test") == [Self.one])
        #expect(cache.takeRefreshes(now: time(11)) == ["api.test"])
        // Failures keep the addresses until they are stale.
        fail(.nameTimedOut, at: 20)
        #expect(cache.addresses(of: "api.test") == [Self.one])
        #expect(cache.takeRefreshes(now: time(21)) == ["api.test"])
        fail(.nameTimedOut, at: 311.1)
        #expect(cache.addresses(of: "api.test") == [])
        cache.unwatched("api.test", by: watcher)
        #expect(cache.nextRefresh == nil)
    }

    @Test("The addresses of one family are told to all who wait, and older addresses of both stay in use")
    func oneFamily() {
        _ = ask(at: 0)
        let step = cache.foundPart([Self.one], for: "api.test", now: time(0.1))
        #expect(step.partial == [Self.one] && step.waiting.count == 1)
        #expect(cache.addresses(of: "api.test") == [Self.one])
        let second = ask(at: 0.2)
        #expect(second.partial == [Self.one] && second.answer == nil && !second.looksUp)
        #expect(find([Self.one, Self.two], at: 0.3).waiting.count == 2)
        #expect(ask(at: 11).looksUp)
        #expect(cache.foundPart([Self.two], for: "api.test", now: time(11.1)).partial == nil)
        #expect(ask(at: 11.2).answer == .success([Self.one, Self.two]))
        #expect(cache.addresses(of: "api.test") == [Self.one, Self.two])
    }

    @Test("The number of cached names is bounded, and names that are looked up stay")
    func room() {
        _ = ask("busy.test", at: 0)
        for number in 0..<64 {
            _ = ask("\(number).test", at: 0)
            find([Self.one], "\(number).test", at: Double(number) / 100)
        }
        let kept = (0..<64).filter { cache.addresses(of: "\($0).test") != nil }
        #expect(kept.count <= 16 && kept.contains(63) && !kept.contains(0))
        #expect(find([Self.two], "busy.test", at: 1).waiting.count == 1)
    }

    @Test("Names are removed once their answers are too old, except those that are looked up or watched")
    func expired() async throws {
        let watcher = try await withLoop { loop in
            try await loop.perform { AddressWatcher("watched.test", port: 80, on: loop) { _ in } }
        }
        _ = ask("found.test", at: 0)
        find([Self.one], "found.test", at: 0)
        for host in ["one.test", "other.test"] {
            _ = ask(host, at: 0)
            _ = cache.found(
                .failure(SocketError(.nameNotFound, .resolve, subject: host)), for: host, now: time(0))
        }
        _ = cache.watched("watched.test", by: watcher, now: time(0))
        _ = ask("silent.test", at: 0)
        cache.removeExpired(now: time(0.9))
        #expect(cache.count == 5)
        cache.removeExpired(now: time(1))
        #expect(cache.count == 3 && cache.addresses(of: "one.test") == nil)
        // Fresh for 10 s, and usable for 300 s more.
        cache.removeExpired(now: time(309))
        #expect(cache.addresses(of: "found.test") == [Self.one])
        cache.removeExpired(now: time(310))
        #expect(cache.count == 2)
        #expect(find([Self.two], "silent.test", at: 311).waiting.count == 1)
        #expect(find([Self.two], "watched.test", at: 311).watchers.count == 1)
    }
}
