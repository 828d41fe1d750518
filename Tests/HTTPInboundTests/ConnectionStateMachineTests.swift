import EventIO
import HTTPWire
import Testing

@testable import HTTPInbound

/// `#expect` for mutating calls.
func check<Value: Equatable>(
    _ actual: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: sourceLocation)
}

/// Tests the state machine alone, with time as a parameter.
struct ConnectionStateMachineTests {
    static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    static func state(_ change: (inout InboundLimits) -> Void = { _ in }) -> ConnectionStateMachine {
        var limits = InboundLimits()
        change(&limits)
        return ConnectionStateMachine(limits: StateLimits(limits), acceptedAt: at(0))
    }

    /// Serves one keep-alive request without a body.
    static func serve(_ state: inout ConnectionStateMachine, at now: MonotonicTime)
        -> ConnectionStateMachine.AfterAnswer
    {
        check(state.headCompleted(), .begin)
        state.requestBegan(isPersistent: true)
        check(
            state.verdictKnown(body: .none, limit: 1024, expectsContinue: false, at: now), .dispatch)
        check(state.deadline, nil)
        _ = state.answerBegan(delimitedByClose: false)
        return state.answerCompleted(queueIsEmpty: true, at: now)
    }

    // MARK: Deadlines

    @Test("A connection that sends no byte is closed silently 10 s after accept")
    func silentConnection() {
        var state = Self.state()
        check(state.deadline, Self.at(10_000))
        check(state.deadlinePassed(at: Self.at(9_999)), .wait)
        check(state.deadlinePassed(at: Self.at(10_000)), .close)
    }

    @Test("The first request's head must be complete within 10 s of accept, even if bytes keep arriving")
    func firstHeadDeadline() {
        var state = Self.state()
        for second in 1..<10 { state.headStarted(at: Self.at(Int64(second) * 1000)) }
        check(state.deadline, Self.at(10_000))
        check(state.deadlinePassed(at: Self.at(9_999)), .wait)
        check(state.deadlinePassed(at: Self.at(10_000)), .refuse)
        check(state.mayParse, false)
    }

    @Test(
        "A later request's head must be complete within 10 s of its first byte, even if bytes keep arriving")
    func laterHeadDeadline() {
        var state = Self.state()
        check(Self.serve(&state, at: Self.at(500)), .nextRequest)
        state.headStarted(at: Self.at(50_000))
        state.headStarted(at: Self.at(59_000))
        check(state.deadline, Self.at(60_000))
        check(state.deadlinePassed(at: Self.at(60_000)), .refuse)
    }

    @Test("A kept-alive connection is closed silently after 60 s without a request")
    func idleDeadline() {
        var state = Self.state()
        check(Self.serve(&state, at: Self.at(500)), .nextRequest)
        check(state.deadline, Self.at(60_500))
        check(state.deadlinePassed(at: Self.at(60_499)), .wait)
        check(state.deadlinePassed(at: Self.at(60_500)), .close)
    }

    @Test("A connection is idle between two requests, and awaits a head before the first and within one")
    func waiting() {
        var state = Self.state()
        #expect(!state.isIdle && state.awaitsHead)
        // The wait began with the connection.
        check(state.headStarted(at: Self.at(100)), false)
        #expect(!state.isIdle && state.awaitsHead)
        check(state.headCompleted(), .begin)
        state.requestBegan(isPersistent: true)
        #expect(!state.isIdle && !state.awaitsHead)
        check(state.verdictKnown(body: .none, limit: 9, expectsContinue: false, at: Self.at(200)), .dispatch)
        _ = state.answerBegan(delimitedByClose: false)
        check(state.answerCompleted(queueIsEmpty: false, at: Self.at(200)), .flush)
        #expect(!state.isIdle && !state.awaitsHead)
        check(state.queueEmptied(at: Self.at(300)), .nextRequest)
        #expect(state.isIdle && !state.awaitsHead)
        state.outputQueued()
        #expect(!state.isIdle && !state.awaitsHead)
        check(state.queueEmptied(at: Self.at(400)), .nextRequest)
        check(state.headStarted(at: Self.at(500)), true)
        check(state.headStarted(at: Self.at(600)), false)
        #expect(!state.isIdle && state.awaitsHead)
    }

    @Test("After its last answer a connection waits for the client to close")
    func waitingForTheEnd() {
        var state = Self.state()
        check(state.headCompleted(), .begin)
        state.requestBegan(isPersistent: false)
        state.refusalBegan()
        #expect(!state.isIdle && !state.awaitsHead)
        _ = state.answerBegan(delimitedByClose: false)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(0)), .shutdownAndDiscard)
        #expect(!state.isIdle && state.awaitsHead)
        state.closed()
        #expect(!state.isIdle && !state.awaitsHead)
    }

    @Test("A body slower than 500 B/s is refused after a grace of 5 s")
    func bodyRate() {
        var state = Self.state()
        Self.beginBody(&state, length: 100_000)
        check(state.deadline, Self.at(5_000))
        check(state.bodyReceived(2_499), .keep)
        check(state.deadlinePassed(at: Self.at(4_999)), .wait)
        check(state.deadlinePassed(at: Self.at(5_000)), .refuse)

        state = Self.state()
        Self.beginBody(&state, length: 100_000)
        check(state.bodyReceived(6_000), .keep)
        check(state.deadlinePassed(at: Self.at(11_999)), .wait)
        check(state.deadlinePassed(at: Self.at(12_000)), .refuse)
    }

    @Test("A body must be complete within 30 s, whatever its rate")
    func bodyDeadline() {
        var state = Self.state()
        Self.beginBody(&state, length: 1_000_000)
        check(state.bodyReceived(999_999), .keep)
        check(state.deadlinePassed(at: Self.at(29_999)), .wait)
        check(state.deadlinePassed(at: Self.at(30_000)), .refuse)
    }

    @Test("The body rate does not overflow for any number of bytes", arguments: [10_000_000_000, Int.max])
    func bodyRateOfLargeBodies(received: Int) {
        var state = Self.state { $0.requestBody = .max }
        check(state.headCompleted(), .begin)
        state.requestBegan(isPersistent: true)
        check(
            state.verdictKnown(body: .length(.max), limit: .max, expectsContinue: false, at: Self.at(0)),
            .read(sendContinue: false))
        check(state.bodyReceived(received), .keep)
        check(state.deadline, Self.at(30_000))
        check(state.deadlinePassed(at: Self.at(29_999)), .wait)
        check(state.deadlinePassed(at: Self.at(30_000)), .refuse)
    }

    @Test("While a handler works, the connection has no deadline")
    func pendingHasNoDeadline() {
        var state = Self.state()
        check(state.headCompleted(), .begin)
        state.requestBegan(isPersistent: true)
        check(state.deadline, nil)
        check(state.deadlinePassed(at: Self.at(1_000_000)), .wait)
    }

    // MARK: Order

    @Test("One request is parsed ahead, and nothing more is read until the previous answer is sent")
    func oneAhead() {
        var state = Self.state()
        Self.beginAnswer(&state)
        check(state.mayParse, true)
        check(state.headCompleted(), .hold)
        check(state.mayParse, false)
        check(state.wantsBytes, false)
        check(state.deadline, nil)
        check(state.answerCompleted(queueIsEmpty: false, at: Self.at(0)), .flush)
        check(state.wantsBytes, false)
        check(state.queueEmptied(at: Self.at(0)), .nextRequest)
        state.requestBegan(isPersistent: true)
        check(state.mayParse, true)
    }

    @Test("The error for a malformed request waits for the previous answer")
    func failureAhead() {
        var state = Self.state()
        Self.beginAnswer(&state)
        check(state.requestFailed(), .hold)
        check(state.mayParse, false)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(0)), .nextRequest)
        state.refusalBegan()
        check(state.answerBegan(delimitedByClose: false), true)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(0)), .shutdownAndDiscard)
    }

    @Test("A head that arrives slowly behind a pending answer has its own deadline")
    func lateAhead() {
        var state = Self.state()
        Self.beginAnswer(&state)
        state.headStarted(at: Self.at(1_000))
        check(state.deadline, Self.at(11_000))
        check(state.deadlinePassed(at: Self.at(11_000)), .hold)
        check(state.deadline, nil)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(12_000)), .nextRequest)
        state.refusalBegan()
        check(state.answerBegan(delimitedByClose: false), true)
    }

    // MARK: Bodies

    struct BodyCase: Sendable, CustomTestStringConvertible {
        var body: RequestFraming.Body
        var limit: Int?
        var expects: Bool
        var action: ConnectionStateMachine.BodyAction
        var testDescription: String { "\(body), limit \(limit ?? -1), expects \(expects)" }
    }

    @Test(
        "The server accepts or refuses a body before it reads it or sends a 100",
        arguments: [
            BodyCase(body: .none, limit: 10, expects: false, action: .dispatch),
            BodyCase(body: .none, limit: nil, expects: false, action: .dispatch),
            BodyCase(body: .length(0), limit: nil, expects: true, action: .dispatch),
            BodyCase(body: .length(10), limit: 10, expects: false, action: .read(sendContinue: false)),
            BodyCase(body: .length(10), limit: 10, expects: true, action: .read(sendContinue: true)),
            BodyCase(body: .length(11), limit: 10, expects: false, action: .refuseTooLarge),
            BodyCase(body: .length(11), limit: 10, expects: true, action: .refuseTooLarge),
            BodyCase(body: .chunked, limit: 10, expects: true, action: .read(sendContinue: true)),
            BodyCase(
                body: .length(1_048_576), limit: nil, expects: false, action: .read(sendContinue: false)),
            BodyCase(body: .length(1_048_577), limit: nil, expects: false, action: .answerUnread),
            BodyCase(body: .length(1_048_577), limit: .max, expects: false, action: .refuseTooLarge),
            BodyCase(body: .length(5), limit: nil, expects: true, action: .answerUnread),
            BodyCase(body: .chunked, limit: nil, expects: true, action: .answerUnread),
        ])
    func bodyVerdict(_ row: BodyCase) {
        var state = Self.state()
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        check(
            state.verdictKnown(
                body: row.body, limit: row.limit, expectsContinue: row.expects, at: Self.at(0)), row.action)
    }

    @Test("A chunked body is refused at the first byte over the limit")
    func chunkedBeyondLimit() {
        var state = Self.state()
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.verdictKnown(body: .chunked, limit: 10, expectsContinue: false, at: Self.at(0))
        check(state.bodyReceived(10), .keep)
        check(state.bodyReceived(1), .refuseTooLarge)
        check(state.mayParse, false)
    }

    @Test("A body that nobody wants is left unread at the first byte over the limit, and the answer closes")
    func unwantedBeyondLimit() {
        var state = Self.state()
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.verdictKnown(body: .chunked, limit: nil, expectsContinue: false, at: Self.at(0))
        check(state.bodyReceived(1_048_576), .drop)
        check(state.bodyReceived(1), .answerUnread)
        check(state.mayParse, false)
        check(state.answerBegan(delimitedByClose: false), true)
    }

    @Test("A body that the handler does not want is discarded, and the next request follows")
    func drainedBody() {
        var state = Self.state()
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.verdictKnown(body: .chunked, limit: nil, expectsContinue: false, at: Self.at(0))
        check(state.bodyReceived(10), .drop)
        state.bodyCompleted(at: Self.at(0))
        check(state.answerBegan(delimitedByClose: false), false)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(0)), .nextRequest)
    }

    // MARK: The end of a connection

    @Test("The thousandth answer closes its connection")
    func requestsPerConnection() {
        var state = Self.state()
        for _ in 1..<1000 { check(Self.serve(&state, at: Self.at(0)), .nextRequest) }
        check(Self.serve(&state, at: Self.at(0)), .shutdownAndDiscard)
    }

    @Test("After the last answer, input is discarded up to 16 MiB and for at most 2 s")
    func lingering() {
        var state = Self.state()
        state.refusalBegan()
        _ = state.answerBegan(delimitedByClose: false)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(100)), .shutdownAndDiscard)
        check(state.isDiscarding, true)
        check(state.mayParse, false)
        check(state.discarded(16 << 20), .goOn)
        check(state.discarded(1), .close)
        check(state.deadline, Self.at(2_100))
        check(state.deadlinePassed(at: Self.at(2_099)), .wait)
        check(state.deadlinePassed(at: Self.at(2_100)), .close)
    }

    @Test("A FIN counts as a departed client only while an answer is pending")
    func endReached() {
        var state = Self.state()
        check(state.endReached(queueIsEmpty: true), .close)
        Self.beginAnswer(&state)
        check(state.endReached(queueIsEmpty: true), .clientGone)

        state = Self.state()
        Self.beginAnswer(&state)
        check(state.answerCompleted(queueIsEmpty: false, at: Self.at(0)), .flush)
        check(state.endReached(queueIsEmpty: true), .keepWriting)
        check(state.queueEmptied(at: Self.at(0)), .close)
    }

    // MARK: Drain

    @Test("After a drain is announced, each answer closes its connection and no request is refused")
    func announcedDrain() {
        var state = Self.state()
        state.drainAnnounced()
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        check(state.answerBegan(delimitedByClose: false), true)
    }

    @Test("Once the listener is closed, further requests are served, and each answer closes its connection")
    func leavingDrain() {
        var state = Self.state()
        check(Self.serve(&state, at: Self.at(0)), .nextRequest)
        state.listenerClosed(at: Self.at(100))
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        check(state.answerBegan(delimitedByClose: false), true)
    }

    enum Behind: CaseIterable {
        case head, wholeHead, input
    }

    @Test(
        "A request that has arrived before an answer is served as well, during a drain",
        arguments: Behind.allCases)
    func pipelinedDrain(_ behind: Behind) {
        var state = Self.state()
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        switch behind {
        case .head: state.headStarted(at: Self.at(0))
        case .wholeHead: check(state.headCompleted(), .hold)
        case .input: break
        }
        state.drainAnnounced()
        check(state.answerBegan(delimitedByClose: false, hasInput: behind == .input), false)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(0)), .nextRequest)
        if behind != .wholeHead { check(state.headCompleted(), .begin) }
        state.requestBegan(isPersistent: true)
        check(state.answerBegan(delimitedByClose: false), true)
        check(state.answerCompleted(queueIsEmpty: true, at: Self.at(0)), .shutdownAndDiscard)
    }

    @Test("An idle connection is closed one second after the listener, even if it never sent a byte")
    func drainGrace() {
        var idle = Self.state()
        check(Self.serve(&idle, at: Self.at(0)), .nextRequest)
        var silent = Self.state()
        idle.listenerClosed(at: Self.at(100))
        silent.listenerClosed(at: Self.at(100))
        check(idle.deadline, Self.at(1_100))
        check(silent.deadline, Self.at(1_100))
        check(idle.deadlinePassed(at: Self.at(1_100)), .close)
        check(silent.deadlinePassed(at: Self.at(1_100)), .close)
    }

    // MARK: Shared setup

    private static func beginBody(_ state: inout ConnectionStateMachine, length: Int) {
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        check(
            state.verdictKnown(
                body: .length(length), limit: .max, expectsContinue: false, at: at(0)),
            .read(sendContinue: false))
    }

    private static func beginAnswer(_ state: inout ConnectionStateMachine) {
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        _ = state.answerBegan(delimitedByClose: false)
    }
}
