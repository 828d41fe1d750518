import Crypto
import EventIO
import Foundation
import Resilience
import TestSupport
import Testing

@testable import SharedStore

@Suite("The script of limits")
struct LimitScriptTests {
    private static let limits = [
        StoreLimit.test("a", 10, per: .seconds(10)), StoreLimit.test("b", 2, per: .seconds(10)),
    ]

    @Test(
        "A reply that the script cannot give is not a decision",
        arguments: [
            .null, .status("OK"), .integer(1), .bytes([1]), .array([]), .array([.integer(1), .integer(0)]),
            .array([.integer(1), .integer(0), .integer(0), .integer(0)]),
            .array([.integer(2), .integer(0), .integer(0)]),
            .array([.integer(-1), .integer(0), .integer(0)]),
            .array([.integer(1), .integer(-1), .integer(0)]), .array([.integer(1), .null, .integer(0)]),
            .array([.integer(1), .integer(0), .integer(10_000_000_001)]),
            .array([.bytes([0x31]), .integer(0), .integer(0)]),
            .array([.integer(1), .integer(0), .bytes([0x30])]),
            // It refuses the request, but no limit does.
            .array([.integer(0), .integer(0), .integer(0)]),
        ] as [StoreReply])
    func notADecision(_ reply: StoreReply) {
        #expect(LimitScript.decisions(reply, for: Self.limits) == nil)
    }

    @Test("A decision says for each limit whether it would allow the request, and how much is left")
    func decisions() throws {
        let allowed = try #require(
            LimitScript.decisions(
                .array([.integer(1), .integer(1_000_000_000), .integer(10_000_000_000)]), for: Self.limits))
        #expect(allowed.map(\.isAllowed) == [true, true])
        #expect(allowed.map(\.remaining) == [9, 0])
        let refused = try #require(
            LimitScript.decisions(
                .array([.integer(0), .integer(1_000_000_000), .integer(7_000_000_000)]), for: Self.limits))
        #expect(refused.map(\.isAllowed) == [true, false])
        #expect(refused.map(\.remaining) == [9, 0])
        #expect(refused.map(\.retryNanoseconds) == [0, 2_000_000_000])
    }

    @Test("Only 40 hexadecimal digits are the name of a script")
    func names() {
        let name = Array("0123456789abcdef0123456789abcdef01234567".utf8)
        #expect(LimitScript.name(in: .bytes(name)) == name)
        for reply in [.status("OK"), .null, .bytes(Array(name.dropLast())), .bytes(name.dropLast() + [0x20])]
            as [StoreReply]
        {
            #expect(LimitScript.name(in: reply) == nil)
        }
    }

    @Test("A command names the keys first, then step and capacity of each limit")
    func command() {
        let words = LimitScript.run(Array("name".utf8), for: Self.limits, prefix: "p:")
            .texts
        let digest = SHA256Digest(of: "ada").hexadecimal.prefix(32)
        #expect(
            words == [
                "EVALSHA", "name", "2", "p:a:\(digest)", "p:b:\(digest)", "1000000000", "10000000000",
                "5000000000",
                "10000000000",
            ])
        #expect(LimitScript.run(nil, for: Self.limits, prefix: "").texts[0] == "EVAL")
    }
}

@Suite(
    "The script and the arithmetic of local limits", .timeLimit(.minutes(1)),
    .enabled(if: RedisServer.isInstalled, "\(RedisServer.isMissing)"))
struct LimitScriptAgreementTests {
    /// The script with a clock that the last argument sets, and with keys that do not expire by the server's
    /// own clock.
    private static let source = LimitScript.source
        .replacing("redis.call('TIME')", with: "{math.floor(ARGV[#ARGV] / 1000000), ARGV[#ARGV] % 1000000}")
        .replacing(/,\s*'PX', math\.ceil\(backlog \/ 1000000\)/, with: "")

    private static func run(
        _ limits: [StoreLimit], at microseconds: Int64, in server: RedisServer
    ) throws -> [LimitDecision] {
        var words = LimitScript.run(nil, for: limits, prefix: "").texts
        words[1] = source
        words.append("\(microseconds)")
        let reply = try server.command(words) + "\r\n"
        var decisions: [LimitDecision]?
        try Array(reply.utf8).withUnsafeBytes { bytes in
            try ReplyReader().read(bytes) {
                decisions = LimitScript.decisions($0, for: limits)
                return true
            }
        }
        return try #require(decisions, "\(reply)")
    }

    /// Microseconds since 1970, in this century and beyond.
    private static let start: Int64 = 1_764_432_000_123_456

    struct Case: Sendable, CustomTestStringConvertible {
        let count: Int
        let period: Duration
        var burst: Int?
        /// Microseconds between requests.
        let gaps: [Int64]
        var testDescription: String { "\(count) in \(period), burst \(burst ?? count), gaps \(gaps)" }
    }

    @Test(
        "decide the same for each request of a table",
        arguments: [
            Case(count: 1, period: .seconds(1), gaps: [0, 0, 999_999, 1, 0, 1_000_000, 5_000_000, 0]),
            Case(
                count: 3, period: .seconds(1), gaps: [0, 0, 0, 0, 333_332, 1, 1, 0, 333_333, 333_334, 0, 0]),
            Case(
                count: 7, period: .seconds(60), burst: 2,
                gaps: [0, 0, 0, 8_571_428, 0, 1, 0, 8_571_429, 0, 0]),
            Case(
                count: 1000, period: .seconds(60), burst: 3,
                gaps: [0, 1, 1, 1, 59_996, 1, 1, 60_000, 60_000, 0]),
            Case(count: 1_000_000, period: .seconds(1), burst: 2, gaps: [0, 0, 0, 1, 1, 0, 0, 2, 0, 0]),
            Case(count: 1, period: .milliseconds(1), gaps: [0, 999, 1, 0, 1001, 0]),
            Case(count: 1, period: .seconds(31 * 86_400), gaps: [0, 1, 2_678_399_999_999, 0, 1]),
            Case(
                count: 1000, period: .seconds(31 * 86_400), burst: 2000, gaps: Array(repeating: 7, count: 20)),
            Case(count: 10, period: .seconds(1), gaps: [0, 1_000_000_000_000_000, 0, 0]),
        ])
    func table(_ test: Case) throws {
        let server = try RedisServer()
        let limit = StoreLimit.test(test.count, per: test.period, burst: test.burst)
        #expect(limit.policy.faults.isEmpty)
        var now = Self.start
        // The local clock counts nanoseconds from another start.
        var local = GCRA(at: 0)
        for (index, gap) in test.gaps.enumerated() {
            now += gap
            let nanoseconds = (now - Self.start) * 1000
            guard nanoseconds < GCRA.latest else { continue }
            let expected = local.take(limit.policy, at: nanoseconds)
            #expect(try Self.run([limit], at: now, in: server) == [expected], "request \(index)")
        }
    }

    @Test("decide the same for random requests of several limits")
    func random() throws {
        let server = try RedisServer()
        var random = SystemRandomNumberGenerator()
        for round in 0..<10 {
            let limits = (0..<3).map { index in
                StoreLimit.test(
                    "limit\(round)\(index)", .random(in: 1...20, using: &random),
                    per: .milliseconds(Int.random(in: 1...5000, using: &random)), burst: .random(in: 1...8))
            }
            var now = Self.start
            var local = limits.map { _ in GCRA(at: 0) }
            for _ in 0..<40 {
                now += Int64.random(in: 0...500_000, using: &random)
                let nanoseconds = (now - Self.start) * 1000
                let trials = zip(local, limits).map { gcra, limit in
                    var gcra = gcra
                    return gcra.take(limit.policy, at: nanoseconds)
                }
                let decisions = try Self.run(limits, at: now, in: server)
                #expect(decisions.map(\.isAllowed) == trials.map(\.isAllowed))
                if trials.allSatisfy(\.isAllowed) {
                    #expect(decisions == trials)
                    for index in local.indices {
                        _ = local[index].take(limits[index].policy, at: nanoseconds)
                    }
                } else {
                    // What is refused is told as locally. What another limit refused has used up nothing.
                    for (decision, trial) in zip(decisions, trials) where !trial.isAllowed {
                        #expect(decision == trial)
                    }
                }
            }
        }
    }

    @Test("A clock that was set back by an hour refuses nobody for longer than the limit itself")
    func clockSetBack() throws {
        let server = try RedisServer()
        let limit = StoreLimit.test(2, per: .seconds(10))
        let hour: Int64 = 3_600_000_000
        for _ in 0..<3 { _ = try Self.run([limit], at: Self.start + hour, in: server) }
        #expect(try Self.run([limit], at: Self.start, in: server)[0].isAllowed == false)
        #expect(try Self.run([limit], at: Self.start + 4_999_999, in: server)[0].isAllowed == false)
        #expect(try Self.run([limit], at: Self.start + 5_000_000, in: server)[0].isAllowed)
    }

    @Test("A gateway with a smaller limit gives callers of a larger one nothing back")
    func rollingChange() throws {
        let server = try RedisServer()
        let (large, small) = (
            StoreLimit.test(100, per: .seconds(3600)), StoreLimit.test(2, per: .seconds(10))
        )
        for _ in 0..<100 { _ = try Self.run([large], at: Self.start, in: server) }
        let later = Self.start + 5_000_000
        let decision = try Self.run([small], at: later, in: server)[0]
        #expect(decision.isAllowed)
        #expect((decision.remaining, decision.resetNanoseconds) == (0, 10_000_000_000))
        #expect(try Self.run([small], at: later, in: server)[0].isAllowed == false)
        // 3600 s less the 5 s that have passed, and a step of 5 s.
        let refused = try Self.run([large], at: later, in: server)[0]
        #expect(refused.isAllowed == false)
        #expect(refused.resetNanoseconds == 3_600_000_000_000)
        #expect(try Self.run([large], at: later + 35_999_999, in: server)[0].isAllowed == false)
        #expect(try Self.run([large], at: later + 36_000_000, in: server)[0].isAllowed)
    }

    @Test("A key of a larger limit counts as full for a smaller one, and no more")
    func smallerLimit() throws {
        let server = try RedisServer()
        for _ in 0..<100 { _ = try Self.run([.test(100, per: .seconds(3600))], at: Self.start, in: server) }
        let small = StoreLimit.test(2, per: .seconds(10))
        #expect(try Self.run([small], at: Self.start, in: server)[0].retryNanoseconds == 5_000_000_000)
        #expect(try Self.run([small], at: Self.start + 5_000_000, in: server)[0].isAllowed)
    }
}
