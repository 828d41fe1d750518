/// Runs work on the thread that schedules it: at once when nothing of the kind is running there, else after it.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    public static let instance = CurrentThreadScheduler()

    private init() {}

    /// Whether the caller's thread is not inside scheduled work, so that scheduling would run the work at once.
    public static var isScheduleRequired: Bool {
        !Trampoline.current.isRunning
    }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let trampoline = Trampoline.current
        if trampoline.enter() {
            let disposable = action(state)
            trampoline.drain()
            return disposable
        }
        let turn = TrampolineWork { action(state) }
        trampoline.enqueue(turn)
        return turn
    }
}

/// Work that waits for its turn.
// Sound: it adds only constants, locks and atomics.
private final class TrampolineWork: Link, Disposable, @unchecked Sendable {
    private let work: @Sendable () -> any Disposable
    private let result = SingleAssignmentDisposable()

    init(_ work: @escaping @Sendable () -> any Disposable) {
        self.work = work
        super.init()
    }

    override func resume() {
        if !result.isDisposed { result.setDisposable(work()) }
    }

    func dispose() {
        result.dispose()
    }
}
