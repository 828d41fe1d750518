internal import EventIO
internal import HTTPModel
internal import HTTPWire
internal import Resilience
internal import Timers

/// One connection to an upstream and the call that it serves. Performs what `ConnectionState` decides.
///
/// A call's end is emitted only after the call is detached and the pool is told, so a subscriber may at once
/// start another call on the same connection.
final class Connection {
    let slot: Int
    let pool: UpstreamPool
    // Copied from the pool, which saves a retain of the pool at each use.
    let loop: EventLoop
    let shared: SharedClientState
    let host: RequestSerializer.Host
    // Touched only on the loop. No step of the state or the reader calls back.
    var state = ConnectionState()
    private(set) var stream: SocketStream?
    /// Handles the stream until the proxy's tunnel is open.
    private var tunnel: ProxyTunnel?
    /// nil if no proxy sees the requests.
    let forwardProxy: ForwardProxy?
    var call: OutboundCall?
    var response: ResponseReader
    /// Why the last request could not be written as HTTP.
    private var failure: SerializationError?
    /// Whether the socket took all of the last request.
    private var isWritten = false
    /// Whether the last request logs a user in on the connection.
    var logsIn = false
    /// Whether the request went out with an Expect field and can be repeated without it.
    var mayDropExpectation = false
    private(set) var mayExpect = true
    /// Sends the request's body in pieces; nil once the body is out or is not wanted.
    private(set) var upload: OutboundBodyWriter?
    /// Whether its address serves no further call.
    private(set) var isRetired = false
    /// Where it must be connected to, once it is open, to serve further calls; nil for anywhere.
    private var usableAddresses: Set<SocketAddress>?
    /// Input left over since the call paused, or from the last turn of the loop.
    var unread: UnreadBytes?
    /// A complete response that waits for the rest of its request.
    var early: EarlyResponse?
    /// One timer for successive calls. It is set again only for an earlier deadline, and checks what is due
    /// when it fires, so a call that ends in time neither sets nor cancels a timer.
    private var timer: (token: TimerToken, at: MonotonicTime)?

    /// The remote address, kept once the connection is open.
    private var openAddress: PeerAddress?
    private let began: MonotonicTime

    init(pool: UpstreamPool, slot: Int) {
        self.pool = pool
        loop = pool.loop
        shared = pool.shared
        host = pool.host
        forwardProxy = pool.forwardProxy
        began = pool.loop.wakeTime
        self.slot = slot
        response = ResponseReader(limits: pool.limits, memory: pool.bodyMemory)
    }

    // MARK: Commands

    /// Serves no further call, unless it is connected to one of these addresses.
    func retire(except addresses: Set<SocketAddress>) {
        usableAddresses = addresses
        checkAddress()
        if isRetired, call == nil { discard(.addressGone) }
    }

    private func checkAddress() {
        guard let usableAddresses, let stream, !state.isOpening else { return }
        isRetired = !usableAddresses.contains(stream.remoteAddress)
    }

    func open(for call: OutboundCall) {
        self.call = call
        let timeout = call.connectionOpens(self)
        (stream, tunnel) = pool.opener.open(timeout: timeout, for: self)
    }

    /// Sends the request of this call over the idle connection. Returns why the request cannot be written as
    /// HTTP; the connection then stays idle.
    func send(_ call: OutboundCall, isReused: Bool) -> SerializationError? {
        guard let stream else { preconditionFailure("an idle connection without a stream") }
        stream.sendOnlyIfSilent()
        let bytesBefore = bytesSent
        mayExpect = !call.dropsExpectation
        mayDropExpectation = false
        response.decodesContent = call.decodesContent
        call.writeRequest(to: RequestWriter(connection: self, stream: stream))
        if let failure {
            self.failure = nil
            return failure
        }
        self.call = call
        state.requestStarted(isReused: isReused, mayRepeat: call.mayResend && !call.wasResent)
        let now = loop.wakeTime
        call.requestStarted(on: self, isReused: isReused, bytesBefore: bytesBefore, now: now)
        if isWritten { state.requestWritten() }
        // The byte count matters only until the request is written.
        call.requestProgressed(isWritten: isWritten, bytesSent: isWritten ? 0 : bytesSent, now: now)
        if let upload { begin(upload) }
        return nil
    }

    /// The remote address, or the proxy's. nil until an address was tried.
    var address: PeerAddress? {
        if let openAddress { return openAddress }
        // The port is 0 until the first address is tried.
        guard let stream, stream.remoteAddress.port != 0 else { return nil }
        let address = pool.address(stream.remoteAddress)
        if !state.isOpening { openAddress = address }
        return address
    }

    /// Whether nothing of the current request was handed to the kernel.
    var isUnsent: Bool { stream?.isUnsent ?? true }

    /// Bytes of all requests that the kernel has taken, which measure progress in writing.
    var bytesSent: Int64 { stream?.bytesSent ?? 0 }

    /// Closes the connection at once and tells the pool. Does nothing if it is closed.
    func discard(_ reason: DiscardReason) {
        guard !state.isClosed else { return }
        close(reason)
        pool.closed(self)
    }

    /// Closes the connection. The caller tells the pool.
    func close(_ reason: DiscardReason) {
        pool.closes(self, reason)
        state.closed()
        if let timer { loop.cancelTimer(timer.token) }
        timer = nil
        tunnel?.cancel()
        tunnel = nil
        noteUnfinishedBody()
        endUpload()
        unread = nil
        early = nil
        stream?.close()
        stream = nil
    }

    /// What was gathered of a response is about to be dropped.
    func noteUnfinishedBody() {
        if response.gatheredByteCount >= EventLoop.largeMemory { loop.largeMemoryWasFreed() }
    }

    func detachCall() -> OutboundCall? {
        guard let left = call else { return nil }
        call = nil
        left.leftConnection()
        return left
    }

    /// The connection to the upstream or its proxy could not be opened.
    func openingFailed(_ error: SocketError, _ detail: String) {
        let reason = FailureReason(connecting: error)
        if error.isOutOfDescriptors {
            call?.lacksDescriptors = true
            shared.descriptorsExhausted(error)
        } else if reason != .connectionLimitReached {
            return fail(reason, detail)
        }
        guard pool.mayWait, let call = detachCall() else { return fail(reason, detail) }
        close(DiscardReason(reason))
        pool.awaitDescriptor(call, insteadOf: self)
    }

    func fail(_ reason: FailureReason, _ detail: String) {
        if isUnsent { call?.requestStayedUnsent() }
        if upload?.awaitsPiece == true { call?.lacksBody = true }
        call?.earlyStatus = earlyStatus
        let ended = detachCall()
        discard(DiscardReason(reason))
        ended?.fail(reason, detail)
    }
}

// What a `RequestWriter` reports while `send` runs.
extension Connection {
    /// The request was handed to the stream; `isQueued` if the socket did not take all of it.
    func requestWritten(_ method: HTTPMethod, isQueued: Bool) {
        isWritten = !isQueued
        response.expect(method: method)
    }

    /// The head was handed to the stream, and this body follows it.
    func headWritten(_ method: HTTPMethod, bodyOf source: any OutboundBodySource, expectsContinue: Bool) {
        isWritten = false
        mayDropExpectation = expectsContinue
        response.expect(method: method)
        upload = OutboundBodyWriter(
            source, on: self,
            continueTimeout: expectsContinue ? TimeAmount(pool.limits.continueTimeout) : nil)
    }

    /// The request cannot be written as HTTP; nothing was sent.
    func requestFailed(_ error: SerializationError) { failure = error }
}

extension Connection {
    /// A piece of the body is about to be taken from a source that cannot start over.
    func bodyTaken() {
        state.bodyTaken()
        mayDropExpectation = false
    }

    /// The body is complete, or no longer wanted.
    func endUpload() {
        guard let upload = upload.take() else { return }
        upload.stop()
    }
}

extension Connection: TimerTarget {
    /// Checks the call's deadlines at this time, or earlier.
    func setTimer(by deadline: MonotonicTime) {
        if let timer {
            guard deadline < timer.at else { return }
            loop.cancelTimer(timer.token)
        }
        timer = (loop.setTimer(at: deadline, target: self), deadline)
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        if let call { return call.checkDeadlines() }
        // Its call was cancelled. A timer of an earlier call may fire while it is idle.
        if state.isOpening { discard(.callCancelled) }
    }
}

extension Connection: StreamHandler {
    func streamConnected() {
        if let chosen = stream?.applicationProtocol, chosen != "http/1.1" {
            return fail(.tlsProtocolError, "the upstream speaks \(chosen) and not HTTP/1.1 (ALPN)")
        }
        state.opened()
        checkAddress()
        pool.opened(self)
        if let observer = shared.observer {
            observer.connectionOpened(to: pool.origin, address: address, after: loop.wakeTime - began)
        }
        // Without a call if that was cancelled meanwhile.
        guard let call = detachCall() else { return pool.released(self, peer: .unspecified) }
        pool.serve(call, on: self, isReused: false)
    }

    func streamQueued() {
        guard let call, let stream else { return }
        if let upload { return upload.socketProgressed() }
        state.requestQueued()
        call.requestProgressed(isWritten: false, bytesSent: stream.bytesSent, now: loop.wakeTime)
    }

    func streamFlushed() {
        guard let call, !state.isBodyDropped, stream?.hasFailed == false else { return }
        if let upload { return uploadFlushed(upload) }
        state.requestWritten()
        if early != nil { return finishEarly() }
        call.requestProgressed(isWritten: true, bytesSent: 0, now: loop.wakeTime)
        if call.mayStream { call.bodyWaits(0) }
    }

    func streamFills(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> StreamFilling {
        guard call != nil else { return .no }
        if response.awaitsHead { return .later }
        return response.fill(read) ? .filled : .no
    }

    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        switch state.bytesReceived(isUnsent: isUnsent) {
        case .discard: discard(.unexpectedBytes)
        case .resend: resend(.unexpectedBytes)
        case .refuse: fail(.protocolError, "the upstream sent bytes before the request")
        case .drop: early?.strayBytes += bytes.count
        case .parse(let isFirst):
            // Moved out and back to avoid a retain.
            let served = call.take()
            served?.bytesReceived(areFirst: isFirst, now: loop.wakeTime)
            guard let limit = served?.wholeResponse, bytes.count <= limit,
                let layout = response.locateResponse(in: bytes)
            else {
                call = served
                return read(bytes)
            }
            if !layout.framing.tolerated.isEmpty { noteTolerated(layout.framing.tolerated) }
            let (head, body) = response.take(layout, of: bytes)
            if head.status == .requestTimeout, state.resendsAfterTimeout {
                call = served
                return resend(.stale)
            }
            if head.status == .expectationFailed, mayDropExpectation {
                call = served
                return resendWithoutExpectation()
            }
            if let served, served.needsCharge(bytes.count), !charge(bytes.count, to: served) {
                call = served
                return fail(.memoryLimit, ResponseReader.memoryDetail)
            }
            finish(
                served, head, body, isReusable: layout.framing.keepAlive,
                isLoggedIn: logsIn || layout.framing.logsInConnection,
                keepAlive: KeepAlive(layout.framing), strayBytes: bytes.count - layout.length)
        }
    }

    /// Charges the memory of a whole response. Returns false if the memory is full.
    @inline(never)
    private func charge(_ size: Int, to call: OutboundCall) -> Bool {
        guard let memory = pool.bodyMemory else { return true }
        return call.charge(size, to: memory)
    }

    func streamReachedEnd() {
        guard early == nil else { return peerFinishedEarly() }
        guard case .fail = ended() else { return }
        switch response.inputEnded() {
        case .whole(let response): finish(response)
        case .failed(let reason, let detail): fail(reason, detail)
        case .needMore, .later, .informational, .head, .piece, .gathered:
            fail(.responseIncomplete, "the connection ended within the response")
        }
    }

    func streamFailed(_ error: SocketError) {
        if error.kind == .loopEnded { return pool.loopEnded() }
        guard !state.isOpening else {
            return openingFailed(error, error.description)
        }
        if endsWithoutBodyEnd { return finishEarly(isReusable: false) }
        let reason = FailureReason(serving: error, isWithinResponse: state.hasFirstByte && early == nil)
        // `.truncated` means only that the connection was cut.
        let isCut = error.tls == nil || error.tls?.kind == .truncated
        guard case .fail = ended(isCut ? .peerClosed : DiscardReason(reason)) else { return }
        fail(reason, error.description)
    }

    func finish(_ response: WholeResponse) {
        let size = response.body.count
        if let charge = self.response.takeCharge() {
            call?.bodyCharge = charge
        } else if let call, call.needsCharge(size), !charge(size, to: call) {
            return fail(.memoryLimit, ResponseReader.memoryDetail)
        }
        finish(
            call.take(), response.head, response.body, isReusable: response.isReusable,
            isLoggedIn: logsIn || response.logsInConnection, keepAlive: response.keepAlive,
            strayBytes: response.strayBytes)
    }

    /// `ended` is the call, moved out of the connection.
    func finish(
        _ ended: OutboundCall?, _ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>,
        isReusable: Bool, isLoggedIn: Bool, keepAlive: KeepAlive, strayBytes: Int
    ) {
        // If the peer has left already, notice it now rather than in the next call.
        let isReusable = isReusable && stream?.peerHasLeft == false
        let status = head.status
        let completion = state.responseEnded(
            isSuccess: status.isSuccess, isReusable: isReusable, isLoggedIn: isLoggedIn,
            strayBytes: strayBytes, awaitsBodyEnd: upload?.isFinished == false)
        switch completion {
        case .awaitRequest:
            call = ended
            let response = EarlyResponse(
                head, body, isReusable: isReusable, isLoggedIn: isLoggedIn, keepAlive, strayBytes: strayBytes)
            return awaitRequest(response)
        case .release:
            ended?.leftConnection()
            endUpload()
            pool.released(self, peer: keepAlive)
        case .close:
            ended?.leftConnection()
            if let ended, !state.isWritten || state.isBodyDropped { cutRequest(of: ended) }
            endUpload()
            let reason: DiscardReason = isLoggedIn ? .loggedIn : isReusable ? .requestUnfinished : .peerCloses
            discard(strayBytes > 0 ? .unexpectedBytes : reason)
        }
        ended?.succeed(head, body)
    }

    /// The peer has ended its side. The caller handles `.fail`, as it knows the cause.
    private func ended(_ reason: DiscardReason = .peerClosed) -> ConnectionState.Ending {
        let ending = state.connectionEnded(isUnsent: isUnsent)
        switch ending {
        case .ignore, .fail: break
        case .remove: discard(reason)
        case .resend: resend(reason)
        }
        return ending
    }
}
