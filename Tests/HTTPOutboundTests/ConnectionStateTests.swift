import Testing

@testable import HTTPOutbound

@Suite("The state of a connection")
struct ConnectionStateTests {
    static func idle() -> ConnectionState {
        var state = ConnectionState()
        state.opened()
        return state
    }

    static func asked(mayResend: Bool, written: Bool = true) -> ConnectionState {
        var state = idle()
        state.requestStarted(mayResend: mayResend)
        if written { state.requestWritten() }
        return state
    }

    static func isRelease(_ completion: ConnectionState.Completion) -> Bool {
        switch completion {
        case .release: true
        case .close: false
        }
    }

    static func name(_ ending: ConnectionState.Ending) -> String {
        switch ending {
        case .remove: "remove"
        case .resend: "resend"
        case .fail: "fail"
        case .ignore: "ignore"
        }
    }

    @Test("Bytes on an idle connection end it and reach nobody")
    func strayBytes() {
        var state = Self.idle()
        guard case .discard = state.bytesReceived() else {
            Issue.record("somebody read them")
            return
        }
    }

    @Test("An idle connection that the peer ends is nobody's failure")
    func idleEnd() {
        #expect(Self.name(Self.idle().connectionEnded()) == "remove")
    }

    @Test("Silence and then the end: sent again where that is allowed, else a failure before the response")
    func stale() {
        #expect(Self.name(Self.asked(mayResend: true).connectionEnded()) == "resend")
        #expect(Self.name(Self.asked(mayResend: true, written: false).connectionEnded()) == "resend")
        #expect(Self.name(Self.asked(mayResend: false).connectionEnded()) == "fail")
    }

    @Test("After the first byte of a response nothing is sent again")
    func withinResponse() {
        var state = Self.asked(mayResend: true)
        guard case .parse(isFirst: true) = state.bytesReceived(),
            case .parse(isFirst: false) = state.bytesReceived()
        else {
            Issue.record("the bytes are not the response's")
            return
        }
        #expect(Self.name(state.connectionEnded()) == "fail")
    }

    @Test(
        "A connection is released only after a whole response, with the peer's word, and with nothing after it"
    )
    func release() {
        var state = Self.asked(mayResend: false)
        _ = state.bytesReceived()
        var other = state
        var third = state
        #expect(!Self.isRelease(other.responseEnded(isReusable: false, strayBytes: 0)))
        #expect(!Self.isRelease(third.responseEnded(isReusable: true, strayBytes: 1)))
        #expect(!other.isIdle && !third.isIdle)
        #expect(Self.isRelease(state.responseEnded(isReusable: true, strayBytes: 0)))
        #expect(state.isIdle)
    }

    @Test("A response that overtakes its request leaves a half-written connection, which is not released")
    func halfWritten() {
        var state = Self.asked(mayResend: false, written: false)
        _ = state.bytesReceived()
        #expect(!Self.isRelease(state.responseEnded(isReusable: true, strayBytes: 0)))
    }

    @Test(
        "A request whose body was cut short leaves its connection to nobody, though all that was given is written"
    )
    func cutBody() {
        var state = Self.asked(mayResend: false, written: false)
        _ = state.bytesReceived()
        state.bodyIsCut()
        state.requestWritten()
        #expect(!Self.isRelease(state.responseEnded(isReusable: true, strayBytes: 0)))
    }

    @Test("A request whose body cannot be had again is not sent again")
    func takenBody() {
        var state = Self.asked(mayResend: true, written: false)
        state.bodyIsTaken()
        #expect(Self.name(state.connectionEnded()) == "fail")
    }

    @Test("A closed connection ignores whatever still comes")
    func closed() {
        var state = Self.asked(mayResend: true)
        state.closed()
        #expect(Self.name(state.connectionEnded()) == "ignore")
        guard case .discard = state.bytesReceived() else {
            Issue.record("somebody read them")
            return
        }
    }

    @Test("A connection that ends while it opens ends the call that waits for it, and it is never sent again")
    func opening() {
        #expect(Self.name(ConnectionState().connectionEnded()) == "fail")
    }
}
