internal import EventIO
internal import HTTPWire

extension OutboundError.Reason {
    /// What a failure to connect is called.
    init(connecting error: SocketError) {
        switch error.kind {
        case .nameNotFound, .nameFailed, .badAddress: self = .dnsError
        case .nameTimedOut: self = .dnsTimeout
        case .connectTimedOut: self = .connectionTimeout
        case .loopEnded: self = .destinationUnavailable
        default:
            if error.isConnectionRefused || error.isConnectionReset {
                self = .connectionRefused
            } else if error.isUnroutable {
                self = .destinationUnavailable
            } else if error.operation == .connect {
                self = .connectionTerminated
            } else {
                self = .internalError
            }
        }
    }

    init(_ reason: ResponseError.Reason) {
        switch reason {
        case .protocolError: self = .protocolError
        case .headerSectionSize: self = .responseHeadSize
        case .transferCoding: self = .responseTransferCoding
        case .incomplete: self = .responseIncomplete
        case .terminated: self = .connectionTerminated
        }
    }
}
