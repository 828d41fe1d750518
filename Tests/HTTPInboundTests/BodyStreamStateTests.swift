import EventIO
import HTTPWire
import Testing

@testable import HTTPInbound

/// Tests the decisions about streamed bodies, with time as a parameter.
@Suite("The state of a streamed body")
struct BodyStreamStateTests {
    private typealias Machine = ConnectionStateMachineTests

    private func begun(
        _ body: RequestFraming.Body = .length(1_000_000), expectsContinue: Bool = false
    ) -> ConnectionStateMachine {
        var state = Machine.state()
        _ = state.headCompleted()
        state.requestBegan(isPersistent: true)
        let action = state.streamingDecided(body: body, limit: 1_000_000, expectsContinue: expectsContinue)
        #expect(action == .start)
        return state
    }

    @Test("No deadline runs while the reader is busy, however long it takes")
    func busyReader() {
        var state = begun()
        #expect(state.deadline == nil)
        let received = state.bodyReceived(1)
        #expect(received == .keepForReader)
        #expect(state.deadline == nil)
        let later = state.deadlinePassed(at: Machine.at(3_600_000))
        #expect(later == .wait)
    }

    @Test("A reader waits 5 s for a client that sends nothing, then the body fails")
    func silentClient() {
        var state = begun()
        _ = state.bodyAwaited(at: Machine.at(100_000))
        #expect(state.deadline == Machine.at(105_000))
        let early = state.deadlinePassed(at: Machine.at(104_999))
        #expect(early == .wait)
        let late = state.deadlinePassed(at: Machine.at(105_000))
        #expect(late == .failBody)
        #expect(state.isClosing)
        #expect(!state.wantsBytes)
    }

    @Test("All waits together are held to the rate of 500 B/s, and each one to 30 s")
    func rate() {
        var state = begun()
        _ = state.bodyAwaited(at: Machine.at(0))
        _ = state.bodyReceived(5_000)
        state.bodyTaken(5_000, at: Machine.at(4_000))
        // A minute at work, then 6 s are left of the 10 s that 5000 bytes may take.
        _ = state.bodyAwaited(at: Machine.at(64_000))
        #expect(state.deadline == Machine.at(70_000))
        _ = state.bodyReceived(500_000)
        #expect(state.deadline == Machine.at(94_000))
    }

    @Test("Reading pauses at 64 KiB of unread bytes, unless the reader waits")
    func pauses() {
        var state = begun()
        _ = state.bodyReceived(65_535)
        #expect(state.wantsBytes)
        _ = state.bodyReceived(1)
        #expect(!state.wantsBytes)
        #expect(state.mayParse, "what was read is parsed")
        state.bodyTaken(1, at: Machine.at(0))
        #expect(state.wantsBytes)
        _ = state.bodyReceived(1)
        #expect(!state.wantsBytes)
        state.bodyTaken(65_536, at: Machine.at(0))
        #expect(state.wantsBytes)
        _ = state.bodyAwaited(at: Machine.at(0))
        _ = state.bodyReceived(100_000)
        #expect(state.wantsBytes)
    }

    @Test("A reader that no longer waits ends its deadline, and leaves unread bytes unread")
    func unwanted() {
        var state = begun()
        _ = state.bodyReceived(65_536)
        _ = state.bodyAwaited(at: Machine.at(0))
        #expect(state.deadline != nil)
        state.bodyUnwanted(at: Machine.at(1_000))
        #expect(state.deadline == nil)
        #expect(!state.wantsBytes)
    }

    @Test("A 100 is due at the first wait, unless bytes have arrived or the answer has begun")
    func continues() {
        var state = begun(expectsContinue: true)
        let first = state.bodyAwaited(at: Machine.at(0))
        let second = state.bodyAwaited(at: Machine.at(0))
        #expect(first && !second)

        var sending = begun(.chunked, expectsContinue: true)
        _ = sending.bodyReceived(1)
        let needless = sending.bodyAwaited(at: Machine.at(0))
        #expect(!needless)

        var answered = begun(expectsContinue: true)
        let closes = answered.answerBegan(delimitedByClose: false)
        let late = answered.bodyAwaited(at: Machine.at(0))
        #expect(closes && !late)
    }

    @Test(
        "An answer before the end of the body ends the connection; one after it does not",
        arguments: [true, false])
    func early(isComplete: Bool) {
        var state = begun()
        if isComplete { state.bodyCompleted(at: Machine.at(0)) }
        let closes = state.answerBegan(delimitedByClose: false)
        #expect(closes == !isComplete)
        let after = state.answerCompleted(queueIsEmpty: true, at: Machine.at(0))
        #expect(after == (isComplete ? .nextRequest : .shutdownAndDiscard))
        #expect(!state.isReadingBody)
    }

    @Test("A byte over the limit fails the body")
    func limit() {
        var state = begun(.chunked)
        let within = state.bodyReceived(1_000_000)
        let beyond = state.bodyReceived(1)
        #expect(within == .keepForReader && beyond == .failTooLarge)
        #expect(!state.wantsBytes && state.isClosing)
    }
}
