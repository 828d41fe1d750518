public import EventIO

/// What a request carries.
public enum OutboundBody: Sendable {
    case none
    /// All of it. Sent with a Content-Length; empty it is as none.
    case bytes(ArraySlice<UInt8>)
    /// Piece by piece, as the upstream takes it.
    case stream(any OutboundBodySource)
}

/// A body that is not in memory as a whole: where its pieces come from, anew for each time it is sent.
public protocol OutboundBodySource: Sendable {
    /// Bytes in all, for Content-Length: a stream that has fewer or more fails its call and closes the connection. Nil where
    /// they are not known: the body is sent in chunks (RFC 9112 7.1).
    var length: Int64? { get }

    /// Whether it can be opened again after a piece of it was asked for: what a request that meets a stale connection
    /// needs to be sent once more.
    var canRestart: Bool { get }

    /// Whether the upstream is asked first, by `Expect: 100-continue`: a body that is large and may be refused. It is
    /// sent when the upstream says so, or says nothing for `OutboundLimits.continueTimeout` (RFC 9110 10.1.1).
    var expectsContinue: Bool { get }

    /// Begins at the first byte. On the loop; what blocks is for other threads.
    ///
    /// - Throws: the call fails with `http_request_error`, and what is thrown in its detail.
    func open(on loop: EventLoop) throws -> any OutboundBodyStream
}

extension OutboundBodySource {
    public var expectsContinue: Bool { false }
}

/// One sending of a body, on its loop.
public protocol OutboundBodyStream: AnyObject {
    /// Asks for the next piece. It is answered once, now or later, on the loop, by one of the writer's methods. Asked only
    /// while what waits for the socket is little.
    func nextPiece(for writer: OutboundBodyWriter)

    /// No more is asked for: the body is whole, or its call over. Once; an answer that comes later reaches nobody.
    func close()
}
