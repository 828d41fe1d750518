public import Dispatch

/// Runs work on a serial dispatch queue, one piece after the other.
// Sound: it adds no property.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    /// Creates a scheduler on `serialQueue` itself.
    init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: serialQueue, leeway: leeway)
    }

    /// Creates a scheduler on a new serial queue.
    ///
    /// - Parameters:
    ///   - internalSerialQueueName: The label of the queue.
    ///   - qos: The quality of service of the queue.
    ///   - serialQueueConfiguration: Called with the queue before it is used.
    ///   - leeway: How late a timer may fire.
    public init(
        internalSerialQueueName: String, qos: DispatchQoS = .default,
        serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName, qos: qos)
        serialQueueConfiguration?(queue)
        super.init(on: queue, leeway: leeway)
    }

    /// Creates a scheduler on a new serial queue that targets `queue`.
    public init(
        queue: DispatchQueue, internalSerialQueueName: String,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        super.init(on: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
    }

    /// Creates a scheduler on a new serial queue that targets the global queue of `qos`.
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
