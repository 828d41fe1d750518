/// Receives the events of a stream, from the loop and never inside a call of the stream's methods.
///
/// The order is `connected? received* reachedEnd? failed?`, with `drained`, `queued`, `progressed`, `flushed`
/// and `peerLeft` in between. Nothing follows `streamFailed`, or a call of `close()` or `reset()`.
public protocol StreamHandler: AnyObject {
    /// The stream made by `connect` is connected, or the handshake of `startTLS` or `acceptTLS` is done. Not
    /// called for accepted streams otherwise.
    func streamConnected()

    /// Input of a client's handshake has arrived on a stream with `acceptTLS`, whose next step may take the
    /// time of a private key. False holds it, and reading, until `continueHandshake`. Default: true.
    func streamMayHandshake() -> Bool

    /// Bytes have arrived, valid during the call only.
    func streamReceived(_ bytes: UnsafeRawBufferPointer)

    /// Lets the owner of an encrypted stream decrypt into its own memory. Called before each read. `read`
    /// fills a buffer as far as bytes are available and returns their number; call it at most once. If bytes
    /// were decrypted, `streamReceived` follows with the bytes that did not fit, possibly none. Default: no.
    func streamFills(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> StreamFilling

    /// The peer has ended its side (FIN), and everything it sent was delivered. Writing still works.
    func streamReachedEnd()

    func streamFailed(_ error: SocketError)

    /// The write queue was over the high watermark and has fallen to the low one.
    func streamDrained()

    /// The socket did not take everything written by the end of a wake. The rest is queued.
    func streamQueued()

    /// The socket has taken some of the write queue, and the rest waits.
    func streamProgressed()

    /// The write queue held bytes and is empty now.
    func streamFlushed()

    /// The peer has ended its side while reading is paused. Unread bytes may be waiting. `streamReachedEnd`
    /// follows once reading is resumed and they are read.
    func streamPeerLeft()
}

/// Whether the owner of a stream took bytes itself.
public enum StreamFilling {
    /// The owner called `read`.
    case filled
    /// The owner needs the head of a message before it has memory for the body.
    case later
    /// The owner takes bytes from `streamReceived` only.
    case no
}

extension StreamHandler {
    /// Default: no.
    public func streamFills(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> StreamFilling { .no }
    /// Default: nothing.
    public func streamConnected() {}
    /// Default: true.
    public func streamMayHandshake() -> Bool { true }
    /// Default: nothing.
    public func streamDrained() {}
    /// Default: nothing.
    public func streamQueued() {}
    /// Default: nothing.
    public func streamProgressed() {}
    /// Default: nothing.
    public func streamFlushed() {}
    /// Default: nothing.
    public func streamPeerLeft() {}
}
