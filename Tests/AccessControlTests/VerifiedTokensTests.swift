import Crypto
import Testing

@testable import AccessControl

@Suite("Verified tokens")
struct VerifiedTokensTests {
    private static let digests = (0..<200).map { SHA256Digest(of: "token \($0)") }

    @Test("An unknown token is not found")
    func unknown() {
        var tokens = VerifiedTokens<Int>()
        #expect(tokens.find(Self.digests[0], keys: 1, at: 0) == nil)
        tokens.insert(7, for: Self.digests[1], keys: 1, until: 100, at: 0)
        #expect(tokens.find(Self.digests[0], keys: 1, at: 0) == nil)
        #expect(tokens.find(Self.digests[1], keys: 1, at: 0) == 7)
    }

    @Test("A token is found until it expires, and at most for 5 minutes")
    func ends() {
        for (until, end) in [(1_100, 1_100), (1_300, 1_300), (1_301, 1_300), (Int64.max, 1_300)] {
            var tokens = VerifiedTokens<Int>()
            tokens.insert(7, for: Self.digests[0], keys: 1, until: Int64(until), at: 1_000)
            #expect(tokens.find(Self.digests[0], keys: 1, at: Int64(end) - 1) == 7)
            #expect(tokens.find(Self.digests[0], keys: 1, at: Int64(end)) == nil)
            #expect(tokens.count == 0)
        }
    }

    @Test("Finding a token does not make it last longer")
    func noExtension() {
        var tokens = VerifiedTokens<Int>()
        tokens.insert(7, for: Self.digests[0], keys: 1, until: .max, at: 0)
        for now in stride(from: Int64(0), to: 300, by: 10) {
            #expect(tokens.find(Self.digests[0], keys: 1, at: now) == 7)
        }
        #expect(tokens.find(Self.digests[0], keys: 1, at: 300) == nil)
    }

    @Test("A token that has expired is not kept, and what was known of it is forgotten")
    func expired() {
        var tokens = VerifiedTokens<Int>()
        tokens.insert(7, for: Self.digests[0], keys: 1, until: 50, at: 0)
        tokens.insert(8, for: Self.digests[0], keys: 1, until: 10, at: 10)
        #expect(tokens.find(Self.digests[0], keys: 1, at: 10) == nil)
        #expect(tokens.count == 0)
    }

    @Test("With other keys or rules a token is not found")
    func otherKeys() {
        var tokens = VerifiedTokens<Int>()
        tokens.insert(7, for: Self.digests[0], keys: 1, until: 100, at: 0)
        #expect(tokens.find(Self.digests[0], keys: 2, at: 0) == nil)
        tokens.insert(8, for: Self.digests[0], keys: 2, until: 100, at: 0)
        #expect(tokens.find(Self.digests[0], keys: 1, at: 0) == 7)
        #expect(tokens.find(Self.digests[0], keys: 2, at: 0) == 8)
    }

    @Test("If the clock is set back, tokens are verified again")
    func clockSetBack() {
        var tokens = VerifiedTokens<Int>()
        tokens.insert(7, for: Self.digests[0], keys: 1, until: .max, at: 1_000)
        #expect(tokens.find(Self.digests[0], keys: 1, at: 999) == nil)
    }

    @Test("The ends of the range of time stop nothing")
    func extremes() {
        var tokens = VerifiedTokens<Int>()
        tokens.insert(7, for: Self.digests[0], keys: .max, until: .max, at: .max - 1)
        #expect(tokens.find(Self.digests[0], keys: .max, at: .max - 1) == 7)
        tokens.insert(8, for: Self.digests[0], keys: .max, until: .min, at: .max)
        #expect(tokens.count == 0)
    }

    @Test("The least recently used token makes room")
    func eviction() {
        var tokens = VerifiedTokens<Int>(capacity: 3)
        for index in 0..<3 { tokens.insert(index, for: Self.digests[index], keys: 1, until: 100, at: 0) }
        #expect(tokens.find(Self.digests[0], keys: 1, at: 0) == 0)
        tokens.insert(3, for: Self.digests[3], keys: 1, until: 100, at: 0)
        #expect(tokens.find(Self.digests[1], keys: 1, at: 0) == nil)
        for index in [0, 2, 3] { #expect(tokens.find(Self.digests[index], keys: 1, at: 0) == index) }
    }

    @Test("A cache for one token keeps the last one")
    func one() {
        var tokens = VerifiedTokens<Int>(capacity: 1)
        for index in 0..<10 {
            tokens.insert(index, for: Self.digests[index], keys: 1, until: 100, at: 0)
            #expect(tokens.find(Self.digests[index], keys: 1, at: 0) == index)
            #expect(tokens.count == 1)
        }
    }

    @Test("A cache holds 4096 tokens, and a full one forgets one for each new one")
    func capacity() {
        var tokens = VerifiedTokens<Int>()
        for index in 0..<4097 {
            tokens.insert(index, for: SHA256Digest(of: "\(index)"), keys: 1, until: 100, at: 0)
        }
        #expect(tokens.count == 4096)
        #expect(tokens.find(SHA256Digest(of: "0"), keys: 1, at: 0) == nil)
        #expect(tokens.find(SHA256Digest(of: "1"), keys: 1, at: 0) == 1)
        tokens.removeAll()
        #expect(tokens.count == 0)
        #expect(tokens.find(SHA256Digest(of: "1"), keys: 1, at: 0) == nil)
        tokens.insert(5, for: SHA256Digest(of: "1"), keys: 1, until: 100, at: 0)
        #expect(tokens.find(SHA256Digest(of: "1"), keys: 1, at: 0) == 5)
    }

    private final class Witness {}

    @Test("A value is freed when its token is evicted, expires or is replaced")
    func release() {
        var tokens = VerifiedTokens<Witness>(capacity: 2)
        weak var first: Witness?
        func insert(_ index: Int, until: Int64 = 100) {
            let witness = Witness()
            first = witness
            tokens.insert(witness, for: Self.digests[index], keys: 1, until: until, at: 0)
        }
        insert(0)
        #expect(first != nil)
        tokens.insert(Witness(), for: Self.digests[0], keys: 1, until: 100, at: 0)
        #expect(first == nil)
        insert(1, until: 50)
        _ = tokens.find(Self.digests[1], keys: 1, at: 50)
        #expect(first == nil)
        insert(2)
        for index in 3..<5 { tokens.insert(Witness(), for: Self.digests[index], keys: 1, until: 9, at: 0) }
        #expect(first == nil)
    }

    /// The same cache, by looking through a list.
    private struct Model {
        struct Entry {
            let token: Int
            let keys: UInt64
            let value: Int
            let since: Int64
            let until: Int64
        }

        let capacity: Int
        /// The least recently used one comes first.
        var entries: [Entry] = []

        mutating func find(_ token: Int, _ keys: UInt64, _ now: Int64) -> Int? {
            guard let index = entries.firstIndex(where: { $0.token == token && $0.keys == keys }) else {
                return nil
            }
            let entry = entries.remove(at: index)
            guard entry.since <= now, now < entry.until else { return nil }
            entries.append(entry)
            return entry.value
        }

        mutating func insert(_ value: Int, _ token: Int, _ keys: UInt64, _ until: Int64, _ now: Int64) {
            entries.removeAll { $0.token == token && $0.keys == keys }
            guard until > now else { return }
            if entries.count == capacity { entries.removeFirst() }
            entries.append(
                Entry(token: token, keys: keys, value: value, since: now, until: min(until, now + 300)))
        }
    }

    @Test("100000 random operations have the results of a simple model", arguments: [1, 2, 7, 64])
    func model(_ capacity: Int) {
        var random = Xorshift(state: UInt64(capacity) &* 0x9e37_79b9_7f4a_7c15)
        var tokens = VerifiedTokens<Int>(capacity: capacity)
        var model = Model(capacity: capacity)
        var now: Int64 = 1_000_000
        var found = 0
        for step in 0..<100_000 {
            let token = Int(random.next() % UInt64(2 * capacity + 3))
            let keys = random.next() % 2
            switch random.next() % 16 {
            case 0..<6:
                let until = now + Int64(random.next() % 400) - 20
                tokens.insert(step, for: Self.digests[token], keys: keys, until: until, at: now)
                model.insert(step, token, keys, until, now)
            case 6..<14:
                let value = tokens.find(Self.digests[token], keys: keys, at: now)
                guard value == model.find(token, keys, now) else {
                    Issue.record("step \(step): another value")
                    return
                }
                found += value == nil ? 0 : 1
            case 14: now += Int64(random.next() % 20)
            default:
                // The clock is set back now and then, and everything is forgotten seldom.
                if random.next() % 64 == 0 { now -= Int64(random.next() % 50) }
                if random.next() % 1024 == 0 {
                    tokens.removeAll()
                    model.entries = []
                }
            }
            guard tokens.count == model.entries.count, tokens.count <= capacity else {
                Issue.record("step \(step): another number of tokens")
                return
            }
        }
        #expect(found > 1_000)
    }
}

/// Random numbers that are the same in each run.
struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_f491_4f6c_dd1d >> 8
    }
}
