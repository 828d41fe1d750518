public import Dispatch
public import FoundationEssentials

/// Runs work one after the other on a dispatch queue of its own.
public final class SerialDispatchQueueScheduler: SchedulerType {
    private let configuration: DispatchQueueConfiguration

    /// On `serialQueue` itself.
    init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        configuration = DispatchQueueConfiguration(queue: serialQueue, leeway: leeway)
    }

    /// On `internalSerialQueueName`, a new serial queue. `leeway` is how late a timer may be.
    public init(
        internalSerialQueueName: String, qos: DispatchQoS = .default,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        configuration = DispatchQueueConfiguration(
            queue: DispatchQueue(label: internalSerialQueueName, qos: qos), leeway: leeway)
    }

    /// On a new serial queue that runs its work on `queue`.
    public init(
        queue: DispatchQueue, internalSerialQueueName: String,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        configuration = DispatchQueueConfiguration(
            queue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
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

    public var now: RxTime { Date() }

    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        configuration.schedule(state, action: action)
    }

    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        configuration.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        configuration.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
}
