/// Hears how the calls over a transport go, for a log about upstreams. On any thread.
package protocol UpstreamObserver: AnyObject, Sendable {
    /// A call has failed without a whole response, all its attempts.
    func callFailed(to upstream: Upstream, _ reason: FailureReason, address: String?)

    /// A call has a response, of any status. Called only for an upstream that is watched (`beginWatch()`).
    func callAnswered(by upstream: Upstream)

    /// An attempt has failed, and the next one begins after `wait` nanoseconds.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first.
    ///   - status: of its response, where it had one.
    func callIsRetried(
        to upstream: Upstream, attempt: Int, _ reason: FailureReason, status: Int?, address: String?,
        after wait: Int64)
}

/// A transport whose calls are observed.
package protocol ObservedTransport: Transport {
    var upstreamObserver: (any UpstreamObserver)? { get }
}
