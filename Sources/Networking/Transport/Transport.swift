public import Dispatch
public import HTTPModel
public import Rx

/// What carries calls: connections in production, a script in tests.
///
/// One transport serves all loops. Each method is called on the loop (or thread) that subscribes to the call,
/// and answers there.
public protocol Transport: AnyObject, Sendable {
    /// Sends the call once, now, and tells `receiver` how it ended: once, before or after this returns. (A transport with
    /// loops reports failures after it returns, so that a caller that tries again at once does not recurse.) Disposing of
    /// what is returned cancels the attempt; then, or after its end, nothing is told any more.
    ///
    /// Succeeds with a whole response whatever its status, fails with a `TransportError`. Redirects are not
    /// followed; content codings may be undone. Limits of an attempt (`TransportCall.limits`) are held here, and an attempt
    /// without an end after `limit`, which is what is left of the call's time, is ended here as `responseTimeout`.
    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable

    /// What every call says unless its target, its provider's plugins or its context say otherwise. Default: `Accept:
    /// application/json` and `Accept-Encoding: identity`, as fits a gateway's calls to what is near.
    var fields: HTTPFields { get }

    /// The fields that a call has besides if it is not made for a client's request. Default: a `Via` with `sluice`.
    var fieldsWithoutContext: HTTPFields { get }

    /// The transport that carries one call: attempts, timers and retries of the call stay on one loop. That is the calling
    /// loop, or on other threads the next one in turn. Default: this transport, which has one loop or none.
    func forOneCall() -> any Transport

    /// Clock and timers of the calling loop: what durations and deadlines are reckoned with.
    var scheduler: any SchedulerType { get }

    /// The time of day, as servers know it: what a cookie's expiry and a date in `Retry-After` are reckoned with. A clock that
    /// is set, or goes on while the machine sleeps, shows here and not in the scheduler's time. Default: the scheduler's time,
    /// which in virtual time is the only one.
    var wallTime: RxTime { get }

    /// Whether the calling thread is one of its loops, so that `scheduler` is this very thread's. Default true, as of a transport
    /// without threads.
    var isOnLoop: Bool { get }

    /// Asks for one more retry in flight to this upstream, on this loop. False when the budget is used up
    /// (`RetryBudget`); then `endRetry` must not be called.
    func beginRetry(to upstream: Upstream) -> Bool

    /// Gives back what `beginRetry` granted.
    func endRetry(to upstream: Upstream)
}

extension Transport {
    public func forOneCall() -> any Transport { self }
    public var isOnLoop: Bool { true }
    public var wallTime: RxTime { scheduler.now }
    public var fields: HTTPFields { CallContext.standardFields }
    public var fieldsWithoutContext: HTTPFields { CallContext.fieldsWithoutContext }
}

/// Who waits for the end of one attempt.
public protocol AttemptReceiver: AnyObject, Sendable {
    /// The receiver, where it wants to hear of more than the end. Default nil: the response comes as a whole.
    var streaming: (any StreamingAttemptReceiver)? { get }

    /// Where the attempt's connection goes, the proxy's address where there is one: told before its end, by a transport that
    /// has addresses. Default: nothing happens.
    func attemptReached(_ address: PeerAddress)

    /// Whether an attempt of the call was sent twice, as its connection turned out to be stale. That happens once a call: a
    /// later attempt on such a connection fails, if any of its request went out. Default false.
    var wasSentTwice: Bool { get }

    /// The attempt was sent twice: told before its end. Default: nothing happens.
    func attemptWasSentTwice()

    /// A whole response, whatever its status.
    func attemptSucceeded(_ response: consuming TransportResponse)
    /// No whole response.
    func attemptFailed(_ error: TransportError)
}

extension AttemptReceiver {
    public func attemptReached(_: PeerAddress) {}
    public var wasSentTwice: Bool { false }
    public func attemptWasSentTwice() {}
}
