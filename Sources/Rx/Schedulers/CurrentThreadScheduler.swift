/// Runs work on the calling thread: at once or, inside other scheduled work, after that work.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    /// The scheduler for all threads. Each thread has its own queue of work.
    public static let instance = CurrentThreadScheduler()

    private init() {}

    /// Whether the calling thread is outside of scheduled work, so that new work would run at once.
    public static var isScheduleRequired: Bool { !Trampoline.current.isRunning }

    /// Runs work on the calling thread: at once, or after the work that runs there now.
    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let trampoline = Trampoline.current
        if !trampoline.isRunning {
            let depth = trampoline.beginSubscription()
            let disposable = action(state)
            trampoline.endSubscription(depth)
            return disposable
        }
        let turn = TrampolineWork { action(state) }
        trampoline.enqueue(turn)
        return turn
    }
}

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
