public import EventIO

/// The body of a request to an upstream.
public enum OutboundBody: Sendable {
    case none
    /// In memory, sent with a Content-Length. Empty bytes mean `none`.
    case bytes(ArraySlice<UInt8>)
    /// In pieces, as fast as the upstream takes them.
    case stream(any OutboundBodySource)
}

/// A body that is not in memory as a whole. Each attempt to send it opens it again.
public protocol OutboundBodySource: Sendable {
    /// The size in bytes, for Content-Length; nil or negative if unknown, which sends the body in chunks (RFC
    /// 9112 7.1). If the stream has fewer or more bytes, the call fails and the connection is closed.
    var length: Int64? { get }

    /// Whether the body can be opened again after a piece was taken, to repeat a request after a stale
    /// connection.
    var canRestart: Bool { get }

    /// Whether to send `Expect: 100-continue`, for a large body that may be refused. The body follows once
    /// the upstream agrees, with a 100 or a success, or after `OutboundLimits.continueTimeout` without an
    /// answer (RFC 9110 10.1.1).
    var expectsContinue: Bool { get }

    /// Opens the body at its first byte. Called on the loop, so it must not block.
    ///
    /// - Throws: fails the call with `http_request_error` and the error as its detail.
    func open(on loop: EventLoop) throws -> any OutboundBodyStream
}

extension OutboundBodySource {
    /// Default: false.
    public var expectsContinue: Bool { false }

    /// The size in bytes; nil if it is unknown.
    var knownLength: Int64? { length.flatMap { $0 < 0 ? nil : $0 } }
}

/// One pass over a body, on its loop.
public protocol OutboundBodyStream: AnyObject {
    /// Requests the next piece, when little is queued. Call one of the writer's methods once, now or later.
    func nextPiece(for writer: OutboundBodyWriter)

    /// The body is complete, or the call is over. Called once; a later answer is ignored.
    func close()
}
