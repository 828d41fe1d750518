import EventIO
import HTTPModel
import Testing

@testable import HTTPOutbound

@Suite("Call deadlines")
struct CallDeadlinesTests {
    static let start = MonotonicTime(nanoseconds: 5_000_000_000)

    static func after(_ milliseconds: Int) -> MonotonicTime { start + .milliseconds(Int64(milliseconds)) }

    static func deadlines() -> CallDeadlines {
        CallDeadlines(limits: CallLimits(OutboundLimits()), started: start)
    }

    func reason(_ deadlines: CallDeadlines, at milliseconds: Int) -> String? {
        switch deadlines.verdict(now: Self.after(milliseconds)) {
        case .notYet: nil
        case .failed(let reason, _): reason.token
        }
    }

    @Test("A call that waits for a connection fails after a second")
    func waiting() {
        var deadlines = Self.deadlines()
        deadlines.reached(.waiting, now: Self.start)
        #expect(deadlines.next == Self.after(1000))
        #expect(reason(deadlines, at: 1000) == "connection_limit_reached")
        #expect(reason(deadlines, at: 999) == nil)
    }

    @Test("A call does not wait beyond its total limit")
    func waitingPastTheEnd() {
        var limits = CallLimits(OutboundLimits())
        limits.total = .milliseconds(300)
        var deadlines = CallDeadlines(limits: limits, started: Self.start)
        deadlines.reached(.waiting, now: Self.start)
        #expect(deadlines.next == Self.after(300))
        #expect(reason(deadlines, at: 300) == "connection_limit_reached")
    }

    @Test("Connecting may take a second, or less if the call's total limit ends earlier")
    func connecting() {
        var deadlines = Self.deadlines()
        deadlines.reached(.connecting, now: Self.start)
        #expect(deadlines.connectBudget(now: Self.start) == .seconds(1))
        #expect(deadlines.connectBudget(now: Self.after(9400)) == .milliseconds(600))
        #expect(deadlines.connectBudget(now: Self.after(20_000)) == .zero)
        #expect(reason(deadlines, at: 10_000) == "connection_timeout")
    }

    @Test("Progress in writing restarts the write limit")
    func writing() {
        var deadlines = Self.deadlines()
        deadlines.reached(.writing, now: Self.start)
        #expect(reason(deadlines, at: 5000) == "connection_write_timeout")
        deadlines.reached(.writing, now: Self.after(4000))
        #expect(reason(deadlines, at: 5000) == nil)
        #expect(reason(deadlines, at: 9000) == "connection_write_timeout")
    }

    @Test(
        "Silence before the response fails at the first-byte limit, and silence within it at the read limit"
    )
    func silence() {
        var deadlines = Self.deadlines()
        deadlines.reached(.awaitingResponse, now: Self.after(10))
        #expect(deadlines.next == Self.after(5010))
        #expect(reason(deadlines, at: 5009) == nil)
        #expect(reason(deadlines, at: 5010) == "connection_read_timeout")
        deadlines.reached(.receiving, now: Self.after(3000))
        #expect(reason(deadlines, at: 7999) == nil)
        #expect(reason(deadlines, at: 8000) == "connection_read_timeout")
    }

    @Test("A slow trickle of bytes does not extend the total limit")
    func trickle() {
        var deadlines = Self.deadlines()
        deadlines.reached(.awaitingResponse, now: Self.start)
        for second in 1..<10 { deadlines.reached(.receiving, now: Self.after(second * 1000)) }
        #expect(deadlines.next == Self.after(10_000))
        #expect(reason(deadlines, at: 9_999) == nil)
        #expect(reason(deadlines, at: 10_000) == "http_response_timeout")
    }

    @Test("The wait for the upstream includes connecting, and counts from the last byte that it took or sent")
    func waitForUpstream() {
        var deadlines = Self.deadlines()
        func wait(connected: Int? = nil, at now: Int) -> TimeAmount {
            deadlines.waitForUpstream(since: connected.map(Self.after), at: Self.after(now))
        }
        deadlines.reached(.waiting, now: Self.start)
        #expect(wait(at: 400) == .zero)
        deadlines.reached(.connecting, now: Self.after(500))
        #expect(wait(at: 600) == .milliseconds(100))
        deadlines.reached(.awaitingResponse, now: Self.after(700))
        #expect(wait(connected: 700, at: 800) == .milliseconds(300))
        deadlines.reached(.writing, now: Self.after(900))
        #expect(wait(connected: 700, at: 1000) == .milliseconds(300))
        deadlines.reached(.receiving, now: Self.after(1100))
        #expect(wait(connected: 700, at: 1200) == .milliseconds(100))
    }

    @Test("On a connection that was open, only the time since the request counts")
    func waitOnReusedConnection() {
        var deadlines = Self.deadlines()
        deadlines.reached(.awaitingResponse, now: Self.after(100))
        #expect(
            deadlines.waitForUpstream(since: Self.after(100), at: Self.after(350)) == .milliseconds(250))
    }

    @Test("A pause of our own side is no wait for the upstream", arguments: [true, false])
    func ownPause(isUpload: Bool) {
        var deadlines = Self.deadlines()
        deadlines.reached(.connecting, now: Self.start)
        deadlines.reached(isUpload ? .awaitingBody : .paused, now: Self.after(100))
        #expect(deadlines.waitForUpstream(since: Self.after(100), at: Self.after(5000)) == .zero)
    }
}
