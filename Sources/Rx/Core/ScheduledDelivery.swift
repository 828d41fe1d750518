import Locking

/// Outside of the generic class, where using it would look up metadata.
struct ScheduledDeliveryState {
    /// What follows the values that wait.
    var end: SubjectCore.End?
    /// Whether a turn is scheduled or runs.
    var isPumping = false

    /// Whether somebody has to start the pump, who is the caller.
    mutating func start() -> Bool {
        defer { isPumping = true }
        return !isPumping
    }
}

/// Delivers on a scheduler what waits, in turns of which there is one at a time. The turns follow each other in a loop where
/// the scheduler runs them at once.
// Sound: `state` is locked; the other properties are constants.
@usableFromInline
class ScheduledDelivery<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    final let scheduler: any ImmediateSchedulerType
    final let state = Lock(ScheduledDeliveryState())
    /// Whether a turn delivers one event, as one in virtual time does.
    final let deliversOne: Bool
    private let turn = SerialDisposable()
    private let turns = RerunLoop()

    init(_ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        deliversOne = scheduler is any PerEventScheduler
        super.init(source)
    }

    /// Delivers what waits. Whether a further turn is due, after this one has left the scheduler to others.
    func deliver() -> Bool {
        false
    }

    /// Lets go of what waits, outside of the lock.
    func drop() {}

    final func schedule() {
        turns.run {
            let turn = SingleAssignmentDisposable()
            self.turn.disposable = turn
            turn.setDisposable(
                scheduler.schedule(()) { [self] in
                    if deliver() { schedule() }
                    return Disposables.create()
                })
        }
    }

    /// Passes the end on, behind which nothing waits.
    final func finish(_ end: SubjectCore.End) {
        switch end {
        case .completed: super.completed()
        case .failed(let error): super.error(error)
        }
    }

    override final func stop() {
        guard upstream.closeAndStop() else { return }
        turn.dispose()
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
