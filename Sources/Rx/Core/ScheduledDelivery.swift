import Locking

/// Declared outside the generic class, where using it would look up metadata.
struct ScheduledDeliveryState {
    /// The end that follows the waiting values.
    var end: SubjectCore.End?
    /// Whether a delivery is scheduled or running.
    var isDelivering = false

    /// Returns whether the caller has to schedule a delivery.
    mutating func start() -> Bool {
        defer { isDelivering = true }
        return !isDelivering
    }
}

/// Delivers waiting events on a scheduler, one delivery at a time. If the scheduler runs work at once,
/// deliveries run in a loop.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class ScheduledDelivery<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    final let scheduler: any ImmediateSchedulerType
    final let state = Lock(ScheduledDeliveryState())
    /// Whether each delivery sends one event, as in virtual time.
    final let deliversOne: Bool
    private let scheduled = SerialDisposable()
    private let deliveries = RerunLoop()

    init(_ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        deliversOne = scheduler is any PerEventScheduler
        super.init(source)
    }

    /// Delivers waiting events. Returns whether another delivery is due, after other work on the scheduler.
    func deliver() -> Bool {
        false
    }

    /// Releases waiting events outside the lock.
    func drop() {}

    final func schedule() {
        deliveries.run {
            let delivery = SingleAssignmentDisposable()
            scheduled.disposable = delivery
            delivery.setDisposable(
                scheduler.schedule(()) { [self] in
                    if deliver() { schedule() }
                    return Disposables.create()
                })
        }
    }

    /// Passes the end on once no value waits before it.
    final func finish(_ end: SubjectCore.End) {
        switch end {
        case .completed: super.completed()
        case .failed(let error): super.error(error)
        }
    }

    override final func stop(_ stops: inout DisposalStack) {
        guard upstream.close(&stops) else { return }
        scheduled.dispose()
        drop()
    }

    override final func error(_ error: any Error) {
        enqueue(.failed(error))
    }

    override final func completed() {
        enqueue(.completed)
    }

    private func enqueue(_ end: SubjectCore.End) {
        guard !upstream.isClosed else { return }
        let isIdle = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.start()
        }
        upstream.emptyAfterEnd()
        if isIdle { schedule() }
    }
}
