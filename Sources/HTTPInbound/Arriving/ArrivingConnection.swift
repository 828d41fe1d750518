internal import EventIO
internal import HTTPModel
internal import HTTPWire
internal import Timers

/// A connection before its first request: reads the header of the PROXY protocol, if its peer has to send
/// one, and performs the TLS handshake, if the server has TLS. Then an `InboundConnection` gets its stream
/// and its slot. Used on its loop only. The server retains it until it ends or has arrived.
final class ArrivingConnection {
    let server: InboundServer
    let stream: SocketStream
    private(set) var peer: InboundPeer
    /// Nil on a plain port.
    let context: TLSServerContext?
    let acceptedAt: MonotonicTime
    var index = 0
    var holdsPlace: Bool
    private var state: ArrivingState
    private var proxyHeader = ProxyHeaderParser()
    private var timer: TimerToken?
    private var isOpen = true
    /// Whether the next step of its handshake waits for its turn.
    private var awaitsTurn = false

    init(stream: SocketStream, server: InboundServer, holdsPlace: Bool, expectsProxyHeader: Bool) {
        self.server = server
        self.stream = stream
        self.holdsPlace = holdsPlace
        context = server.tls?.context
        peer = InboundPeer(stream.remoteAddress, loop: server.loop)
        acceptedAt = server.loop.wakeTime
        state = ArrivingState(
            expectsProxyHeader: expectsProxyHeader, isSecure: context != nil, acceptedAt: acceptedAt,
            limits: server.stateLimits)
    }

    /// Starts its deadline. Call it once it has its slot.
    func begin() {
        if state.isUnfinishedHandshake { server.unfinished.insert(index, client) }
        setTimer()
    }

    private func setTimer() {
        guard isOpen else { return }
        if let timer { server.loop.cancelTimer(timer) }
        timer = state.deadline.map { server.loop.setTimer(at: $0, target: self) }
    }

    // MARK: The PROXY protocol

    /// Reads the header with which a trusted peer has to begin. Returns the bytes used.
    private func receiveProxyHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        var used = 0
        switch proxyHeader.parse(bytes, consumed: &used) {
        case .needMore: return used
        case .failed(let fault):
            refuseProxyHeader(fault)
            return used
        case .header(.peer): break
        case .header(.client(let address, let isSecure)):
            peer = InboundPeer(
                peer, client: ForwardedClient(address, scheme: isSecure ? "https" : nil))
            stream.client = peer.clientPrefix
            server.order.clientKnown(index, client)
            if context != nil { server.unfinished.clientKnown(index, client) }
        }
        switch state.proxyHeaderRead() {
        case .awaitHandshake: setTimer()
        case .serve:
            arrive(nil)?.streamReceived(UnsafeRawBufferPointer(rebasing: bytes[used...]))
            return bytes.count
        }
        return used
    }

    /// Closes the connection of a trusted peer that does not begin with the header.
    private func refuseProxyHeader(_ fault: ProxyHeaderFault) {
        server.refusedProxyHeader(fault, from: peer.address)
        end(.close, .completed)
    }

    // MARK: The handshake

    private func receiveFirst(_ bytes: UnsafeRawBufferPointer) {
        guard let context, !bytes.isEmpty else { return }
        switch state.firstBytesArrived(FirstBytes(bytes)) {
        case .beginHandshake:
            stream.acceptTLS(context, received: bytes)
            awaitTurn()
        case .refusePlain:
            server.handshakeEnded(.failed, "a plain HTTP request", peer.address)
            arrive(nil)?.refusePlain(bytes)
        case .close(let reason):
            server.handshakeEnded(.failed, reason, peer.address)
            end(.close, .completed)
        }
    }

    private func awaitTurn() {
        guard isOpen, !awaitsTurn else { return }
        awaitsTurn = true
        server.unfinished.awaitsTurn(index)
        server.turns.add(self)
    }

    /// Gives stream and slot to the connection that serves requests. Returns it.
    private func arrive(_ security: ConnectionSecurity?) -> InboundConnection? {
        guard isOpen else { return nil }
        leave()
        return server.arrived(self, security)
    }

    /// Leaves the arriving connections.
    private func leave() {
        isOpen = false
        if let timer { server.loop.cancelTimer(timer) }
        timer = nil
        if context != nil { server.unfinished.remove(index) }
    }
}

extension ArrivingConnection: HandshakeWork {
    func handshakeTurn() {
        awaitsTurn = false
        guard isOpen else { return }
        stream.continueHandshake()
        guard isOpen, !awaitsTurn else { return }
        server.unfinished.hadTurn(index, hasAnswered: stream.hasSent, at: server.loop.wakeTime)
        // It may give way to a newcomer now.
        if !stream.hasSent { server.acceptAgain() }
    }
}

extension ArrivingConnection: ClientConnection {
    var client: AddressPrefix { peer.clientPrefix }
    var waitingBytes: Int { 0 }
    var readerDueAt: MonotonicTime { .distantFuture }
    var isServed: Bool { false }

    /// Costs a system call.
    var evictability: Evictability { awaitsTurn || stream.hasUnreadBytes ? .active : .evictable }

    func askWhenReaderIsDue() -> MonotonicTime { .distantFuture }
    func forgetIdleReport() {}

    func giveWay() {
        if context != nil {
            server.handshakeEnded(.shed, "the connection made room for others", peer.address)
        }
        end(.close, .completed)
    }

    func use(_ handler: any InboundHandler, limits: StateLimits) { state.use(limits) }

    func drainAnnounced() { state.drainAnnounced() }

    func listenerClosed(at now: MonotonicTime) {
        state.listenerClosed(at: now)
        setTimer()
    }

    /// What the policy was at its beginning is compared when it has arrived.
    func clientPolicyChanged() {}

    func end(_ ending: Ending, _ outcome: InboundOutcome) {
        guard isOpen else { return }
        leave()
        switch ending {
        case .close: stream.close()
        case .reset: stream.reset()
        }
        server.connectionEnded(self)
    }
}

extension ArrivingConnection: StreamHandler {
    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        guard isOpen else { return }
        state.bytesArrived()
        var rest = bytes
        if state.isReadingProxyHeader {
            rest = UnsafeRawBufferPointer(rebasing: bytes[receiveProxyHeader(bytes)...])
        }
        if isOpen { receiveFirst(rest) }
    }

    func streamMayHandshake() -> Bool {
        awaitTurn()
        return false
    }

    func streamConnected() {
        guard isOpen else { return }
        state.handshakeDone()
        server.handshakeEnded(stream.isResumed ? .resumed : .full)
        _ = arrive(ConnectionSecurity(stream))
    }

    func streamReachedEnd() { clientLeft("the client left") }

    func streamFailed(_ error: SocketError) {
        guard error.kind != .loopEnded else { return end(.close, .aborted) }
        clientLeft(error.tls?.description ?? error.description)
    }

    private func clientLeft(_ reason: String) {
        guard isOpen else { return }
        switch state.clientLeft() {
        case .close: break
        case .refuseProxyHeader: return refuseProxyHeader(.malformed)
        case .handshakeFailed: server.handshakeEnded(.failed, reason, peer.address)
        }
        end(.close, .clientGone)
    }
}

extension ArrivingConnection: TimerTarget {
    func timerFired(_ token: TimerToken) {
        timer = nil
        guard isOpen else { return }
        // What has arrived is not late: it waits for us.
        if awaitsTurn, server.loop.areTimersLate { return setTimer() }
        switch state.deadlinePassed(at: server.loop.wakeTime) {
        case .wait: setTimer()
        case .close: end(.close, .completed)
        case .refuseProxyHeader: refuseProxyHeader(.timeout)
        case .timedOut:
            server.handshakeEnded(.timeout, "the handshake took too long", peer.address)
            end(.close, .completed)
        }
    }
}
