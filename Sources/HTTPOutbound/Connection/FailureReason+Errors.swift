internal import ContentCoding
internal import EventIO
internal import Glibc
internal import HTTPModel

extension FailureReason {
    /// The reason of a failure to connect.
    init(connecting error: SocketError) {
        switch error.kind {
        case .nameNotFound, .nameUnusable, .nameFailed, .badAddress: self = .dnsError
        case .nameTimedOut: self = .dnsTimeout
        case .connectTimedOut: self = .connectionTimeout
        case .loopEnded: self = .destinationUnavailable
        case .tls: self = Self(error.tls) ?? .connectionTerminated
        default: self.init(connecting: error.code, error)
        }
    }

    /// The reason of a failure of an open connection, `isWithinResponse` if some of the response has arrived.
    init(serving error: SocketError, isWithinResponse: Bool) {
        self = Self(error.tls) ?? (isWithinResponse ? .responseIncomplete : .connectionTerminated)
    }

    /// nil for a connection that was merely cut.
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
        // The socket was connected and broke during the TLS handshake.
        if error.operation == .read || error.operation == .write {
            self = .connectionTerminated
            return
        }
        switch code {
        // A Unix socket with a full backlog fails with EAGAIN (connect(2)).
        case ECONNREFUSED, ENOENT, ECONNRESET, EAGAIN: self = .connectionRefused
        case ETIMEDOUT: self = .connectionTimeout
        // Descriptors and ports limit the number of connections, too.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL: self = .connectionLimitReached
        default: self = error.operation == .connect ? .destinationUnavailable : .internalError
        }
    }
}

extension FailureReason {
    /// The reason of a body that cannot be decoded.
    init(_ error: ContentCodingError) {
        switch error {
        case .unknown, .corrupt, .truncated: self = .responseContentCoding
        case .tooLarge, .encodedTooLarge, .ratioExceeded: self = .responseBodySize
        case .memory: self = .internalError
        }
    }
}
