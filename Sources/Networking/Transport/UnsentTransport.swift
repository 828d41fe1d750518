public import Dispatch
public import Rx

/// A transport that sends no calls, for a gateway that is only checked: each call fails with
/// `destination_unavailable`.
public final class UnsentTransport: Transport {
    /// A queue of the system.
    public let scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .utility)

    /// Creates a transport.
    public init() {}

    /// Fails every call.
    public func send(
        _ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver
    ) -> any Disposable {
        receiver.attemptFailed(TransportError(.destinationUnavailable, "this transport sends no calls"))
        return Disposables.create()
    }

    /// Refuses every retry.
    public func beginRetry(to upstream: Upstream) -> RetryObstacle? { .budget }
    /// Does nothing.
    public func endRetry(to upstream: Upstream) {}
}
