public import Dispatch

/// Runs work one after the other on a dispatch queue of its own.
public final class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    /// On `serialQueue` itself.
    init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: serialQueue, leeway: leeway)
    }

    /// On `internalSerialQueueName`, a new serial queue. `leeway` is how late a timer may be.
    public init(
        internalSerialQueueName: String, qos: DispatchQoS = .default,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        super.init(on: DispatchQueue(label: internalSerialQueueName, qos: qos), leeway: leeway)
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
