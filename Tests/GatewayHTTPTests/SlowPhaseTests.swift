import HTTPModel
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@_spi(Records) @testable import Networking

@Suite("What a slow request spent its time on")
struct SlowPhaseTests {
    private let server: HTTPURL

    init() throws { server = try HTTPURL("http://upstream") }

    /// Milliseconds in nanoseconds.
    private func ns(_ milliseconds: Int) -> Int64 { Int64(milliseconds) * 1_000_000 }

    /// A call from `start` to `end`, whose attempt reached its stages at these times.
    private func call(
        _ upstream: String, _ start: Int, _ end: Int, assigned: Int? = 0, sent: Int? = 0,
        firstByte: Int? = nil,
        tries: [UpstreamTrySummary] = []
    ) -> UpstreamCallSummary {
        UpstreamCallSummary(
            upstream: upstream, method: "GET", address: nil,
            connection: UpstreamConnectionSummary(
                stages: AttemptConnection(
                    isReused: false, assigned: assigned.map(ns), sent: sent.map(ns),
                    firstByte: firstByte.map(ns))),
            attempts: max(1, tries.count), status: 200, reason: nil, detail: nil,
            startNanoseconds: ns(start), elapsedNanoseconds: ns(end - start), tries: tries,
            server: server,
            target: [])
    }

    private func part(
        _ name: String?, _ start: Int, _ end: Int, _ calls: [UpstreamCallSummary]
    ) -> PartSummary {
        PartSummary(
            name: name, step: nil, kind: .success, failure: nil, startNanoseconds: ns(start),
            elapsedNanoseconds: ns(end - start), calls: calls)
    }

    private func text(
        _ parts: [PartSummary], _ calls: [UpstreamCallSummary] = [], answer: Int
    ) -> String {
        let slow = SlowPhase(parts, calls, answer: .milliseconds(answer))
        let names = [slow.part, slow.upstream].compactMap(\.self)
        return (names + [slow.phase.rawValue, "\(slow.time / .milliseconds(1))"]).joined(separator: " ")
    }

    @Test("Without a call, and where the calls took less than the rest, it is the gateway")
    func gateway() {
        #expect(text([], answer: 9) == "gateway 9.0")
        let short = part("a", 10, 20, [call("x", 10, 20, firstByte: 9)])
        #expect(text([short], answer: 100) == "gateway 90.0")
    }

    @Test(
        "The largest phase of the attempt is named: pool, connect, first byte or body",
        arguments: [
            (60, 70, 80, "a x pool 60.0"), (5, 65, 80, "a x connect 60.0"),
            (5, 6, 90, "a x first_byte 84.0"), (0, 1, 2, "a x body 98.0"),
        ])
    func phases(assigned: Int, sent: Int, firstByte: Int, expected: String) {
        let slow = part(
            "a", 0, 100, [call("x", 0, 100, assigned: assigned, sent: sent, firstByte: firstByte)])
        #expect(text([slow], answer: 101) == expected)
    }

    @Test("An attempt that reached no further stage spent the rest in the stage that it was in")
    func unfinished() {
        let waiting = part("a", 0, 100, [call("x", 0, 100, assigned: nil, sent: nil)])
        #expect(text([waiting], answer: 100) == "a x pool 100.0")
        let connecting = part("a", 0, 100, [call("x", 0, 100, assigned: 10, sent: nil)])
        #expect(text([connecting], answer: 100) == "a x connect 90.0")
    }

    @Test("The waits between the attempts of a call count together")
    func backoff() {
        let tries = [(0, 10), (50, 60), (95, 100)].map { start, end in
            UpstreamTrySummary(
                startNanoseconds: ns(start), elapsedNanoseconds: ns(end - start), address: nil,
                connection: nil, status: 503, reason: .upstreamStatus, detail: nil)
        }
        let retried = part("a", 0, 100, [call("x", 0, 100, tries: tries)])
        #expect(text([retried], answer: 100) == "a x backoff 75.0")
    }

    @Test("Parts that ended earlier and that nobody waited for say nothing; those before the last part do")
    func way() {
        let aside = part("aside", 0, 90, [call("slow", 0, 90, firstByte: 89)])
        let first = part("first", 0, 40, [call("x", 0, 40, firstByte: 39)])
        let last = part("last", 40, 100, [call("y", 40, 100, firstByte: 59)])
        #expect(text([aside, first, last], answer: 100) == "last y first_byte 59.0")
        let quick = part("last", 90, 100, [call("y", 90, 100, firstByte: 9)])
        #expect(text([aside, first, quick], answer: 100) == "aside slow first_byte 89.0")
    }

    @Test("The time in which the client sent its body is neither an upstream's nor the gateway's")
    func request() {
        let quick = part("a", 0, 10, [call("x", 0, 10, firstByte: 9)])
        let slow = SlowPhase(after: ns(80), [quick], [], answer: .milliseconds(12))
        #expect(slow.phase == .request)
        #expect(slow.part == nil && slow.upstream == nil)
        #expect(slow.time == .milliseconds(80))
        // Without that time it is the upstream.
        #expect(text([quick], answer: 12) == "a x first_byte 9.0")
    }

    @Test("A call outside of parts has no part's name")
    func outside() {
        #expect(text([], [call("x", 0, 80, firstByte: 79)], answer: 100) == "x first_byte 79.0")
        // The call is a part without a name, too, if it failed the request.
        let failed = part(nil, 0, 81, [])
        #expect(text([failed], [call("x", 0, 80, firstByte: 79)], answer: 81) == "x first_byte 79.0")
    }
}
