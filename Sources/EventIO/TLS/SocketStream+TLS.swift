import Glibc

// TLS (RFC 8446, RFC 5246) between what the owner reads and writes and what the socket carries. Only streams that were
// asked for it have an engine.
extension SocketStream {
    /// Encrypts all that follows, as a client. While it connects: from its first byte on, and `streamConnected` comes when
    /// the server is accepted. When it is open, as a tunnel is: from here on, and `streamConnected` comes once more.
    ///
    /// What is written before that is sent, encrypted, after the handshake. A handshake that fails closes the stream and
    /// is told by `streamFailed`, from the loop, with the `TLSError` in it.
    ///
    /// - Parameters:
    ///   - host: the server's name or address, for SNI and verification, where the configuration has no other.
    ///   - sessionKey: the server, as sessions of the context tell servers apart: `host:port`. The host where nil.
    ///   - deadline: the end of the handshake; after it the stream fails with `.connectTimedOut`.
    ///   - received: bytes of the peer's that were read already and are none but TLS's.
    public func startTLS(
        _ context: TLSContext, host: String, sessionKey: String? = nil, deadline: MonotonicTime,
        received: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        precondition(tls == nil, "a stream starts TLS once")
        guard state == .open || state == .connecting else { return }
        do throws(TLSError) {
            let engine = try TLSEngine(context, host: host, sessionKey: sessionKey ?? host, stream: self)
            engine.deadline = deadline
            tls = engine
        } catch {
            return failSoon(SocketError(error, .handshake))
        }
        guard state == .open else { return }
        secure()
        tls?.keep(received)
        // What the socket has, or that was read already, is told by no edge.
        soon(.read)
    }

    /// What the handshake came to; nil before its end, and without TLS.
    public var tlsDetails: TLSDetails? { tls?.details }

    /// The socket is connected: the handshake begins.
    func secure() {
        guard let tls else { return }
        state = .securing
        tls.begin()
        // The client speaks first: nothing was fed yet, so that this only says hello.
        if case .failed(let error) = tls.handshake() { failSoon(SocketError(error, .handshake)) }
    }

    func handshakeTimedOut() {
        fail(SocketError(.connectTimedOut, .handshake))
    }

    // MARK: Reading

    /// Reads what the socket has, and hands over what that decrypts to.
    func receiveSecured(seesEnd: Bool) {
        guard let tls else { return }
        // A handshake is nothing that its owner could read or not.
        if state == .open, isPaused || hasReachedEnd { return becameReadyUnread(seesEnd: seesEnd) }
        defer { tls.keepRest() }
        if tls.isBehind, !decrypt(tls) { return }
        var rounds = 0
        while isUp {
            let count = recv(descriptor, loop.scratch.baseAddress, loop.scratch.count, 0)
            guard count > 0 else {
                if count < 0 && errno == EINTR { continue }
                mayHaveMore = false
                if count == 0 { return truncated(tls) }
                if errno != EAGAIN { broke(tls, SocketError(.read, errno)) }
                return
            }
            bytesReceived &+= Int64(count)
            mayHaveMore = count == loop.scratch.count || hasPeerLeft
            if !mayHaveMore { mayGoQuiet() }
            tls.feed(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            guard decrypt(tls) else { return }
            if let excess = tls.excess { return fail(SocketError(excess, .read)) }
            guard mayHaveMore else { return }
            rounds += 1
            if rounds == 16 { return soon(.read) }
        }
    }

    /// Hands over what can be decrypted of what was fed. False when reading is over for now, or for ever.
    private func decrypt(_ tls: TLSEngine) -> Bool {
        tls.isBehind = false
        if state == .securing {
            guard let isDone = shakeHands(tls) else { return false }
            guard isDone else { return true }
        }
        while state == .open {
            // A handler that pauses while it is told that the handshake is over has not been given anything yet.
            if isPaused { return wait(tls) }
            let (count, then, isFilled) = read(tls)
            if case .ended = then { hasPeerLeft = true }
            if count > 0 || isFilled {
                handler?.streamReceived(UnsafeRawBufferPointer(rebasing: loop.plain[..<count]))
                guard state == .open else { return false }
            }
            switch then {
            case .full: continue
            case .needsMore:
                guard isPaused else { return true }
                if mayHaveMore, hasPeerLeft { tellThatPeerLeft() }
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

    /// Reads into the loop's buffer, and before that into what room the owner has for bytes.
    private func read(_ tls: TLSEngine) -> (count: Int, then: TLSEngine.Reading, isFilled: Bool) {
        var (filled, then) = (0, TLSEngine.Reading.full)
        let filling = handler?.streamFills { room in
            (filled, then) = tls.read(into: room)
            return filled
        }
        var room = loop.plain
        switch filling {
        case .filled?:
            guard case .full = then else { return (0, then, filled > 0) }
        case .later? where mayHaveMore:
            // A long message: its head comes with the first record, and the rest goes where it is to be.
            room = UnsafeMutableRawBufferPointer(rebasing: room[..<TLSEngine.recordLimit])
        case .later?, .no?, nil: break
        }
        let (count, next) = tls.read(into: room)
        return (count, next, filled > 0)
    }

    /// Reading is paused, and what waits for it is in the engine. False.
    private func wait(_ tls: TLSEngine) -> Bool {
        tls.isBehind = true
        mayHaveMore = true
        if hasPeerLeft { tellThatPeerLeft() }
        return false
    }

    /// - Returns: whether the handshake is over, nil where the stream is.
    private func shakeHands(_ tls: TLSEngine) -> Bool? {
        switch tls.handshake() {
        case .needsMore: return false
        case .failed(let error):
            fail(SocketError(error, .handshake))
            return nil
        case .done:
            state = .open
            handler?.streamConnected()
            guard state == .open else { return nil }
            // What was written before, and the end that was asked for.
            if queuedByteCount > 0 { flush() } else if endsAfterFlush { endNow() }
            return state == .open ? true : nil
        }
    }

    /// The socket's end, without the peer's word that it is the end (RFC 8446 6.1).
    private func truncated(_ tls: TLSEngine) {
        hasPeerLeft = true
        let reason = state == .securing ? "it ended within the handshake" : "it ended without close_notify"
        broke(tls, SocketError(TLSError(.truncated, reason), state == .securing ? .handshake : .read))
    }

    private func broke(_ tls: TLSEngine, _ error: SocketError) {
        tls.broke()
        fail(error)
    }

    /// The kernel has something that was not read yet: whether it is nothing to the owner, as a session's ticket is.
    func isSilentSecured(_ tls: TLSEngine) -> Bool {
        // A room of its own: the loop's may hold what another stream's owner is just being told.
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
                // Taken off the socket here, so that no read tells it any more.
                if count < 0 { failSoon(SocketError(.read, errno)) } else { soon(.read) }
                return false
            }
            bytesReceived &+= Int64(count)
            tls.feed(UnsafeRawBufferPointer(rebasing: room[..<count]))
            if let excess = tls.excess {
                failSoon(SocketError(excess, .read))
                return false
            }
            guard tls.isSilent else {
                tls.isBehind = true
                mayHaveMore = true
                soon(.read)
                return false
            }
        }
    }

    // MARK: Writing

    /// Encrypts what is written, as far as the socket takes it: the rest waits as it is.
    func writeSecured(_ bytes: UnsafeRawBufferPointer, _ tls: TLSEngine) {
        var rest = bytes
        if state == .open, tls.waiting.isEmpty {
            while !rest.isEmpty, queue.isEmpty, !isBroken {
                let count = min(rest.count, TLSEngine.recordLimit)
                guard encrypt(UnsafeRawBufferPointer(rebasing: rest[..<count]), tls) else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        guard !rest.isEmpty, !isBroken else { return }
        tls.waiting.append(ArraySlice(rest))
        if isOverHighWatermark { wasOverHighWatermark = true }
    }

    /// The same for what may be kept, and is not copied while it waits.
    func writeSecured(_ slice: ArraySlice<UInt8>, _ tls: TLSEngine) {
        if state == .open, tls.waiting.isEmpty, slice.count <= TLSEngine.recordLimit {
            return slice.withUnsafeBytes { writeSecured($0, tls) }
        }
        writeSecured([slice], tls)
    }

    /// The same for slices, which share records.
    func writeSecured(_ slices: [ArraySlice<UInt8>], _ tls: TLSEngine) {
        tls.waiting.append(slices, skipping: 0)
        if isOverHighWatermark { wasOverHighWatermark = true }
        if state == .open, queue.isEmpty { encryptWaiting() }
    }

    /// Encrypts of what waits until something waits for the socket.
    ///
    /// - Returns: whether something does.
    @discardableResult
    func encryptWaiting() -> Bool {
        guard let tls, state == .open else { return false }
        while queue.isEmpty, !tls.waiting.isEmpty, !isBroken {
            let isEncrypted = withUnsafeTemporaryAllocation(
                byteCount: TLSEngine.recordLimit, alignment: 16
            ) { room in
                let count = tls.waiting.copyFront(to: room)
                tls.waiting.consume(count)
                return encrypt(UnsafeRawBufferPointer(rebasing: room[..<count]), tls)
            }
            guard isEncrypted else { return false }
        }
        return !queue.isEmpty && !isBroken
    }

    private func encrypt(_ bytes: UnsafeRawBufferPointer, _ tls: TLSEngine) -> Bool {
        do throws(TLSError) {
            try tls.encrypt(bytes)
            return true
        } catch {
            failSoon(SocketError(error, .write))
            return false
        }
    }

    // MARK: Ending

    /// Says goodbye before this side ends.
    ///
    /// - Returns: whether that is on its way: where it waits, `flush` comes back here.
    func sayGoodbye(_ tls: TLSEngine) -> Bool {
        tls.sayGoodbye()
        return !sendHeld() && queue.isEmpty
    }

    /// It closes: goodbye, unless something is left that was to come before it.
    func leave(_ tls: TLSEngine) {
        tls.stopWaiting()
        if state == .open, !isBroken, queuedByteCount == 0 { tls.sayGoodbye() }
    }
}
