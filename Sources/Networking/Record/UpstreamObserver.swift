/// Observes the calls of a transport, for a log about upstreams. Called on any thread.
package protocol UpstreamObserver: AnyObject, Sendable {
    /// A call failed without a complete response, after all its attempts. `detail` says why, in words.
    func callFailed(to upstream: Upstream, _ reason: FailureReason, _ detail: String, address: String?)

    /// A call got a response of any status. Called only for a watched upstream (`beginWatch()`).
    func callAnswered(by upstream: Upstream)

    /// An attempt failed, and the next one begins after `wait` nanoseconds.
    ///
    /// - Parameters:
    ///   - upstream: the upstream of the call.
    ///   - attempt: 1 for the first attempt.
    ///   - reason: why the attempt failed.
    ///   - status: the status of its response, if it had one.
    ///   - address: the address of its connection, if it had one.
    ///   - wait: nanoseconds until the next attempt.
    func callIsRetried(
        to upstream: Upstream, attempt: Int, _ reason: FailureReason, status: Int?, address: String?,
        after wait: Int64)

    /// A call that was retried has ended, or was cancelled, after so many attempts besides the first one.
    /// Attempts that a limit refused do not count.
    func callEnded(to upstream: Upstream, retries: Int)

    /// A failed call is not retried although its policy has attempts left, because of a rule.
    func callIsNotRetried(to upstream: Upstream, because rule: RetryObstacle)
}

/// A transport whose calls can be observed.
package protocol ObservedTransport: Transport {
    var upstreamObserver: (any UpstreamObserver)? { get }
}

/// A transport that protects upstreams by policies.
package protocol ProtectingTransport: Transport {
    /// Sets the policy of the upstream with this name. Call it before the first call to the upstream.
    func protect(_ upstream: String, by policy: UpstreamPolicy)

    /// Resolves the upstream's names and begins its checks on the transport's loops, before the first call.
    /// Call it after `protect`.
    func prepare(_ upstream: Upstream)

    /// Whether the memory for bodies has room for the body of a call. Ask before a large one is made, because
    /// a refused body has been in memory as well.
    func hasRoom(for bytes: Int, inBodyTo upstream: Upstream) -> Bool

    /// Charges bytes of values that a request composes to the memory for bodies, until its answer has been
    /// handed over. Returns false if the memory is full.
    func charge(_ bytes: Int, composedIn context: CallContext) -> Bool
}
