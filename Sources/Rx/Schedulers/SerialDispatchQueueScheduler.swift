public import Dispatch

// Sound: it adds only constants.
/// Runs work on a serial dispatch queue, one piece after the other.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: serialQueue, leeway: leeway)
    }

    /// Creates a scheduler on a new serial queue, which `serialQueueConfiguration` may set up before its
    /// first use.
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
        super.init(
            on: DispatchQueue(label: internalSerialQueueName, target: queue), target: queue, leeway: leeway)
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
