internal import EventIO
internal import HTTPWire

/// Decides what a connection does before its first request: the header of the PROXY protocol, then the TLS
/// handshake. It has neither sockets nor a clock.
struct ArrivingState {
    private enum Step {
        /// Reading the header of the PROXY protocol. Exits: `proxyHeaderRead`, to `firstBytes` or `over`. At
        /// its deadline the header is refused.
        case proxyHeader
        /// Waiting for the first bytes of the handshake. Exit: `firstBytesArrived`. At its deadline the
        /// handshake has timed out.
        case firstBytes
        /// Exits: `handshakeDone`. At its deadline it has timed out.
        case handshake
        /// No exits.
        case over
    }

    private enum Drain {
        case no
        case announced
        /// The listener is closed as well, so a connection that has sent nothing is closed soon.
        case leaving(since: MonotonicTime)
    }

    private var step: Step
    private var drain = Drain.no
    private let isSecure: Bool
    private let acceptedAt: MonotonicTime
    private var limits: StateLimits
    private var hasReceived = false

    /// - Parameters:
    ///   - expectsProxyHeader: whether the connection has to begin with a header of the PROXY protocol.
    ///   - isSecure: whether TLS follows.
    init(expectsProxyHeader: Bool, isSecure: Bool, acceptedAt: MonotonicTime, limits: StateLimits) {
        step = expectsProxyHeader ? .proxyHeader : isSecure ? .firstBytes : .over
        self.isSecure = isSecure
        self.acceptedAt = acceptedAt
        self.limits = limits
    }

    mutating func use(_ limits: StateLimits) { self.limits = limits }

    /// Whether it is one of the handshakes that `InboundLimits.handshakes` limits.
    var isUnfinishedHandshake: Bool {
        guard isSecure else { return false }
        return switch step {
        case .proxyHeader, .firstBytes, .handshake: true
        case .over: false
        }
    }

    // MARK: Arriving

    /// Whether the next bytes belong to the header of the PROXY protocol.
    var isReadingProxyHeader: Bool {
        if case .proxyHeader = step { true } else { false }
    }

    mutating func bytesArrived() { hasReceived = true }

    enum AfterProxyHeader: Equatable {
        /// Wait for the first byte of the handshake.
        case awaitHandshake
        /// Serve requests.
        case serve
    }

    mutating func proxyHeaderRead() -> AfterProxyHeader {
        guard case .proxyHeader = step else { preconditionFailure("a PROXY header was read in \(self)") }
        step = isSecure ? .firstBytes : .over
        return isSecure ? .awaitHandshake : .serve
    }

    enum FirstBytesAction: Equatable {
        case beginHandshake
        /// A plain request: answer it plainly, and close.
        case refusePlain
        /// Close without an answer, which the client could not read. Has the reason, for the log.
        case close(String)
    }

    /// The first bytes behind the PROXY header, if the connection has to begin with one.
    mutating func firstBytesArrived(_ bytes: FirstBytes) -> FirstBytesAction {
        guard case .firstBytes = step else { preconditionFailure("first bytes arrived in \(self)") }
        step = bytes == .tls ? .handshake : .over
        return switch bytes {
        case .tls: .beginHandshake
        case .request: .refusePlain
        case .proxyHeader: .close("a PROXY header, which clients.header does not expect")
        case .unknown: .close("neither TLS nor HTTP")
        }
    }

    mutating func handshakeDone() {
        guard case .handshake = step else { preconditionFailure("a handshake was done in \(self)") }
        step = .over
    }

    // MARK: The end

    enum EndAction: Equatable {
        /// Close: nothing was expected of the client.
        case close
        case refuseProxyHeader
        case handshakeFailed
    }

    /// The client has left.
    mutating func clientLeft() -> EndAction {
        defer { step = .over }
        return switch step {
        case .proxyHeader: hasReceived ? .refuseProxyHeader : .close
        case .handshake: .handshakeFailed
        case .firstBytes, .over: .close
        }
    }

    mutating func drainAnnounced() {
        if case .no = drain { drain = .announced }
    }

    /// Connections that have sent nothing have `drainGrace` left.
    mutating func listenerClosed(at now: MonotonicTime) {
        drain = .leaving(since: now)
    }

    // MARK: Time

    /// When to call `deadlinePassed`; nil once requests are served.
    var deadline: MonotonicTime? {
        let usual: MonotonicTime
        switch step {
        case .proxyHeader: usual = acceptedAt + limits.headerDeadline
        case .firstBytes, .handshake: usual = acceptedAt + limits.handshakeDeadline
        case .over: return nil
        }
        guard case .leaving(let since) = drain, !hasReceived else { return usual }
        return min(usual, max(since, acceptedAt) + limits.drainGrace)
    }

    enum DeadlineAction: Equatable {
        case wait
        /// Close silently.
        case close
        case refuseProxyHeader
        /// The handshake took too long.
        case timedOut
    }

    /// `deadline`, or an earlier time, has come.
    mutating func deadlinePassed(at now: MonotonicTime) -> DeadlineAction {
        guard let deadline, now >= deadline else { return .wait }
        defer { step = .over }
        if case .no = drain {} else if !hasReceived { return .close }
        switch step {
        case .proxyHeader:
            if case .no = drain { return .refuseProxyHeader }
            return .close
        case .firstBytes, .handshake: return .timedOut
        case .over: return .wait
        }
    }
}
