import Dispatch
import Synchronization

// Sound: it adds only constants, locks and atomics.
/// Runs work on the main queue: at once if the caller is on it and no other work is pending or running,
/// otherwise asynchronously. The main queue must be served by `dispatchMain()`, a run loop, the main actor of
/// a program with an asynchronous `main`, or a gateway that waits on the main thread. If the main thread
/// does something else for ever, the work never runs: use another scheduler instead.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    /// The shared scheduler. Meant for `observe(on:)`: it avoids unnecessary hops.
    public static let instance = MainScheduler()
    /// A scheduler that always runs work asynchronously, even if the caller is on the main queue.
    public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

    /// The number of pending and running pieces of work.
    private let enqueued = Atomic<Int>(0)

    /// Creates a scheduler that counts pending work separately from `instance`.
    public init() {
        super.init(serialQueue: .main)
    }

    /// Does nothing, like RxSwift's on Linux, where no thread permanently serves the main queue. Use
    /// `ensureExecutingOnScheduler(errorMessage:)` to check the queue.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {}

    /// Stops the program if the caller is not on the main queue.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        precondition(MainQueue.isCurrent, errorMessage ?? "The caller is not on the main queue.")
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
        let turn = SubscriberContexts.beginTurn(on: self)
        DispatchQueue.main.async { [self] in
            if !pending.isDisposed { pending.setDisposable(action(state)) }
            enqueued.subtract(1, ordering: .acquiringAndReleasing)
            turn?.elapsed()
        }
        guard let turn else { return pending }
        return Disposables.create(pending, turn)
    }
}

// Sound: it adds only constants.
/// Runs work on the main queue: at once if the caller is on it, even if other work is pending. Meant for
/// `subscribe(on:)`. Use `MainScheduler` with `observe(on:)`, since it keeps the order.
public final class ConcurrentMainScheduler: DispatchQueueScheduler, @unchecked Sendable {
    /// The shared scheduler.
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

/// Recognizes the main queue by a key, not by its thread: after `dispatchMain()`, any thread may serve it.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether `queue` is the main queue. Compares labels, because each use of `DispatchQueue.main` makes
    /// another object, and not all queues may be asked for a key.
    static func isSame(as queue: DispatchQueue) -> Bool { queue.label == DispatchQueue.main.label }
}
