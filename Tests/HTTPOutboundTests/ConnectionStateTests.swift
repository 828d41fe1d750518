import Testing

@testable import HTTPOutbound

@Suite("The state of a connection")
struct ConnectionStateTests {
    static func idle() -> ConnectionState {
        var state = ConnectionState()
        state.opened()
        return state
    }

    static func asked(isReused: Bool = true, mayRepeat: Bool, written: Bool = true) -> ConnectionState {
        var state = idle()
        state.requestStarted(isReused: isReused, mayRepeat: mayRepeat)
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
        guard case .discard = state.bytesReceived(isUnsent: false) else {
            Issue.record("somebody read them")
            return
        }
    }

    @Test("An idle connection that the peer ends is nobody's failure")
    func idleEnd() {
        #expect(Self.name(Self.idle().connectionEnded(isUnsent: false)) == "remove")
    }

    @Test("Silence and then the end: sent again where that is allowed, else a failure before the response")
    func stale() {
        #expect(Self.name(Self.asked(mayRepeat: true).connectionEnded(isUnsent: false)) == "resend")
        #expect(
            Self.name(Self.asked(mayRepeat: true, written: false).connectionEnded(isUnsent: false))
                == "resend")
        #expect(Self.name(Self.asked(mayRepeat: false).connectionEnded(isUnsent: false)) == "fail")
    }

    @Test("After the first byte of a response nothing is sent again")
    func withinResponse() {
        var state = Self.asked(mayRepeat: true)
        guard case .parse(isFirst: true) = state.bytesReceived(isUnsent: false),
            case .parse(isFirst: false) = state.bytesReceived(isUnsent: false)
        else {
            Issue.record("the bytes are not the response's")
            return
        }
        #expect(Self.name(state.connectionEnded(isUnsent: false)) == "fail")
    }

    @Test(
        "A connection is released only after a whole response, with the peer's word, and with nothing after it"
    )
    func release() {
        var state = Self.asked(mayRepeat: false)
        _ = state.bytesReceived(isUnsent: false)
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
        var state = Self.asked(mayRepeat: false, written: false)
        _ = state.bytesReceived(isUnsent: false)
        #expect(!Self.isRelease(state.responseEnded(isReusable: true, strayBytes: 0)))
    }

    @Test(
        "A request whose body was cut short leaves its connection to nobody, though all that was given is written"
    )
    func cutBody() {
        var state = Self.asked(mayRepeat: false, written: false)
        _ = state.bytesReceived(isUnsent: false)
        state.bodyIsCut()
        state.requestWritten()
        #expect(!Self.isRelease(state.responseEnded(isReusable: true, strayBytes: 0)))
    }

    @Test("A request whose body cannot be had again is not sent again")
    func takenBody() {
        var state = Self.asked(mayRepeat: true, written: false)
        state.bodyIsTaken()
        #expect(Self.name(state.connectionEnded(isUnsent: false)) == "fail")
    }

    @Test("A closed connection ignores whatever still comes")
    func closed() {
        var state = Self.asked(mayRepeat: true)
        state.closed()
        #expect(Self.name(state.connectionEnded(isUnsent: false)) == "ignore")
        guard case .discard = state.bytesReceived(isUnsent: false) else {
            Issue.record("somebody read them")
            return
        }
    }

    @Test("A connection that ends while it opens ends the call that waits for it, and it is never sent again")
    func opening() {
        #expect(Self.name(ConnectionState().connectionEnded(isUnsent: false)) == "fail")
    }
}

/// What the upstream does before it can have read the request.
@Suite("The state of a connection whose upstream speaks out of turn")
struct EarlyConnectionStateTests {
    static func receipt(isReused: Bool, mayRepeat: Bool) -> ConnectionState.Receipt {
        var state = ConnectionStateTests.asked(isReused: isReused, mayRepeat: mayRepeat)
        return state.bytesReceived(isUnsent: true)
    }

    @Test(
        "Bytes before the request send it on another connection, whatever its method",
        arguments: [true, false])
    func early(mayRepeat: Bool) {
        guard case .resend = Self.receipt(isReused: true, mayRepeat: mayRepeat) else {
            Issue.record("it is not sent again")
            return
        }
    }

    @Test("Bytes before the first request of a connection are a protocol error")
    func earlyOnNew() {
        guard case .refuse = Self.receipt(isReused: false, mayRepeat: true) else {
            Issue.record("they are not refused")
            return
        }
    }

    @Test("An end before the request sends it on another connection, whatever its method")
    func endBefore() {
        let state = ConnectionStateTests.asked(mayRepeat: false)
        #expect(ConnectionStateTests.name(state.connectionEnded(isUnsent: true)) == "resend")
        let first = ConnectionStateTests.asked(isReused: false, mayRepeat: true)
        #expect(ConnectionStateTests.name(first.connectionEnded(isUnsent: true)) == "fail")
    }

    @Test("A 408 on a reused connection is stale: an idempotent request is sent again, another one fails")
    func staleTimeout() {
        let repeatable = ConnectionStateTests.asked(mayRepeat: true).staleTimeout
        #expect(repeatable.map(ConnectionStateTests.name) == "resend")
        let single = ConnectionStateTests.asked(mayRepeat: false).staleTimeout
        #expect(single.map(ConnectionStateTests.name) == "fail")
    }

    @Test("A 408 answers its request on a new connection, and after a 1xx response")
    func ownTimeout() {
        #expect(ConnectionStateTests.asked(isReused: false, mayRepeat: true).staleTimeout == nil)
        var state = ConnectionStateTests.asked(mayRepeat: true)
        state.informationalReceived()
        #expect(state.staleTimeout == nil)
    }
}
