import Locking

/// An operator's timer, which can be set again until the operator ends.
struct TimerSlot: ~Copyable {
    // Not private: the compiler (6.3) rejects that in a noncopyable type.
    struct State {
        var token: TimerToken?
        var isClosed = false
    }

    private let scheduler: any SchedulerType
    private let state = Lock(State())

    init(_ scheduler: any SchedulerType) {
        self.scheduler = scheduler
    }

    /// Sets the timer and cancels the previous one.
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

    /// Clears the timer that fired. Returns false if it is not the current one.
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

    /// Cancels the timer and every timer set later.
    func close() {
        let token = state.withLock { state in
            state.isClosed = true
            return state.token.take()
        }
        if let token { scheduler.cancelTimer(token) }
    }
}
