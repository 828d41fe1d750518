import Locking

/// The one timer of an operator: set anew as often as it likes, cancelled for good when the operator ends.
struct TimerSlot: ~Copyable {
    // Not private: the compiler (6.3) refuses that of a member of a type without copies.
    struct State {
        var token: TimerToken?
        var isClosed = false
    }

    private let scheduler: any SchedulerType
    private let state = Lock(State())

    init(_ scheduler: any SchedulerType) {
        self.scheduler = scheduler
    }

    /// Sets it in place of the one that was set.
    func set(after dueTime: RxTimeInterval, _ target: any TimerTarget) {
        let token = scheduler.setTimer(after: dueTime, target: target)
        let unwanted: TimerToken? = state.withLock { state in
            guard !state.isClosed else { return token }
            let old = state.token
            state.token = token
            return old
        }
        if let unwanted { scheduler.cancelTimer(unwanted) }
    }

    /// Whether `token`, which fired, is the timer that is set; it is not any more.
    func take(_ token: TimerToken) -> Bool {
        state.withLock { state in
            guard state.token == token else { return false }
            state.token = nil
            return true
        }
    }

    func cancel() {
        let token = state.withLock { $0.token.take() }
        if let token { scheduler.cancelTimer(token) }
    }

    /// Cancels it, and whatever is set from here on.
    func close() {
        let token = state.withLock { state in
            state.isClosed = true
            return state.token.take()
        }
        if let token { scheduler.cancelTimer(token) }
    }
}
