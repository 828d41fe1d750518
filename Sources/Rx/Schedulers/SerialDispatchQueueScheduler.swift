public import Dispatch

/// Runs work one after the other on a dispatch queue of its own.
// Sound: it adds no property.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    /// On `serialQueue` itself.
    init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: serialQueue, leeway: leeway)
    }

    /// On `internalSerialQueueName`, a new serial queue, after `serialQueueConfiguration` was called with that. `leeway` is how
    /// late a timer may be.
    public init(
        internalSerialQueueName: String, qos: DispatchQoS = .default,
        serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName, qos: qos)
        serialQueueConfiguration?(queue)
        super.init(on: queue, leeway: leeway)
    }

    /// On a new serial queue that runs its work on `queue`.
    public init(
        queue: DispatchQueue, internalSerialQueueName: String,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        super.init(on: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
    }

    /// On a new serial queue that runs its work on the global queue of `qos`.
    public convenience init(
        qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.init(
            queue: DispatchQueue.global(qos: qos.qosClass),
            internalSerialQueueName: internalSerialQueueName,
            leeway: leeway)
    }
}
