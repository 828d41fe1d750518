import Locking

/// Disposes a resource on a scheduler.
// Sound: it adds only constants, locks and atomics.
public final class ScheduledDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    public let scheduler: any ImmediateSchedulerType

    private let resource: Lock<(any Disposable)?>

    /// Creates a disposable that disposes `disposable` on `scheduler`.
    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        resource = Lock(disposable)
        super.init()
    }

    public var isDisposed: Bool {
        resource.withLock { $0 == nil }
    }

    public func dispose() {
        _ = scheduler.schedule(()) { [self] in
            let resource = resource.withLock { $0.take() }
            resource?.dispose()
            return Disposables.create()
        }
    }
}
