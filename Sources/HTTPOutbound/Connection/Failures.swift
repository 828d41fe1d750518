internal import EventIO
internal import Glibc
internal import HTTPModel

extension FailureReason {
    /// What a failure to connect is called.
    init(connecting error: SocketError) {
        switch error.kind {
        case .nameNotFound, .nameFailed, .badAddress: self = .dnsError
        case .nameTimedOut: self = .dnsTimeout
        case .connectTimedOut: self = .connectionTimeout
        case .loopEnded: self = .destinationUnavailable
        case .tls: self = Self(error.tls) ?? .connectionTerminated
        default: self.init(connecting: error.code, error)
        }
    }

    /// What a failure of an open connection is called.
    ///
    /// - Parameter isWithinResponse: some of the response has come.
    init(serving error: SocketError, isWithinResponse: Bool) {
        self = Self(error.tls) ?? (isWithinResponse ? .responseIncomplete : .connectionTerminated)
    }

    /// Nil for a connection that was merely cut.
    private init?(_ error: TLSError?) {
        switch error?.kind {
        case .protocolError?: self = .tlsProtocolError
        case .certificateError?: self = .tlsCertificateError
        case .alertReceived?: self = .tlsAlertReceived
        case .configuration?: self = .internalError
        default: return nil
        }
    }

    private init(connecting code: Int32, _ error: SocketError) {
        // The socket was connected, and broke within the handshake of TLS.
        if error.operation == .read || error.operation == .write {
            self = .connectionTerminated
            return
        }
        switch code {
        // A Unix socket whose backlog is full says EAGAIN (connect(2)); nobody is there to take the call.
        case ECONNREFUSED, ENOENT, ECONNRESET, EAGAIN: self = .connectionRefused
        case ETIMEDOUT: self = .connectionTimeout
        // How many connections there may be is decided by the descriptors and ports that are left, too.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL: self = .connectionLimitReached
        default: self = error.operation == .connect ? .destinationUnavailable : .internalError
        }
    }
}
