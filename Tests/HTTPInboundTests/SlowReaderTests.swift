import EventIO
import HTTPWire
import Testing

@testable import HTTPInbound

/// Tests the limits for slow clients in virtual time. Each check passes the client's acknowledged byte count
/// to the state machine.
@Suite("Slow readers", .bothCarriers)
struct SlowReaderTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    /// Returns a connection that has a complete answer queued for its client.
    private static func waiting(
        acknowledged: Int64 = 0, _ change: (inout InboundLimits) -> Void = { _ in }
    ) -> ConnectionStateMachine {
        var limits = InboundLimits()
        change(&limits)
        var state = ConnectionStateMachine(limits: StateLimits(limits), acceptedAt: at(0))
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.answerBegan(delimitedByClose: false)
        let after = state.answerCompleted(queueIsEmpty: false, at: at(0))
        #expect(after == .flush)
        state.queueObserved(acknowledged: acknowledged, at: at(0))
        return state
    }

    /// Lets time pass. Returns the second at which the client is reset, or nil if it is not reset within
    /// `seconds`.
    private static func reset(
        _ state: ConnectionStateMachine, within seconds: Double, acknowledged: (Double) -> Int64
    ) -> Double? {
        var state = state
        while let deadline = state.deadline {
            let now = Double(deadline.nanoseconds) / 1e9
            guard now <= seconds else { return nil }
            state.queueObserved(acknowledged: acknowledged(now), at: deadline)
            let action = state.deadlinePassed(at: deadline)
            guard action == .wait else {
                #expect(action == .reset)
                return now
            }
        }
        Issue.record("Output waits, but no check is scheduled.")
        return nil
    }

    /// A steady reader that acknowledges only when its window has opened by `window` bytes.
    private static func reader(_ rate: Double, window: Double) -> (Double) -> Int64 {
        { seconds in Int64((seconds * rate / window).rounded(.down) * window) }
    }

    @Test("A client that acknowledges nothing for 120 s is reset")
    func nothing() {
        #expect(Self.reset(Self.waiting(), within: 1000) { _ in 0 } == 120)
        // The amount that it acknowledged before does not matter.
        #expect(Self.reset(Self.waiting(), within: 1000) { $0 < 50 ? Int64($0 * 1e6) : 50_000_000 } == 170)
    }

    @Test("A reader below 500 B/s is reset after 30 s, even if it acknowledges every second")
    func drip() throws {
        for rate in [1, 100, 450] {
            let second = try #require(
                Self.reset(Self.waiting(), within: 1000) { Int64($0) * Int64(rate) })
            #expect((30...32).contains(second), "\(rate) B/s: after \(second) s")
        }
    }

    @Test("A slow reader that acknowledges rarely is reset at the check after its first acknowledgement")
    func rare() throws {
        let second = try #require(
            Self.reset(Self.waiting(), within: 1000, acknowledged: Self.reader(10, window: 1000)))
        #expect((100...102).contains(second))
    }

    @Test("A reader that slows down after a fast start is still reset")
    func dripAfterABurst() throws {
        let second = try #require(
            Self.reset(Self.waiting(), within: 10_000) { min(100_000, Int64($0) * 100_000) + Int64($0) * 100 }
        )
        #expect((250...253).contains(second))
    }

    @Test(
        "A steady reader above 500 B/s is not reset, however rarely it acknowledges",
        arguments: [600.0, 5_000, 20_000, 50_000, 80_000, 150_000])
    func steady(rate: Double) {
        for gap in [0.1, 1, 25, 90, 110] {
            let reset = Self.reset(
                Self.waiting(), within: 3600, acknowledged: Self.reader(rate, window: rate * gap))
            #expect(reset == nil, "reset after \(reset ?? 0) s, with one acknowledgement in \(gap) s")
        }
    }

    @Test("A reader is not reset at a check that falls at the start of a burst")
    func beginningBurst() {
        // Its window opens after 50 s. The first segment arrives just before a check, the others just after
        // it.
        let reset = Self.reset(Self.waiting(), within: 100) { second in
            second < 50 ? 0 : second < 51 ? 1460 : 250_000
        }
        #expect(reset == nil)
    }

    /// Passes on an answer whose output waits for `wait` seconds, again and again with a gap between the
    /// waits. Returns the second at which the client is reset, or nil if it is not reset within `seconds`.
    private static func resetOfStream(
        wait: Double, gap: Double, within seconds: Double, _ change: (inout InboundLimits) -> Void = { _ in },
        acknowledged: (Double) -> Int64
    ) -> Double? {
        var limits = InboundLimits()
        limits.sendRate = 50_000
        change(&limits)
        var state = ConnectionStateMachine(limits: StateLimits(limits), acceptedAt: at(0))
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.answerBegan(delimitedByClose: false)
        var now = 0.0
        while now < seconds {
            state.queueObserved(acknowledged: acknowledged(now), at: at(now))
            let end = now + wait
            while let deadline = state.deadline, deadline <= at(end) {
                now = max(now, Double(deadline.nanoseconds) / 1e9)
                state.queueObserved(acknowledged: acknowledged(now), at: at(now))
                let action = state.deadlinePassed(at: at(now))
                guard action == .wait else { return now }
            }
            let after = state.queueEmptied(at: at(end))
            #expect(after == nil)
            now = end + gap
        }
        return nil
    }

    @Test(
        "A slow reader of a stream is reset after 30 s, although each wait of its output is short",
        arguments: [0.3, 3, 12, 29])
    func stream(wait: Double) throws {
        for rate in [8_000.0, 24_000, 45_000] {
            let second = try #require(
                Self.resetOfStream(wait: wait, gap: 0.01, within: 300) { Int64($0 * rate) }, "\(rate) B/s")
            #expect((30...65).contains(second), "\(rate) B/s: after \(second) s")
        }
    }

    @Test("A reader of a stream above the rate is not reset, however rarely it acknowledges")
    func steadyStream() {
        for wait in [0.3, 3, 12, 29, 31, 70] {
            for window in [0.1, 1, 25, 90] {
                let reader = Self.reader(60_000, window: 60_000 * window)
                let reset = Self.resetOfStream(wait: wait, gap: 0.01, within: 3600, acknowledged: reader)
                #expect(reset == nil, "after \(reset ?? 0) s: waits of \(wait) s, windows of \(window) s")
            }
        }
    }

    @Test("Time in which no output waits does not count: a slow upstream is not its reader's fault")
    func slowUpstream() {
        // Each minute the upstream sends what the reader takes in 2 s.
        let reset = Self.resetOfStream(wait: 2, gap: 58, within: 3600) { second in
            let minutes = (second / 60).rounded(.down)
            return Int64(minutes * 120_000 + min(2, second - minutes * 60) * 60_000)
        }
        #expect(reset == nil)
    }

    @Test("A reader of a stream that slows down after a fast start is reset")
    func slowStream() throws {
        let second = try #require(
            Self.resetOfStream(wait: 5, gap: 0.01, within: 1000) {
                Int64(min($0, 100) * 1_000_000 + max(0, $0 - 100) * 10_000)
            })
        #expect((130...200).contains(second), "after \(second) s")
    }

    @Test("Waiting output is checked when the client's buffer has had time to fill, and then once a second")
    func looks() {
        var state = Self.waiting()
        #expect(state.deadline == Self.at(0.2))
        #expect(!state.isCheckDue(at: Self.at(0.199)))
        #expect(state.isCheckDue(at: Self.at(0.2)))
        state.queueObserved(acknowledged: 10, at: Self.at(0.2))
        #expect(state.deadline == Self.at(1))
        #expect(!state.isCheckDue(at: Self.at(0.999)))
        #expect(state.isCheckDue(at: Self.at(1)))
        state.queueObserved(acknowledged: 10, at: Self.at(1))
        #expect(state.deadline == Self.at(2))
    }

    @Test(
        "A client that takes an answer in time is not reset, and the next answer is timed from its own start")
    func flushedInTime() {
        var state = Self.waiting()
        state.queueObserved(acknowledged: 1, at: Self.at(100))
        let after = state.queueEmptied(at: Self.at(110))
        #expect(after == .nextRequest)
        #expect(state.deadline == Self.at(170))
        let action = state.deadlinePassed(at: Self.at(169))
        #expect(action == .wait)

        state.requestBegan(isPersistent: true)
        _ = state.answerBegan(delimitedByClose: false)
        _ = state.answerCompleted(queueIsEmpty: false, at: Self.at(150))
        #expect(state.isCheckDue(at: Self.at(150)))
        state.queueObserved(acknowledged: 1, at: Self.at(150))
        #expect(Self.reset(state, within: 1000) { _ in 1 } == 270)
    }

    @Test(
        "After a short write, the connection finishes the answer before it handles the next request")
    func shortWrite() {
        var state = ConnectionStateMachine(limits: StateLimits(InboundLimits()), acceptedAt: Self.at(0))
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.answerBegan(delimitedByClose: false)
        let after = state.answerCompleted(queueIsEmpty: true, at: Self.at(0))
        #expect(after == .nextRequest)
        state.outputQueued()
        state.queueObserved(acknowledged: 0, at: Self.at(0))
        let next = state.headCompleted()
        #expect(next == .hold)
        // The 60 s of an idle connection do not apply.
        #expect(Self.reset(state, within: 1000) { _ in 0 } == 120)
        let flushed = state.queueEmptied(at: Self.at(100))
        #expect(flushed == .nextRequest)
    }

    @Test("A client that closes its side after a short write still gets the rest of the answer")
    func shortWriteAndEnd() {
        var state = ConnectionStateMachine(limits: StateLimits(InboundLimits()), acceptedAt: Self.at(0))
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.answerBegan(delimitedByClose: false)
        _ = state.answerCompleted(queueIsEmpty: true, at: Self.at(0))
        let end = state.endReached(queueIsEmpty: false)
        #expect(end == .keepWriting)
        let flushed = state.queueEmptied(at: Self.at(1))
        #expect(flushed == .close)
    }

    @Test("Extreme counts, rates and times do not trap")
    func extremes() {
        let ends: [Int64] = [.min, -1, 0, 1, .max]
        for rate in [Int.min, 0, 1, .max] {
            for acknowledged in ends {
                for later in ends {
                    var state = Self.waiting(acknowledged: acknowledged) {
                        $0.sendRate = rate
                        $0.sendStall = .seconds(Int64.max)
                        $0.sendRateGrace = .zero
                    }
                    state.queueObserved(acknowledged: later, at: Self.at(1))
                    state.queueObserved(acknowledged: later, at: MonotonicTime(nanoseconds: .max))
                    state.queueObserved(acknowledged: later, at: MonotonicTime(nanoseconds: .max))
                    let action = state.deadlinePassed(at: MonotonicTime(nanoseconds: .max - 1))
                    // Without a minimum rate, any progress is fast enough. With one, only an unchanged
                    // count is certain to wait.
                    if rate <= 0 ? later >= acknowledged : later == acknowledged { #expect(action == .wait) }
                    if rate == .max, acknowledged == 0, later == 1 { #expect(action == .reset) }
                }
            }
        }
        let hurried = StateLimits(InboundLimits())
        #expect(hurried.sendCheckInterval == .seconds(1))
        var limits = InboundLimits()
        limits.sendStall = .seconds(-1)
        #expect(StateLimits(limits).sendCheckInterval == .milliseconds(10))
    }

    @Test("The time allowed for a body of any length does not overflow")
    func longBody() {
        var limits = InboundLimits()
        limits.requestBody = .max
        limits.bodyDeadline = .seconds(Int64.max)
        var state = ConnectionStateMachine(limits: StateLimits(limits), acceptedAt: Self.at(0))
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.verdictKnown(body: .chunked, limit: .max, expectsContinue: false, at: Self.at(0))
        _ = state.bodyReceived(.max / 2)
        #expect(state.deadline == .distantFuture)
    }
}
