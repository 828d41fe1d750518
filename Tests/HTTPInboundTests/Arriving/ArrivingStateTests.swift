import EventIO
import HTTPWire
import Testing

@testable import HTTPInbound

@Suite("The state of a connection before its first request")
struct ArrivingStateTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1e9))
    }

    private static func state(proxy: Bool = false, tls: Bool = true) -> ArrivingState {
        var limits = InboundLimits()
        limits.headerDeadline = .seconds(5)
        limits.handshakeDeadline = .seconds(10)
        limits.drainGrace = .seconds(1)
        return ArrivingState(
            expectsProxyHeader: proxy, isSecure: tls, acceptedAt: at(0), limits: StateLimits(limits))
    }

    @Test("A handshake has its time from accept, whatever arrives of it")
    func handshakeDeadline() {
        var state = Self.state()
        #expect(state.deadline == Self.at(10))
        state.bytesArrived()
        #expect(state.firstBytesArrived(.tls) == .beginHandshake)
        #expect(state.deadline == Self.at(10))
        #expect(state.deadlinePassed(at: Self.at(9.9)) == .wait)
        #expect(state.deadlinePassed(at: Self.at(10)) == .timedOut)
        #expect(state.deadline == nil)
    }

    @Test("A client that sends nothing has timed out as well")
    func silent() {
        var state = Self.state()
        #expect(state.deadlinePassed(at: Self.at(10)) == .timedOut)
    }

    @Test("A PROXY header has the time of a head, and the handshake behind it its own from accept")
    func proxyDeadline() {
        var state = Self.state(proxy: true)
        #expect(state.isReadingProxyHeader && state.isUnfinishedHandshake)
        #expect(state.deadline == Self.at(5))
        var late = state
        #expect(late.deadlinePassed(at: Self.at(5)) == .refuseProxyHeader)
        state.bytesArrived()
        #expect(state.proxyHeaderRead() == .awaitHandshake)
        #expect(state.deadline == Self.at(10))
        #expect(state.firstBytesArrived(.tls) == .beginHandshake)
        state.handshakeDone()
        #expect(state.deadline == nil && !state.isUnfinishedHandshake)
    }

    @Test("Without TLS a connection serves requests behind its PROXY header")
    func plainProxy() {
        var state = Self.state(proxy: true, tls: false)
        #expect(!state.isUnfinishedHandshake, "it waits for no handshake")
        #expect(state.proxyHeaderRead() == .serve)
        #expect(state.deadline == nil)
    }

    @Test(
        "Only TLS begins a handshake, and only a request gets an answer",
        arguments: [
            (.tls, .beginHandshake), (.request, .refusePlain),
            (.proxyHeader, .close("a PROXY header, which clients.header does not expect")),
            (.unknown, .close("neither TLS nor HTTP")),
        ] as [(FirstBytes, ArrivingState.FirstBytesAction)])
    func firstBytes(bytes: FirstBytes, expected: ArrivingState.FirstBytesAction) {
        var state = Self.state()
        #expect(state.firstBytesArrived(bytes) == expected)
        #expect(state.isUnfinishedHandshake == (bytes == .tls))
    }

    @Test("A client that leaves before its first byte has failed at nothing")
    func leaving() {
        var state = Self.state()
        #expect(state.clientLeft() == .close)
        state = Self.state()
        state.bytesArrived()
        _ = state.firstBytesArrived(.tls)
        #expect(state.clientLeft() == .handshakeFailed)
        state = Self.state(proxy: true)
        #expect(state.clientLeft() == .close)
        state = Self.state(proxy: true)
        state.bytesArrived()
        #expect(state.clientLeft() == .refuseProxyHeader)
        #expect(state.deadline == nil)
    }

    @Test("While draining, a silent connection has the drain's grace; a handshake that has begun goes on")
    func drain() {
        var silent = Self.state()
        silent.drainAnnounced()
        #expect(silent.deadline == Self.at(10))
        silent.listenerClosed(at: Self.at(2))
        #expect(silent.deadline == Self.at(3))
        #expect(silent.deadlinePassed(at: Self.at(3)) == .close)
        var begun = Self.state()
        begun.bytesArrived()
        _ = begun.firstBytesArrived(.tls)
        begun.listenerClosed(at: Self.at(2))
        #expect(begun.deadline == Self.at(10))
        #expect(begun.deadlinePassed(at: Self.at(10)) == .timedOut)
    }

    @Test("While draining, a PROXY header that does not come is not complained of")
    func drainedProxy() {
        var state = Self.state(proxy: true)
        state.bytesArrived()
        state.listenerClosed(at: Self.at(2))
        #expect(state.deadlinePassed(at: Self.at(5)) == .close)
    }
}
