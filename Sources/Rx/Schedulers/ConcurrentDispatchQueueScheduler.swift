public import Dispatch

// Sound: it adds only constants.
/// Runs work on a concurrent dispatch queue. Work may overlap and run in any order.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    /// Creates a scheduler on `queue`. A timer may fire late by `leeway`.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: queue, leeway: leeway)
    }

    /// Creates a scheduler on a new concurrent queue. A timer may fire late by `leeway`.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.init(
            queue: DispatchQueue(label: "rx.concurrent", qos: qos, attributes: .concurrent),
            leeway: leeway)
    }
}
