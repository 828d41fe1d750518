/// Decides what each event means for a connection and its call. `Connection` acts on the answers.
struct ConnectionState {
    private enum State {
        /// Opening, for a call that waits for it. Next: idle (opened), closed.
        case opening
        /// Open, without a call. Anything that the peer sends ends it. Next: exchange (a request starts),
        /// closed.
        case idle
        /// A request is written and its response is read. Next: idle (the response is complete and both sides
        /// allow another request), closed (anything else).
        case exchange(Exchange)
        /// Final.
        case closed
    }

    private struct Exchange {
        /// The connection served other calls before, so the upstream may have given it up in the meantime.
        let isReused: Bool
        /// The request may be repeated on a new connection if this one turns out to be stale.
        var mayResend: Bool
        var isWritten = false
        /// A 1xx response arrived, so the upstream has read this request.
        var wasAcknowledged = false
        var hasFirstByte = false
        /// The rest of the request's body is not sent, and the peer would mistake another request for it.
        var isBodyDropped = false
        /// The response is complete, and the call waits for the end of its request.
        var isAnswered = false
    }

    enum Receipt {
        /// The bytes belong to the response. `isFirst` if they are its first.
        case parse(isFirst: Bool)
        /// No request is under way: drop the bytes and close the connection.
        case discard
        /// The bytes arrived before any of the request was sent, so they do not answer it. Use another
        /// connection.
        case resend
        /// The same on a new connection: a peer that speaks first does not speak HTTP.
        case refuse
        /// The bytes follow a complete response while the rest of the request goes out. They belong to
        /// nobody.
        case drop
    }

    enum Completion {
        /// Return the connection to the pool.
        case release
        /// The response is good, but the connection cannot be used again: close it.
        case close
        /// Keep the response: the call ends with its request.
        case awaitRequest
    }

    enum Ending {
        /// No call was using it: remove it from the pool.
        case remove
        /// It was stale: repeat the request on a new connection at once.
        case resend
        /// The call is over. It succeeds if the end of the connection also ends its response, and fails
        /// otherwise.
        case fail
        /// It was closed already.
        case ignore
    }

    private var state = State.opening

    var isOpening: Bool { if case .opening = state { true } else { false } }
    var isClosed: Bool { if case .closed = state { true } else { false } }
    var isIdle: Bool { if case .idle = state { true } else { false } }

    var hasFirstByte: Bool {
        if case .exchange(let exchange) = state { exchange.hasFirstByte } else { false }
    }

    var isWritten: Bool { if case .exchange(let exchange) = state { exchange.isWritten } else { false } }

    mutating func opened() {
        guard case .opening = state else { preconditionFailure("opened while \(state)") }
        state = .idle
    }

    /// `isReused`: it served other calls before. `mayRepeat`: the request is idempotent and was not sent
    /// before.
    mutating func requestStarted(isReused: Bool, mayRepeat: Bool) {
        guard case .idle = state else { preconditionFailure("a request while \(state)") }
        state = .exchange(Exchange(isReused: isReused, mayResend: isReused && mayRepeat))
    }

    mutating func requestWritten() { requestProgressed(isWritten: true) }

    /// A piece of the request's body was taken from a source that cannot start over.
    mutating func bodyTaken() {
        guard case .exchange(var exchange) = state else { return }
        exchange.mayResend = false
        state = .exchange(exchange)
    }

    /// The rest of the request's body will not be sent.
    mutating func bodyDropped() {
        guard case .exchange(var exchange) = state else { return }
        exchange.isBodyDropped = true
        state = .exchange(exchange)
    }

    /// The call was cancelled. Returns whether the rest of its response can be read, so that the connection
    /// serves others. The request is not repeated any more.
    mutating func callCancelled(mayCut: Bool) -> Bool {
        guard case .exchange(var exchange) = state, !exchange.isBodyDropped, exchange.isWritten || !mayCut
        else { return false }
        exchange.mayResend = false
        state = .exchange(exchange)
        return true
    }

    /// The socket did not take all of the request after all.
    mutating func requestQueued() { requestProgressed(isWritten: false) }

    private mutating func requestProgressed(isWritten: Bool) {
        guard case .exchange(var exchange) = state else { return }
        exchange.isWritten = isWritten
        state = .exchange(exchange)
    }

    /// `isUnsent`: nothing of the request was handed to the kernel.
    mutating func bytesReceived(isUnsent: Bool) -> Receipt {
        guard case .exchange(var exchange) = state else { return .discard }
        if isUnsent { return exchange.isReused ? .resend : .refuse }
        if exchange.isAnswered { return .drop }
        let isFirst = !exchange.hasFirstByte
        exchange.hasFirstByte = true
        state = .exchange(exchange)
        return .parse(isFirst: isFirst)
    }

    mutating func informationalReceived() {
        guard case .exchange(var exchange) = state else { return }
        exchange.wasAcknowledged = true
        state = .exchange(exchange)
    }

    /// Whether a 408 leads to another attempt on a new connection. As the first response on a reused
    /// connection it may be about the idle connection and not about this request (RFC 9110 15.5.9). A request
    /// that must not be sent twice has it as its response: the upstream may have read the request.
    var resendsAfterTimeout: Bool {
        guard case .exchange(let exchange) = state else { return false }
        return exchange.isReused && !exchange.wasAcknowledged && exchange.mayResend
    }

    /// Whether some of the request still has to go out.
    var owesRequest: Bool {
        if case .exchange(let exchange) = state {
            !exchange.isWritten && !exchange.isBodyDropped
        } else {
            false
        }
    }

    /// Whether the rest of the request's body will not be sent.
    var isBodyDropped: Bool {
        if case .exchange(let exchange) = state { exchange.isBodyDropped } else { false }
    }

    /// The response is complete. `isReusable` is what the peer allows (RFC 9112 9.3); `strayBytes` arrived
    /// after its end.
    ///
    /// After a success that overtakes its request, the rest of the request goes out: the upstream may be
    /// reading it. After any other response it need not (RFC 9112 9.5); the connection is left half-written
    /// and never used again. Nor is a connection that a user has logged in: the upstream would answer others
    /// as that user (RFC 4559 6). If `awaitsBodyEnd`, all announced bytes of the request may be written, but
    /// the source of its body may still turn out to have more of them.
    mutating func responseEnded(
        isSuccess: @autoclosure () -> Bool, isReusable: Bool, isLoggedIn: Bool = false, strayBytes: Int,
        awaitsBodyEnd: Bool = false
    ) -> Completion {
        guard case .exchange(var exchange) = state else { preconditionFailure("a response while \(state)") }
        let isRequestOpen = !exchange.isWritten || awaitsBodyEnd && !exchange.isAnswered
        if isRequestOpen, !exchange.isBodyDropped, isSuccess() {
            exchange.isAnswered = true
            state = .exchange(exchange)
            return .awaitRequest
        }
        guard isReusable, !isLoggedIn, strayBytes == 0, exchange.isWritten, !exchange.isBodyDropped else {
            return .close
        }
        state = .idle
        return .release
    }

    /// The peer closed or broke the connection. The state stays until `closed`. `isUnsent`: nothing of the
    /// request was handed to the kernel.
    func connectionEnded(isUnsent: Bool) -> Ending {
        switch state {
        case .opening: .fail
        case .idle: .remove
        case .exchange(let exchange) where isUnsent: exchange.isReused ? .resend : .fail
        case .exchange(let exchange): exchange.mayResend && !exchange.hasFirstByte ? .resend : .fail
        case .closed: .ignore
        }
    }

    mutating func closed() { state = .closed }
}
