/// A blocking operation was called on the thread of an event loop, as in a callback of a call. It would hold
/// up all calls, timers and streams of that loop, and might wait for one of them for ever. Nothing was
/// subscribed to.
public struct BlockedLoopError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        "toBlocking() would block the event loop on whose thread it was called: "
            + "use operators such as flatMap there, or call it on another thread"
    }
}
