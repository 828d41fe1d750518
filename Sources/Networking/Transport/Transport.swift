public import Rx

/// What carries calls: connections in production, a script in tests.
///
/// One transport serves all loops. Each method is called on the loop (or thread) that subscribes to the call,
/// and answers there.
public protocol Transport: Sendable {
    /// Sends the call once. Cold: nothing is sent before subscription; disposal cancels.
    ///
    /// Succeeds with a whole response whatever its status, fails with a `TransportError`. Redirects are not
    /// followed, content codings not undone. Limits of an attempt (`TransportCall.limits`) are held here.
    func send(_ call: TransportCall) -> Single<TransportResponse>

    /// Clock and timers of the calling loop.
    var scheduler: any SchedulerType { get }

    /// Asks for one more retry in flight to this upstream, on this loop. False when the budget is used up
    /// (`RetryBudget`); then `endRetry` must not be called.
    func beginRetry(to upstream: Upstream) -> Bool

    /// Gives back what `beginRetry` granted.
    func endRetry(to upstream: Upstream)
}
