import Glibc

extension SocketStream {
    /// Encrypts everything that follows, as a client (RFC 8446, RFC 5246). On a connecting stream TLS starts
    /// with the first byte, and `streamConnected` is called after the handshake. On an open stream, such as a
    /// proxy tunnel, TLS starts now, and `streamConnected` is called once more.
    ///
    /// Bytes written before that are sent, encrypted, after the handshake. If the handshake fails, the stream
    /// is closed and `streamFailed` is called from the loop with the `TLSError`.
    ///
    /// - Parameters:
    ///   - context: the configuration and its resumable sessions.
    ///   - host: the server's name or address for SNI and verification, unless the configuration has a
    ///     `serverName`.
    ///   - sessionKey: identifies the server in the session cache, as `host:port`. Default: the host.
    ///   - deadline: when the handshake fails with `.connectTimedOut`.
    ///   - received: bytes of the peer that were already read and belong to TLS.
    public func startTLS(
        _ context: TLSContext, host: String, sessionKey: String? = nil, deadline: MonotonicTime,
        received: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        precondition(tls == nil, "TLS can be started only once")
        guard state == .open || state == .connecting else { return }
        do throws(TLSError) {
            let engine = try TLSEngine(context, host: host, sessionKey: sessionKey ?? host, stream: self)
            engine.deadline = deadline
            tls = engine
        } catch {
            return failLater(SocketError(error, .handshake))
        }
        guard state == .open else { return }
        startHandshake()
        tls?.keep(received)
        // No edge reports what is in the socket or was read already.
        runLater(.read)
    }

    /// The protocol that was selected by ALPN; nil if none was, before the end of the handshake and without
    /// TLS.
    public var applicationProtocol: String? { tls?.applicationProtocol }

    func startHandshake() {
        guard let tls else { return }
        state = .securing
        tls.begin()
        // No input has been fed yet, so this only writes the ClientHello.
        if case .failed(let error) = tls.handshake() { failLater(SocketError(error, .handshake)) }
    }

    func handshakeTimedOut() {
        fail(SocketError(.connectTimedOut, .handshake))
    }

    // MARK: Reading

    func receiveSecured(seesEnd: Bool) {
        guard let tls else { return }
        // The handshake reads even if the owner has paused reading.
        if state == .open, isPaused || hasReachedEnd { return readyWhilePaused(seesEnd: seesEnd) }
        defer { tls.keepRest() }
        if tls.mayHaveUnread, !decrypt(tls) { return }
        var rounds = 0
        while isUp {
            let count = recv(descriptor, loop.scratch.baseAddress, loop.scratch.count, 0)
            guard count > 0 else {
                if count < 0 && errno == EINTR { continue }
                mayHaveMore = false
                if count == 0 { return truncated(tls) }
                if errno != EAGAIN { failTLS(tls, SocketError(.read, errno)) }
                return
            }
            mayHaveMore = count == loop.scratch.count || hasPeerLeft
            if !mayHaveMore { becameQuiet() }
            tls.feed(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            guard decrypt(tls) else { return }
            if let error = tls.emptyMessagesError { return fail(SocketError(error, .read)) }
            guard mayHaveMore else { return }
            rounds += 1
            if rounds == 16 || loop.checkTurn() { return receiveLater() }
        }
    }

    /// Delivers what can be decrypted so far. Returns false when the caller must stop reading.
    private func decrypt(_ tls: TLSEngine) -> Bool {
        tls.mayHaveUnread = false
        if state == .securing {
            // Nobody would get the answer to a ClientHello, which takes the time of a private key.
            if tls.server != nil, hasPeerLeft, !hasSent {
                truncated(tls)
                return false
            }
            guard mayStep(tls) else { return false }
            guard let isDone = continueHandshake(tls) else { return false }
            guard isDone else { return true }
        }
        while state == .open {
            // The handler may pause inside `streamConnected`, before any bytes were delivered.
            if isPaused { return wait(tls) }
            let (count, then, isFilled) = read(tls)
            if case .ended = then { hasPeerLeft = true }
            if count > 0 || isFilled {
                handler?.streamReceived(UnsafeRawBufferPointer(rebasing: loop.plaintext[..<count]))
                guard state == .open else { return false }
            }
            switch then {
            case .full: continue
            case .needsMore:
                guard isPaused else { return true }
                if mayHaveMore, hasPeerLeft { reportPeerLeft() }
                return false
            case .turnIsOver:
                if let error = tls.emptyMessagesError {
                    fail(SocketError(error, .read))
                    return false
                }
                if isPaused { return wait(tls) }
                tls.mayHaveUnread = true
                mayHaveMore = true
                awaitTurn()
                return false
            case .ended:
                if isPaused { return wait(tls) }
                mayHaveMore = false
                endOfInput()
                return false
            case .failed(let error):
                fail(SocketError(error, .read))
                return false
            }
        }
        return false
    }

    /// Reads into the owner's memory, if it offers any, and then into the loop's buffer.
    private func read(_ tls: TLSEngine) -> (count: Int, then: TLSEngine.Reading, isFilled: Bool) {
        var (filled, then) = (0, TLSEngine.Reading.full)
        let filling = handler?.streamFills { room in
            (filled, then) = tls.read(into: room)
            return filled
        }
        var room = loop.plaintext
        switch filling {
        case .filled?:
            guard case .full = then else { return (0, then, filled > 0) }
        case .later? where mayHaveMore:
            // A long message: the first record holds its head, and the rest goes into the owner's memory.
            room = UnsafeMutableRawBufferPointer(rebasing: room[..<TLSEngine.recordLimit])
        case .later?, .no?, nil: break
        }
        let (count, next) = tls.read(into: room)
        return (count, next, filled > 0)
    }

    /// Leaves input in the engine while reading is paused. Always returns false.
    private func wait(_ tls: TLSEngine) -> Bool {
        tls.mayHaveUnread = true
        mayHaveMore = true
        if hasPeerLeft { reportPeerLeft() }
        return false
    }

    /// Returns whether the handshake is done; nil if the stream is closed.
    private func continueHandshake(_ tls: TLSEngine) -> Bool? {
        switch tls.handshake() {
        case .needsMore: return false
        case .failed(let error):
            fail(SocketError(error, .handshake))
            return nil
        case .done:
            state = .open
            handler?.streamConnected()
            guard state == .open else { return nil }
            // Send what was written meanwhile, or the end that was requested.
            if queuedByteCount > 0 { flush() } else if endsAfterFlush { endNow() }
            return state == .open ? true : nil
        }
    }

    /// Handles a FIN without close_notify (RFC 8446, section 6.1).
    private func truncated(_ tls: TLSEngine) {
        hasPeerLeft = true
        // Clients that are done often leave so. The framing of their requests tells what was cut (RFC 9112,
        // section 9.8).
        if tls.server != nil, state == .open { return endOfInput() }
        let reason =
            state == .securing
            ? "the connection ended during the handshake" : "the connection ended without close_notify"
        failTLS(tls, SocketError(TLSError(.truncated, reason), state == .securing ? .handshake : .read))
    }

    private func failTLS(_ tls: TLSEngine, _ error: SocketError) {
        tls.markBroken()
        fail(error)
    }

    /// Reads unread input from the socket. Returns whether it has no content for the owner, such as session
    /// tickets.
    func isSilentSecured(_ tls: TLSEngine) -> Bool {
        // A separate buffer, since the loop's may hold bytes that another owner is reading.
        withUnsafeTemporaryAllocation(byteCount: 8 << 10, alignment: 16) { isSilentSecured(tls, $0) }
    }

    private func isSilentSecured(_ tls: TLSEngine, _ room: UnsafeMutableRawBufferPointer) -> Bool {
        guard !tls.hasInput else { return false }
        defer { tls.keepRest() }
        while true {
            let count = recv(descriptor, room.baseAddress, room.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                if count < 0 && errno == EAGAIN { return true }
                // The read consumed the error or end, so no later read will report it.
                if count < 0 { failLater(SocketError(.read, errno)) } else { runLater(.read) }
                return false
            }
            tls.feed(UnsafeRawBufferPointer(rebasing: room[..<count]))
            if let error = tls.emptyMessagesError {
                failLater(SocketError(error, .read))
                return false
            }
            guard tls.isSilent else {
                tls.mayHaveUnread = true
                mayHaveMore = true
                runLater(.read)
                return false
            }
        }
    }
}
