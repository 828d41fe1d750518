import Testing

@testable import HTTPOutbound

@Suite("Connection state")
struct ConnectionStateTests {
    static func idle() -> ConnectionState {
        var state = ConnectionState()
        state.opened()
        return state
    }

    static func requested(isReused: Bool = true, mayRepeat: Bool, written: Bool = true) -> ConnectionState {
        var state = idle()
        state.requestStarted(isReused: isReused, mayRepeat: mayRepeat)
        if written { state.requestWritten() }
        return state
    }

    static func isRelease(_ completion: ConnectionState.Completion) -> Bool {
        switch completion {
        case .release: true
        case .close, .awaitRequest: false
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

    @Test("Bytes on an idle connection are dropped, and the connection is discarded")
    func strayBytes() {
        var state = Self.idle()
        guard case .discard = state.bytesReceived(isUnsent: false) else {
            Issue.record("the bytes were not discarded")
            return
        }
    }

    @Test("An idle connection that the peer closes is removed without failing a call")
    func idleEnd() {
        #expect(Self.name(Self.idle().connectionEnded(isUnsent: false)) == "remove")
    }

    @Test(
        "If a reused connection ends before the response, only a repeatable request is repeated"
    )
    func stale() {
        #expect(Self.name(Self.requested(mayRepeat: true).connectionEnded(isUnsent: false)) == "resend")
        #expect(
            Self.name(Self.requested(mayRepeat: true, written: false).connectionEnded(isUnsent: false))
                == "resend")
        #expect(Self.name(Self.requested(mayRepeat: false).connectionEnded(isUnsent: false)) == "fail")
    }

    @Test("A request is not repeated after the first byte of its response")
    func withinResponse() {
        var state = Self.requested(mayRepeat: true)
        guard case .parse(isFirst: true) = state.bytesReceived(isUnsent: false),
            case .parse(isFirst: false) = state.bytesReceived(isUnsent: false)
        else {
            Issue.record("the bytes were not parsed as the response")
            return
        }
        #expect(Self.name(state.connectionEnded(isUnsent: false)) == "fail")
    }

    @Test(
        "A connection is released only if the response allows reuse and no bytes follow it"
    )
    func release() {
        var state = Self.requested(mayRepeat: false)
        _ = state.bytesReceived(isUnsent: false)
        var other = state
        var third = state
        #expect(!Self.isRelease(other.responseEnded(isSuccess: true, isReusable: false, strayBytes: 0)))
        #expect(!Self.isRelease(third.responseEnded(isSuccess: true, isReusable: true, strayBytes: 1)))
        #expect(!other.isIdle && !third.isIdle)
        #expect(Self.isRelease(state.responseEnded(isSuccess: false, isReusable: true, strayBytes: 0)))
        #expect(state.isIdle)
    }

    @Test("A connection is closed if a refusal ends before the request is written")
    func halfWritten() {
        var state = Self.requested(mayRepeat: false, written: false)
        _ = state.bytesReceived(isUnsent: false)
        guard case .close = state.responseEnded(isSuccess: false, isReusable: true, strayBytes: 0) else {
            Issue.record("the connection was not closed")
            return
        }
    }

    @Test("A success that ends before the request is written waits for the request, and drops further bytes")
    func answered() {
        var state = Self.requested(mayRepeat: true, written: false)
        _ = state.bytesReceived(isUnsent: false)
        guard case .awaitRequest = state.responseEnded(isSuccess: true, isReusable: true, strayBytes: 0)
        else {
            Issue.record("the response did not wait")
            return
        }
        #expect(state.owesRequest)
        guard case .drop = state.bytesReceived(isUnsent: false) else {
            Issue.record("the bytes were not dropped")
            return
        }
        #expect(Self.name(state.connectionEnded(isUnsent: false)) == "fail")
        state.requestWritten()
        #expect(!state.owesRequest)
        #expect(Self.isRelease(state.responseEnded(isSuccess: true, isReusable: true, strayBytes: 0)))
    }

    @Test(
        "A connection is not released if the request body was cut short"
    )
    func cutBody() {
        var state = Self.requested(mayRepeat: false, written: false)
        _ = state.bytesReceived(isUnsent: false)
        state.bodyDropped()
        state.requestWritten()
        #expect(!Self.isRelease(state.responseEnded(isSuccess: true, isReusable: true, strayBytes: 0)))
    }

    @Test("A request is not repeated after it reads from a body that cannot be restarted")
    func takenBody() {
        var state = Self.requested(mayRepeat: true, written: false)
        state.bodyTaken()
        #expect(Self.name(state.connectionEnded(isUnsent: false)) == "fail")
    }

    @Test("A closed connection ignores later events")
    func closed() {
        var state = Self.requested(mayRepeat: true)
        state.closed()
        #expect(Self.name(state.connectionEnded(isUnsent: false)) == "ignore")
        guard case .discard = state.bytesReceived(isUnsent: false) else {
            Issue.record("the bytes were not discarded")
            return
        }
    }

    @Test("A connection that ends while it opens fails its call, which is not repeated")
    func opening() {
        #expect(Self.name(ConnectionState().connectionEnded(isUnsent: false)) == "fail")
    }
}

// Tests input and closes from an upstream that cannot have read the request yet.
@Suite("Connection state: input before the request")
struct EarlyConnectionStateTests {
    static func receipt(isReused: Bool, mayRepeat: Bool) -> ConnectionState.Receipt {
        var state = ConnectionStateTests.requested(isReused: isReused, mayRepeat: mayRepeat)
        return state.bytesReceived(isUnsent: true)
    }

    @Test(
        "If bytes arrive before the request is sent, it is sent on another connection, repeatable or not",
        arguments: [true, false])
    func early(mayRepeat: Bool) {
        guard case .resend = Self.receipt(isReused: true, mayRepeat: mayRepeat) else {
            Issue.record("the request was not sent on another connection")
            return
        }
    }

    @Test("Bytes before the first request on a new connection are a protocol error")
    func earlyOnNew() {
        guard case .refuse = Self.receipt(isReused: false, mayRepeat: true) else {
            Issue.record("the bytes were not refused")
            return
        }
    }

    @Test(
        "If a reused connection ends before the request is sent, the request is sent on another connection")
    func endBefore() {
        let state = ConnectionStateTests.requested(mayRepeat: false)
        #expect(ConnectionStateTests.name(state.connectionEnded(isUnsent: true)) == "resend")
        let first = ConnectionStateTests.requested(isReused: false, mayRepeat: true)
        #expect(ConnectionStateTests.name(first.connectionEnded(isUnsent: true)) == "fail")
    }

    @Test("After a 408 on a reused connection, only a repeatable request is sent again")
    func staleTimeout() {
        #expect(ConnectionStateTests.requested(mayRepeat: true).resendsAfterTimeout)
        #expect(!ConnectionStateTests.requested(mayRepeat: false).resendsAfterTimeout)
    }

    @Test("A 408 on a new connection or after a 1xx response is the response to the request")
    func ownTimeout() {
        #expect(!ConnectionStateTests.requested(isReused: false, mayRepeat: true).resendsAfterTimeout)
        var state = ConnectionStateTests.requested(mayRepeat: true)
        state.informationalReceived()
        #expect(!state.resendsAfterTimeout)
    }
}
