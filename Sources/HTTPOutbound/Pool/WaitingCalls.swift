/// The calls that wait for a connection in several pools of one loop.
public final class WaitingCalls {
    var count = 0

    /// Creates a queue without calls.
    public init() {}
}
