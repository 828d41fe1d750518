/// What a connection is doing, and what each event means for the connection and for the call on it. It does
/// nothing itself; `Connection` performs the answers.
struct ConnectionState {
    private enum State {
        /// Not open yet, for a call that waits for it. Valid next: idle (opened), closed.
        case opening
        /// Open and nobody's. Whatever the peer does now but keep silent ends it.
        /// Valid next: exchange (a request starts), closed.
        case idle
        /// A request is being written and its response read.
        /// Valid next: idle (a whole response, and both sides may go on), closed (anything else).
        case exchange(Exchange)
        /// Nothing leads out of here.
        case closed
    }

    private struct Exchange {
        /// The connection served others before, so the upstream may have given it up in the meantime.
        let isReused: Bool
        /// The request may be sent once more on a new connection if this one turns out to be stale.
        var mayResend: Bool
        var isWritten = false
        /// A 1xx response came: the upstream has read this request.
        var wasAcknowledged = false
        var hasFirstByte = false
        /// The rest of its body is not sent: what the peer reads next on this connection it would take for that.
        var isCut = false
    }

    enum Receipt {
        /// The bytes belong to the response; `isFirst` tells whether they are its first.
        case parse(isFirst: Bool)
        /// Nobody asked: close the connection, and let nobody see the bytes.
        case discard
        /// They came before anything of the request was sent, so they do not answer it: send the request on another
        /// connection.
        case resend
        /// The same on a connection that is new: whoever speaks first there does not speak HTTP.
        case refuse
    }

    enum Completion {
        /// Give the connection back to the pool.
        case release
        /// The response is good, the connection is not to be used again: close it.
        case close
    }

    enum Ending {
        /// Nobody was using it: remove it from the pool.
        case remove
        /// It was stale: send the same request once more on a new connection, at once.
        case resend
        /// The call on it is over: a whole response if its length was told by this end, else a failure.
        case fail
        /// It was closed already.
        case ignore
    }

    private var state = State.opening

    var isOpening: Bool { if case .opening = state { true } else { false } }
    var isClosed: Bool { if case .closed = state { true } else { false } }
    var isIdle: Bool { if case .idle = state { true } else { false } }

    /// Whether a byte of the response under way has come.
    var hasFirstByte: Bool {
        if case .exchange(let exchange) = state { exchange.hasFirstByte } else { false }
    }

    /// Whether the request under way is out to its last byte.
    var isWritten: Bool { if case .exchange(let exchange) = state { exchange.isWritten } else { false } }

    mutating func opened() {
        guard case .opening = state else { preconditionFailure("opened while \(state)") }
        state = .idle
    }

    /// A request goes out.
    ///
    /// - Parameters:
    ///   - isReused: this connection served others before.
    ///   - mayRepeat: the request is idempotent and was not sent before.
    mutating func requestStarted(isReused: Bool, mayRepeat: Bool) {
        guard case .idle = state else { preconditionFailure("a request while \(state)") }
        state = .exchange(Exchange(isReused: isReused, mayResend: isReused && mayRepeat))
    }

    mutating func requestWritten() { requestMoved(isWritten: true) }

    /// A part of its body was taken from where it cannot be had again.
    mutating func bodyIsTaken() {
        guard case .exchange(var exchange) = state else { return }
        exchange.mayResend = false
        state = .exchange(exchange)
    }

    /// What is left of its body is not sent.
    mutating func bodyIsCut() {
        guard case .exchange(var exchange) = state else { return }
        exchange.isCut = true
        state = .exchange(exchange)
    }

    /// The socket did not take the whole request after all.
    mutating func requestQueued() { requestMoved(isWritten: false) }

    private mutating func requestMoved(isWritten: Bool) {
        guard case .exchange(var exchange) = state else { return }
        exchange.isWritten = isWritten
        state = .exchange(exchange)
    }

    /// - Parameter isUnsent: nothing of the request has been handed to the kernel.
    mutating func bytesReceived(isUnsent: Bool) -> Receipt {
        guard case .exchange(var exchange) = state else { return .discard }
        if isUnsent { return exchange.isReused ? .resend : .refuse }
        let isFirst = !exchange.hasFirstByte
        exchange.hasFirstByte = true
        state = .exchange(exchange)
        return .parse(isFirst: isFirst)
    }

    /// A 1xx response came.
    mutating func informationalReceived() {
        guard case .exchange(var exchange) = state else { return }
        exchange.wasAcknowledged = true
        state = .exchange(exchange)
    }

    /// What a 408 means. As the first response on a reused connection the upstream sent it because the connection lay
    /// idle, not because of this request (RFC 9110 15.5.9). Nil: it is this request's response.
    var staleTimeout: Ending? {
        guard case .exchange(let exchange) = state, exchange.isReused, !exchange.wasAcknowledged else {
            return nil
        }
        return exchange.mayResend ? .resend : .fail
    }

    /// The response is whole. `isReusable` is the peer's word (RFC 9112 9.3); `strayBytes` came after its end.
    /// A response that overtakes its request leaves the connection half-written, and that is never used again.
    mutating func responseEnded(isReusable: Bool, strayBytes: Int) -> Completion {
        guard case .exchange(let exchange) = state else { preconditionFailure("a response while \(state)") }
        guard isReusable, strayBytes == 0, exchange.isWritten, !exchange.isCut else { return .close }
        state = .idle
        return .release
    }

    /// The peer ended or broke the connection. The state stays until `closed`.
    ///
    /// - Parameter isUnsent: nothing of the request has been handed to the kernel.
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
