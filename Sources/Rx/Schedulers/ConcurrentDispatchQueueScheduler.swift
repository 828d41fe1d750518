public import Dispatch

/// Runs work on a concurrent dispatch queue, in no order.
// Sound: it adds no property.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    /// On `queue`. `leeway` is how late a timer may be.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: queue, leeway: leeway)
    }

    /// On a new concurrent queue.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.init(
            queue: DispatchQueue(label: "rx.concurrent", qos: qos, attributes: .concurrent),
            leeway: leeway)
    }
}
