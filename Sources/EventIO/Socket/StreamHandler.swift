/// What a stream tells its owner. All calls come on the stream's loop, from the loop itself: never from inside
/// a call of the stream's own methods.
///
/// `connected? received* reachedEnd? failed?`, and `drained`, `queued`, `flushed` and `peerLeft` in between; nothing
/// after `close()` or `reset()`, and nothing after `streamFailed`.
public protocol StreamHandler: AnyObject {
    /// A stream made by `connect` is connected. Not called for accepted ones.
    func streamConnected()

    /// Bytes came. They are valid during the call only.
    func streamReceived(_ bytes: UnsafeRawBufferPointer)

    /// Lets the owner of an encrypted stream decrypt bytes straight into its own memory. Called before each read. If bytes
    /// came, `streamReceived` follows with those behind them, possibly none. Default: no.
    ///
    /// - Parameter read: fills the room as far as there are bytes and returns their number. Call it at most once.
    func streamFills(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> StreamFilling

    /// The peer ended its side (FIN) and all it sent was handed over. Writing still works.
    func streamReachedEnd()

    /// The stream broke and is closed already. Nothing follows.
    func streamFailed(_ error: SocketError)

    /// The write queue was over the high watermark and has fallen under the low one.
    func streamDrained()

    /// The socket did not take all that was written by the end of a wake; the rest is queued.
    func streamQueued()

    /// The write queue held something, and is empty now.
    func streamFlushed()

    /// The peer ended its side while reading is paused; unread bytes may be waiting. `streamReachedEnd`
    /// follows when reading is resumed and they have been read.
    func streamPeerLeft()
}

/// Whether a stream's owner took decrypted bytes into its own memory.
public enum StreamFilling {
    /// The owner called `read`.
    case filled
    /// The owner needs the head of a message before it has memory for the body.
    case later
    /// The owner takes bytes from `streamReceived` only.
    case no
}

extension StreamHandler {
    public func streamFills(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> StreamFilling { .no }
    public func streamConnected() {}
    public func streamDrained() {}
    public func streamQueued() {}
    public func streamFlushed() {}
    public func streamPeerLeft() {}
}
