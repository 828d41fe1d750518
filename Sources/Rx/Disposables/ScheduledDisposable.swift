import Locking

// Sound: it adds only constants, locks and atomics.
/// Disposes a resource on a scheduler.
public final class ScheduledDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// The scheduler on which the resource is disposed of.
    public let scheduler: any ImmediateSchedulerType

    private let resource: Lock<(any Disposable)?>

    /// Creates a disposable that disposes `disposable` on `scheduler`.
    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        resource = Lock(disposable)
        super.init()
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool {
        resource.withLock { $0 == nil }
    }

    /// Disposes of what it holds. Further calls have no effect.
    public func dispose() {
        stop()
    }

    override func stop(_ stops: inout DisposalStack) {
        // An immediate scheduler would do it inside this call.
        if scheduler is ImmediateScheduler {
            if let resource = takeResource() { stops.dispose(resource) }
        } else {
            _ = scheduler.schedule(()) { [self] in
                takeResource()?.dispose()
                return Disposables.create()
            }
        }
    }

    private func takeResource() -> (any Disposable)? {
        resource.withLock { $0.take() }
    }

    override func unlink(_ others: inout [Link]) -> Link? {
        takeResource() as? Link
    }

    deinit {
        Link.free(takeResource() as? Link)
    }
}
