import EventIO
import HTTPWire
import Testing

@testable import HTTPInbound

@Suite("The state of a connection whose answer comes before the body")
struct EarlyAnswerStateTests {
    private typealias Machine = ConnectionStateMachineTests

    /// A state whose answer begins 1 s after its connection.
    private static func begun(
        isPersistent: Bool = true, limit: Int? = nil, _ change: (inout InboundLimits) -> Void = { _ in }
    ) -> ConnectionStateMachine {
        var state = Machine.state(change)
        _ = state.headCompleted()
        state.requestBegan(isPersistent: isPersistent)
        check(
            state.verdictKnown(
                body: .chunked, limit: limit, expectsContinue: false, at: Machine.at(1000)),
            .read(sendContinue: false))
        return state
    }

    /// A state whose answer was sent 1 s after the connection.
    private static func answered(_ change: (inout InboundLimits) -> Void = { _ in }) -> ConnectionStateMachine
    {
        var state = begun(change)
        check(state.bodyIgnored(at: Machine.at(1000)), true)
        check(state.answerBegan(delimitedByClose: false), false)
        check(state.answerCompleted(queueIsEmpty: true, at: Machine.at(1000)), .nextRequest)
        return state
    }

    @Test("The answer waits for a body that its handler wants, and for no other")
    func whose() {
        var wanted = Self.begun(limit: 10)
        check(wanted.bodyIgnored(at: Machine.at(1000)), false)
        var unwanted = Self.begun()
        check(unwanted.bodyIgnored(at: Machine.at(1000)), true)
        check(unwanted.bodyIgnored(at: Machine.at(1000)), false)
        var complete = Self.begun()
        complete.bodyCompleted(at: Machine.at(1000))
        check(complete.bodyIgnored(at: Machine.at(1000)), false)
    }

    @Test("Behind the answer the body is read, and the connection is idle only once the body has ended")
    func idle() {
        var state = Self.answered()
        #expect(state.isReadingBody && state.mayParse && state.wantsBytes)
        #expect(!state.isIdle && state.awaitsHead && !state.isAnswerPending)
        check(state.bodyReceived(2_000_000), .drop)
        state.bodyCompleted(at: Machine.at(2000))
        #expect(state.isIdle && !state.awaitsHead)
        check(state.deadline, Machine.at(62_000))
        check(state.headCompleted(), .begin)
    }

    @Test("A body that does not come ends the connection 2 s after the answer")
    func silent() {
        var state = Self.answered()
        check(state.deadline, Machine.at(3000))
        check(state.deadlinePassed(at: Machine.at(2999)), .wait)
        check(state.deadlinePassed(at: Machine.at(3000)), .close)
    }

    @Test(
        "A body that keeps coming has as long as one that is wanted",
        arguments: [(1000, 3000), (2000, 5000), (10_000, 21_000), (1_000_000, 31_000)])
    func steady(received: Int, deadline: Int64) {
        var state = Self.answered()
        check(state.bodyReceived(received), .drop)
        check(state.deadline, Machine.at(deadline))
        check(state.deadlinePassed(at: Machine.at(deadline - 1)), .wait)
        check(state.deadlinePassed(at: Machine.at(deadline)), .close)
    }

    @Test("At most 16 MiB are discarded behind the answer")
    func size() {
        var state = Self.answered()
        check(state.bodyReceived(16 << 20), .drop)
        check(state.bodyReceived(1), .close)
        check(state.mayParse, false)
    }

    @Test("The time for the body counts from the end of the answer if the client takes it slowly")
    func slowAnswer() {
        var state = Self.begun()
        check(state.bodyIgnored(at: Machine.at(1000)), true)
        check(state.deadline, nil)
        check(state.answerBegan(delimitedByClose: false), false)
        check(state.answerCompleted(queueIsEmpty: false, at: Machine.at(1000)), .flush)
        check(state.deadline, nil)
        check(state.mayParse, true)
        check(state.queueEmptied(at: Machine.at(9000)), .nextRequest)
        check(state.deadline, Machine.at(11_000))
    }

    @Test("A malformed body behind the answer ends the connection without a second answer")
    func malformed() {
        var state = Self.answered()
        check(state.restFailed(at: Machine.at(2000)), .shutdownAndDiscard)
        #expect(state.isDiscarding && !state.mayParse)
        check(state.deadline, Machine.at(4000))
    }

    @Test("A malformed body behind an answer that waits for its client ends the connection after the answer")
    func malformedEarlier() {
        var state = Self.begun()
        check(state.bodyIgnored(at: Machine.at(1000)), true)
        check(state.answerBegan(delimitedByClose: false), false)
        check(state.answerCompleted(queueIsEmpty: false, at: Machine.at(1000)), .flush)
        check(state.restFailed(at: Machine.at(2000)), nil)
        check(state.mayParse, false)
        check(state.queueEmptied(at: Machine.at(3000)), .shutdownAndDiscard)
    }

    @Test("A body that fails while its request waits for its answer makes the answer the last one")
    func pending() {
        for isTooLarge in [true, false] {
            var state = Self.begun()
            check(state.bodyIgnored(at: Machine.at(1000)), true)
            if isTooLarge {
                check(state.bodyReceived((16 << 20) + 1), .drop)
            } else {
                check(state.requestFailed(), .failBody)
            }
            check(state.mayParse, false)
            check(state.answerBegan(delimitedByClose: false), true)
            check(state.answerCompleted(queueIsEmpty: true, at: Machine.at(2000)), .shutdownAndDiscard)
        }
    }

    @Test("A body that ends while its request waits for its answer leaves the connection to the next request")
    func endsFirst() {
        var state = Self.begun()
        check(state.bodyIgnored(at: Machine.at(1000)), true)
        state.bodyCompleted(at: Machine.at(1500))
        check(state.headCompleted(), .hold)
        check(state.answerBegan(delimitedByClose: false), false)
        check(state.answerCompleted(queueIsEmpty: true, at: Machine.at(2000)), .nextRequest)
    }

    @Test("Behind an answer that ends its connection, a body that keeps coming has its time too")
    func closing() {
        var state = Self.begun(isPersistent: false)
        check(state.bodyIgnored(at: Machine.at(1000)), true)
        check(state.answerBegan(delimitedByClose: false), true)
        check(state.answerCompleted(queueIsEmpty: true, at: Machine.at(1000)), .shutdownAndDiscard)
        check(state.deadline, Machine.at(3000))
        check(state.discarded(10_000), .goOn)
        check(state.deadline, Machine.at(21_000))
        check(state.discarded(16 << 20), .close)
    }

    @Test("A client that ends its side behind the answer has left without a request")
    func end() {
        var state = Self.answered()
        check(state.endReached(queueIsEmpty: true), .close)
    }
}
