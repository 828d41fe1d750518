import Testing

@testable import EventIO

@Suite("The answers for both families of a name")
struct FamilyAnswersTests {
    private typealias Answer = FamilyAnswers.Answer

    private static let start = MonotonicTime(nanoseconds: 5_000_000_000)
    private static func after(_ milliseconds: Int64) -> MonotonicTime { start + .milliseconds(milliseconds) }
    private static let never = MonotonicTime.distantFuture
    private static let four = SocketAddress.loopback(port: 80)

    private let six: SocketAddress
    private var answers = FamilyAnswers()

    init() throws { six = try #require(SocketAddress(host: "::1", port: 80)) }

    @Test("If neither family has an address, the failure of either outweighs the absence of the other")
    func failures() {
        for (ipv6, ipv4, expected) in [
            (.noData, .noData, .nowhere), (.notFound, .notFound, .nowhere), (.notFound, .noData, .nowhere),
            (.noData, .notFound, .nowhere), (.failure(.nameFailed), .notFound, .nowhere),
            (.notFound, .failure(.nameFailed), .failure(.nameFailed)),
            (.failure(.nameTimedOut), .noData, .failure(.nameTimedOut)),
            (.noData, .unusable([Self.four]), .unusable([Self.four])),
            (.failure(.nameFailed), .unusable([Self.four]), .failure(.nameFailed)),
        ] as [(Answer, Answer, FamilyAnswers.Failure)] {
            var answers = FamilyAnswers()
            answers.ipv6Answered(ipv6)
            answers.ipv4Answered(ipv4, now: Self.start)
            #expect(answers.state(now: Self.start) == .failed(expected), "\(ipv6), \(ipv4)")
        }
    }

    @Test("At the deadline, missing answers have timed out, and the addresses of one family are enough")
    mutating func deadline() {
        var silent = answers
        silent.deadlinePassed(now: Self.start)
        #expect(silent.state(now: Self.start) == .failed(.failure(.nameTimedOut)))
        answers.ipv6Answered(.found([six], freshUntil: Self.after(7)))
        answers.deadlinePassed(now: Self.start)
        #expect(answers.state(now: Self.start) == .found([six], freshUntil: Self.after(7)))
    }

    @Test("IPv4 addresses wait 50 ms for the IPv6 answer")
    mutating func resolutionDelay() {
        #expect(answers.state(now: Self.start) == .waiting(until: Self.never))
        answers.ipv4Answered(.found([Self.four], freshUntil: Self.after(9)), now: Self.after(10))
        #expect(answers.state(now: Self.after(59)) == .waiting(until: Self.after(60)))
        #expect(answers.state(now: Self.after(60)) == .partial([Self.four]))
        answers.ipv6Answered(.found([six], freshUntil: Self.after(7)))
        #expect(answers.state(now: Self.after(61)) == .found([six, Self.four], freshUntil: Self.after(7)))
    }

    @Test("IPv6 addresses do not wait, and IPv4 addresses do not wait for an IPv6 answer without addresses")
    mutating func noDelay() {
        var other = answers
        answers.ipv6Answered(.found([six], freshUntil: Self.after(7)))
        #expect(answers.state(now: Self.start) == .partial([six]))
        for empty in [Answer.noData, .notFound, .failure(.nameFailed)] {
            var answers = other
            answers.ipv6Answered(empty)
            #expect(answers.state(now: Self.start) == .waiting(until: Self.never))
            answers.ipv4Answered(.found([Self.four], freshUntil: Self.after(9)), now: Self.start)
            #expect(answers.state(now: Self.start) == .found([Self.four], freshUntil: Self.after(9)))
        }
        other.ipv4Answered(.noData, now: Self.start)
        #expect(other.state(now: Self.after(1000)) == .waiting(until: Self.never))
    }

    @Test("A name that does not exist for IPv4 does not exist 50 ms later, even without an IPv6 answer")
    mutating func deniedName() {
        answers.ipv4Answered(.notFound, now: Self.start)
        #expect(answers.state(now: Self.after(49)) == .waiting(until: Self.after(50)))
        #expect(answers.state(now: Self.after(50)) == .failed(.nowhere))
    }

    @Test("IPv4 comes first if IPv6 has no route or no fitting source, and before unique local addresses")
    func preference() throws {
        func six(_ host: String) throws -> SocketAddress { try #require(SocketAddress(host: host, port: 80)) }
        let (global, local) = try (six("2001:db8::1"), six("fd00::1"))
        func prefersIPv4(_ six: SocketAddress, from source: SocketAddress?, four: SocketAddress? = Self.four)
            -> Bool
        {
            AddressPreference.prefersIPv4(Self.four, four, six, source)
        }
        #expect(prefersIPv4(global, from: nil))
        #expect(!prefersIPv4(global, from: nil, four: nil))
        #expect(!prefersIPv4(local, from: local, four: nil))
        #expect(prefersIPv4(global, from: local))
        #expect(prefersIPv4(local, from: local))
        #expect(try prefersIPv4(six("2002:a00:1::1"), from: six("2002:a00:1::2")))
        #expect(!prefersIPv4(global, from: global))
        #expect(try !prefersIPv4(six("::1"), from: six("::1")))
    }
}
