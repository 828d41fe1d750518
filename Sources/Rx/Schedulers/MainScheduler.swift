import Dispatch
import Synchronization

/// Runs work on the main queue: at once where the caller is on it already and nothing waits, else after what waits.
///
/// Somebody has to serve the main queue: `dispatchMain()`, a run loop, or the main actor of a program whose `main` is
/// asynchronous. Where the main thread is busy for good, as that of a server that runs an event loop on it, work never runs:
/// use that loop's scheduler there.
// Sound: it adds only constants, locks and atomics.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    /// For `observe(on:)`: does not hop where it need not.
    public static let instance = MainScheduler()
    /// Always hops, also from the main queue.
    public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

    /// Work that waits or runs.
    private let enqueued = Atomic<Int>(0)

    public init() {
        super.init(serialQueue: .main)
    }

    /// Does nothing, as RxSwift's does on Linux: no thread is the main queue's for good. `ensureExecutingOnScheduler` checks the
    /// queue.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {}

    /// Stops the program when the caller is not on the main queue.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        precondition(MainQueue.isCurrent, errorMessage ?? "This is not the main queue.")
    }

    @preconcurrency
    public override func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let before = enqueued.add(1, ordering: .acquiringAndReleasing).oldValue
        if before == 0, MainQueue.isCurrent {
            let disposable = action(state)
            enqueued.subtract(1, ordering: .acquiringAndReleasing)
            return disposable
        }
        let pending = SingleAssignmentDisposable()
        DispatchQueue.main.async { [self] in
            if !pending.isDisposed { pending.setDisposable(action(state)) }
            enqueued.subtract(1, ordering: .acquiringAndReleasing)
        }
        return pending
    }
}

/// Runs work on the main queue: at once where the caller is on it already, whatever waits. For `subscribe(on:)`; `observe(on:)`
/// wants `MainScheduler`, which keeps the order.
// Sound: it adds no property.
public final class ConcurrentMainScheduler: DispatchQueueScheduler, @unchecked Sendable {
    public static let instance = ConcurrentMainScheduler()

    private init() {
        super.init(on: .main)
    }

    @preconcurrency
    public override func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainQueue.isCurrent ? action(state) : super.schedule(state, action: action)
    }
}

/// Tells whether the caller is on the main queue. The thread does not: after `dispatchMain()` any may serve it.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
