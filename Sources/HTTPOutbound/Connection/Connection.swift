internal import EventIO
internal import HTTPModel
internal import HTTPWire
internal import Rx

/// One connection to an upstream, from its opening to its close, with the call that it serves.
///
/// Each event goes through `ConnectionState`, which decides, and is performed here. A call is always let go of,
/// and the pool told, before the call's end is emitted: what the subscriber does then, even another call on this
/// very connection, finds everything in order.
final class Connection {
    let slot: Int
    private let pool: UpstreamPool
    // The pool's, here so that to use them needs no hold on the pool.
    let loop: EventLoop
    private let shared: LoopState
    private let host: RequestSerializer.Host
    // Touched by the loop's thread alone; a step of the state or of the reader calls nobody.
    var state = ConnectionState()
    private(set) var stream: SocketStream?
    /// What has the stream first, where the way leads through a proxy's tunnel.
    private var tunnel: ProxyTunnel?
    /// What a proxy wants of each request; nil where none sees them.
    private let proxied: ProxiedRequests?
    private(set) var call: OutboundCall?
    var response: ResponseReader
    /// Why the request that was to be sent last is none.
    private var failure: SerializationError?
    /// Whether the socket took the whole of it, or will be offered it.
    private var isWritten = false
    /// Whether the request went out with an expectation, and can go out again without.
    private(set) var mayDropExpectation = false
    /// Whether the upstream may be asked first whether it wants the body.
    private var mayExpect = true
    /// The body that is on its way in pieces, up to its end or the response's.
    private(set) var upload: OutboundBodyWriter?
    /// What the call, which paused, has not taken yet.
    var unread: UnreadBytes?
    /// One timer for one call after the other. It is set anew only where a deadline comes before it, and looks when it fires
    /// what is due: a call that ends in time neither sets a timer nor cancels one.
    private var timer: (token: TimerToken, at: MonotonicTime)?

    /// The address, kept once it is open.
    private var openAddress: PeerAddress?
    private let began: MonotonicTime

    init(pool: UpstreamPool, slot: Int) {
        self.pool = pool
        loop = pool.loop
        shared = pool.shared
        host = pool.host
        proxied = pool.proxied
        began = pool.loop.wakeTime
        self.slot = slot
        response = ResponseReader(limits: pool.limits)
    }

    // MARK: Commands

    /// Connects for this call, whose request goes out as soon as it is connected.
    func open(for call: OutboundCall) {
        self.call = call
        let timeout = call.connectionOpens(self)
        (stream, tunnel) = pool.opener.open(timeout: timeout, for: self)
    }

    /// Sends the request of this call. The connection is idle, and stays so when the request is no HTTP.
    func run(_ call: OutboundCall, isReused: Bool) -> SerializationError? {
        stream?.sendOnlyIfSilent()
        let bytesBefore = bytesSent
        mayExpect = !call.dropsExpectation
        mayDropExpectation = false
        response.decodesContent = call.decodesContent
        call.sendRequest(to: self)
        if let failure {
            self.failure = nil
            return failure
        }
        self.call = call
        state.requestStarted(isReused: isReused, mayRepeat: call.mayResend && !call.wasResent)
        let now = loop.wakeTime
        call.requestStarted(on: self, isReused: isReused, bytesBefore: bytesBefore, now: now)
        if isWritten { state.requestWritten() }
        // How far it got matters only while it is not written.
        call.requestMoved(isWritten: isWritten, bytesSent: isWritten ? 0 : bytesSent, now: now)
        if let upload { begin(upload) }
        return nil
    }

    /// Where it goes: the proxy's address where there is one. Nil until an address was tried.
    var address: PeerAddress? {
        if let openAddress { return openAddress }
        // Until then it is port 0.
        guard let stream, stream.remoteAddress.port != 0 else { return nil }
        let address = pool.address(stream.remoteAddress)
        if !state.isOpening { openAddress = address }
        return address
    }

    /// Whether nothing of the request under way has been handed to the kernel.
    private var isUnsent: Bool { stream?.isUnsent ?? true }

    /// How much of all requests the system has taken: what progress in writing is measured by.
    var bytesSent: Int64 { stream?.bytesSent ?? 0 }

    /// The call on it is over for reasons of its own: the connection is left in the middle and used no more.
    func abandon(_ reason: DiscardReason) {
        call = nil
        discard(reason)
    }

    /// Closes it, at once, and tells the pool. Nothing when it is closed.
    func discard(_ reason: DiscardReason) {
        guard !state.isClosed else { return }
        close(reason)
        pool.closed(self)
    }

    /// Closes it. The pool is the caller's to tell.
    func close(_ reason: DiscardReason) {
        if let observer = shared.observer {
            observer.connectionDiscarded(to: pool.origin, address: address, reason)
        }
        state.closed()
        if let timer { loop.cancelTimer(timer.token) }
        timer = nil
        tunnel?.cancel()
        tunnel = nil
        endUpload()
        unread = nil
        stream?.close()
        stream = nil
    }

    /// The call on it, which has it no more.
    func letGo() -> OutboundCall? {
        guard let left = call else { return nil }
        call = nil
        left.leftConnection()
        return left
    }

    /// Closes it and ends its call with this failure.
    func fail(_ reason: FailureReason, _ detail: String) {
        let ended = letGo()
        discard(DiscardReason(reason))
        ended?.fail(reason, detail)
    }
}

extension Connection: RequestSink {
    func send(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        body: ArraySlice<UInt8>?
    ) {
        guard let stream else { preconditionFailure("a request without a stream") }
        do throws(SerializationError) {
            try shared.send(
                method, target: target, host: host, fields: proxied?.adding(to: fields) ?? fields,
                sharedFields: sharedFields, body: body, over: stream)
            isWritten = stream.queuedByteCount == 0
            response.expect(method: method)
        } catch {
            failure = error
        }
    }

    func send(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        stream source: any OutboundBodySource
    ) {
        guard let stream else { preconditionFailure("a request without a stream") }
        do throws(SerializationError) {
            let expectsContinue = source.expectsContinue && mayExpect
            try shared.send(
                method, target: target, host: host, fields: proxied?.adding(to: fields) ?? fields,
                sharedFields: sharedFields, bodyOf: source, expectsContinue: expectsContinue, over: stream)
            isWritten = false
            mayDropExpectation = expectsContinue
            response.expect(method: method)
            upload = OutboundBodyWriter(
                source, on: self,
                continueTimeout: expectsContinue ? TimeAmount(pool.limits.continueTimeout) : nil)
        } catch {
            failure = error
        }
    }

    /// The first piece of the body is about to be taken from where it cannot be had twice.
    func bodyIsTaken() {
        state.bodyIsTaken()
        mayDropExpectation = false
    }

    /// The body on its way is whole, or wanted no more.
    func endUpload() {
        guard let upload = upload.take() else { return }
        upload.stop()
    }
}

extension Connection: TimerTarget {
    /// Has the call on it look at its clocks at this time, or sooner.
    func watchClock(until deadline: MonotonicTime) {
        if let timer {
            guard deadline < timer.at else { return }
            loop.cancelTimer(timer.token)
        }
        timer = (loop.setTimer(at: deadline, target: self), deadline)
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        call?.clockFired()
    }
}

extension Connection: StreamHandler {
    func streamConnected() {
        if let details = stream?.tlsDetails {
            let chosen = details.applicationProtocol ?? "http/1.1"
            guard chosen == "http/1.1" else {
                return fail(.tlsProtocolError, "the upstream speaks \(chosen) and not HTTP/1.1 (ALPN)")
            }
            call?.connectionSecured(details)
        }
        state.opened()
        if let observer = shared.observer {
            observer.connectionOpened(to: pool.origin, address: address, after: loop.wakeTime - began)
        }
        guard let call = letGo() else { return discard(.callCancelled) }
        pool.connected(self, for: call)
    }

    func streamQueued() {
        guard let call, let stream else { return }
        if let upload { return upload.socketMoved() }
        state.requestQueued()
        call.requestMoved(isWritten: false, bytesSent: stream.bytesSent, now: loop.wakeTime)
    }

    func streamFlushed() {
        guard let call else { return }
        if let upload { return uploadFlushed(upload) }
        state.requestWritten()
        call.requestMoved(isWritten: true, bytesSent: 0, now: loop.wakeTime)
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
        case .refuse: fail(.protocolError, "the upstream sent bytes before it was asked")
        case .parse(let isFirst):
            // Taken and put back, as nobody looks here meanwhile: to have it beside would be to retain it.
            let served = call.take()
            served?.bytesReceived(areFirst: isFirst, now: loop.wakeTime)
            guard served?.mayStream != true, let whole = response.whole(in: bytes) else {
                call = served
                return read(bytes)
            }
            let (head, body) = response.take(whole, of: bytes)
            if head.status == .requestTimeout, let ending = state.staleTimeout {
                call = served
                return timedOut(ending)
            }
            if head.status == .expectationFailed, mayDropExpectation {
                call = served
                return resendWithoutExpectation()
            }
            served?.leftConnection()
            finish(
                served, head, body, isReusable: whole.framing.keepAlive,
                keepAlive: KeepAlive(whole.framing), strayBytes: bytes.count - whole.length)
        }
    }

    func streamReachedEnd() {
        guard case .fail = ended() else { return }
        switch response.inputEnded() {
        case .whole(let response): finish(response)
        case .failed(let reason, let detail): fail(reason, detail)
        case .needMore, .informational, .head, .piece, .gathered:
            fail(.responseIncomplete, "the connection ended within the response")
        }
    }

    func streamFailed(_ error: SocketError) {
        if error.kind == .loopEnded { return pool.loopEnded() }
        guard !state.isOpening else {
            return fail(FailureReason(connecting: error), error.description)
        }
        let reason = FailureReason(serving: error, isWithinResponse: state.hasFirstByte)
        // `.truncated` says that the connection was cut, and nothing else.
        let isCut = error.tls == nil || error.tls?.kind == .truncated
        guard case .fail = ended(isCut ? .peerClosed : DiscardReason(reason)) else { return }
        fail(reason, error.description)
    }

    func finish(_ response: WholeResponse) {
        let ended = letGo()
        if let count = response.encodedCount { ended?.bodyWasCoded(in: count) }
        finish(
            ended, response.head, response.body, isReusable: response.isReusable,
            keepAlive: response.keepAlive,
            strayBytes: response.strayBytes)
    }

    /// - Parameter ended: the call on it, which has it no more.
    private func finish(
        _ ended: OutboundCall?, _ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>,
        isReusable: Bool, keepAlive: KeepAlive, strayBytes: Int
    ) {
        // A peer that has left already is seen here sooner than by the next call.
        let isReusable = isReusable && stream?.peerHasLeft == false
        // What is left of a body that is not written nobody waits for any more.
        endUpload()
        switch state.responseEnded(isReusable: isReusable, strayBytes: strayBytes) {
        case .release: pool.released(self, peer: keepAlive)
        case .close:
            discard(strayBytes > 0 ? .unexpectedBytes : isReusable ? .requestUnfinished : .peerCloses)
        }
        ended?.succeed(head, body)
    }

    /// The peer's side is over. `.fail` is left to the caller, who knows how it ended.
    private func ended(_ reason: DiscardReason = .peerClosed) -> ConnectionState.Ending {
        let ending = state.connectionEnded(isUnsent: isUnsent)
        switch ending {
        case .ignore, .fail: break
        case .remove: discard(reason)
        case .resend: resend(reason)
        }
        return ending
    }

    /// The upstream answered 408 because the connection lay idle.
    func timedOut(_ ending: ConnectionState.Ending) {
        if case .resend = ending { return resend(.stale) }
        fail(.connectionTerminated, "the upstream gave the connection up (408)")
    }

    /// RFC 9110 10.1.1: a client that receives 417 repeats its request without the expectation.
    func resendWithoutExpectation() {
        guard let call = letGo() else { return discard(.expectationFailed) }
        close(.expectationFailed)
        call.expectationFailed()
        pool.replace(self, for: call)
    }

    private func resend(_ reason: DiscardReason) {
        guard let call = letGo() else { return discard(reason) }
        let wasSent = !isUnsent
        close(reason)
        call.isResent(wasSent: wasSent)
        pool.replace(self, for: call)
    }
}
